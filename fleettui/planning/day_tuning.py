"""Policies tuned to the SLO: settings tried on the first half of a day, the cheapest that holds judged on the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fleettui.autoscaling.policies import POLICIES
from fleettui.autoscaling.policy import Knob
from fleettui.domain.autoscale import PolicyFigures, PoolSite, Tuned
from fleettui.planning.day_replays import DayReplays, Trial

Setting = tuple[str, float]
"""A policy, and a value of what it is tuned by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DayTuning:
    """The replays of a day, without what nobody foresees, in halves; the second meets other requests than the first."""

    replays: DayReplays
    runs: int
    share: float

    async def tuned(self, names: Sequence[str]) -> list[Tuned]:
        """Return each policy that has a knob, tuned: all settings of all policies side by side."""
        knobs = {name: knob for name in names if (knob := POLICIES.named(name).knob) is not None}
        if not knobs:
            return []
        first = await self._half([(name, value) for name, knob in knobs.items() for value in knob.values], second=False)
        chosen: dict[str, float] = {}
        for name, knob in knobs.items():
            ranked = [(self._rank(first[name, value]), place) for place, value in enumerate(knob.values)]
            chosen[name] = knob.values[min(ranked)[1]]
        asked = [(name, value) for name, knob in knobs.items() for value in {chosen[name], self._given(knob)}]
        second = await self._half(sorted(asked), second=True)
        return [
            Tuned(
                rule=knob.rule,
                value=chosen[name],
                given=self._given(knob),
                tuned=first[name, chosen[name]],
                judged=second[name, chosen[name]],
                as_given=second[name, self._given(knob)],
            )
            for name, knob in knobs.items()
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
            Trial(policy=name, pools=tuple(_changed(one, name, value, second=second) for one in half.pools))
            for name, value in asked
        ]
        told = f"{'judging' if second else 'tuning'}: {len(trials)} settings on half of the day"
        played = await half.played(trials, self.runs, told)
        return {
            setting: (await half.judged([one.policy], one.pools, [runs], share=self.share, held_to=one.policy))[0]
            for setting, one, runs in zip(asked, trials, played, strict=True)
        }


def _changed(pool: PoolSite, policy: str, value: float, *, second: bool) -> PoolSite:
    """Return a pool on half of its day, as it was foreseen, with another value of what the policy is tuned by."""
    knob = POLICIES.named(policy).knob
    assert knob is not None, "only who has a knob is tuned"
    site = pool.site
    whole, middle = site.expected, site.expected.end / 2.0
    day = whole.part(middle, whole.end) if second else whole.part(0.0, middle)
    rules = replace(site.rules, **{knob.rule: value})  # type: ignore[arg-type]
    return replace(pool, site=replace(site, day=day, foreseen=None, events=(), rules=rules))
