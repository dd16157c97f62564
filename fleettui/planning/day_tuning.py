"""Policies tuned to the SLO: settings tried on the first half of a day, the cheapest that holds judged on the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from fleettui.autoscaling.policies import POLICIES
from fleettui.autoscaling.policy import Knob
from fleettui.domain.autoscale import PolicyFigures, PoolSite, Tuned
from fleettui.planning.day_replays import DayReplays, Trial

Rules = tuple[tuple[str, float], ...]
"""What a policy is tuned by, each with a value, in the order of its knobs."""
Setting = tuple[str, Rules]
"""A policy, and how it is set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DayTuning:
    """The replays of a day, without what nobody foresees, in halves; the second meets other requests than the first."""

    replays: DayReplays
    runs: int
    share: float

    async def tuned(self, names: Sequence[str]) -> list[Tuned]:
        """Return each policy that has knobs, tuned: one knob after the other, all policies side by side.

        Each knob is turned with the values that the ones before it got; those behind it are as given.
        """
        knobs = {name: POLICIES.named(name).knobs for name in names if POLICIES.named(name).knobs}
        if not knobs:
            return []
        given: dict[str, Rules] = {
            name: tuple((one.rule, self._given(one)) for one in own) for name, own in knobs.items()
        }
        chosen, first = dict(given), dict[Setting, PolicyFigures]()
        for turn in range(max(map(len, knobs.values()))):
            tried = {name: _turned(chosen[name], own[turn]) for name, own in knobs.items() if len(own) > turn}
            new = {(name, rules) for name, several in tried.items() for rules in several} - first.keys()
            first |= await self._half(sorted(new), second=False)
            for name, several in tried.items():
                chosen[name] = min(several, key=lambda rules: self._rank(first[name, rules]))
        second = await self._half(sorted({*chosen.items(), *given.items()}), second=True)
        return [
            Tuned(
                chosen=chosen[name],
                given=given[name],
                tuned=first[name, chosen[name]],
                judged=second[name, chosen[name]],
                as_given=second[name, given[name]],
            )
            for name in knobs
        ]

    def _given(self, knob: Knob) -> float:
        return float(getattr(self.replays.pools[0].site.rules, knob.rule))

    def _rank(self, one: PolicyFigures) -> tuple[bool, float]:
        """Return what is least for the cheapest that keeps the SLO, or where none does for the one that keeps most."""
        met, cost = one.met.value or 0.0, one.cost_per_hour.value or 0.0
        return (False, cost) if met >= self.share else (True, -met)

    async def _half(self, asked: Sequence[Setting], *, second: bool) -> dict[Setting, PolicyFigures]:
        """Return what each policy comes to with each setting on a half of the day."""
        half = replace(self.replays, event=None, first=self.runs if second else 0)
        trials = [
            Trial(policy=name, pools=tuple(_changed(one, rules, second=second) for one in half.pools))
            for name, rules in asked
        ]
        told = f"{'judging' if second else 'tuning'}: {len(trials)} settings on half of the day"
        played = await half.played(trials, self.runs, told)
        return {
            setting: (await half.judged([one.policy], one.pools, [runs], share=self.share, held_to=one.policy))[0]
            for setting, one, runs in zip(asked, trials, played, strict=True)
        }


def _turned(rules: Rules, knob: Knob) -> list[Rules]:
    """Return the rules with each value that a knob may have, the present one first: it stays where none is better."""
    present = dict(rules)[knob.rule]
    values = [present, *(value for value in knob.values if value != present)]
    return [tuple((rule, value if rule == knob.rule else own) for rule, own in rules) for value in values]


def _changed(pool: PoolSite, rules: Rules, *, second: bool) -> PoolSite:
    """Return a pool on half of its day, as it was foreseen, with other values of what a policy is tuned by."""
    site = pool.site
    whole, middle = site.expected, site.expected.end / 2.0
    day = whole.part(middle, whole.end) if second else whole.part(0.0, middle)
    values: dict[str, Any] = {rule: int(value) if rule == "buffer" else value for rule, value in rules}
    return replace(pool, site=replace(site, day=day, foreseen=None, events=(), rules=replace(site.rules, **values)))
