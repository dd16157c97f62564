"""Policies tuned to the SLO: settings tried on the first half of a day, the cheapest that holds judged on the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fleettui.autoscaling.policies import POLICIES
from fleettui.domain.autoscale import PolicyFigures, PoolSite, Tuned
from fleettui.planning.day_replays import DayReplays


@dataclass(frozen=True, slots=True, kw_only=True)
class DayTuning:
    """The replays of a day, without what nobody foresees, in halves; the second meets other requests than the first."""

    replays: DayReplays
    runs: int
    share: float

    async def tuned(self, names: Sequence[str]) -> list[Tuned]:
        """Return each policy that has a knob, tuned."""
        return [await self._tune(name) for name in names if POLICIES.named(name).knob is not None]

    async def _tune(self, name: str) -> Tuned:
        knob = POLICIES.named(name).knob
        assert knob is not None, "only who has a knob is tuned"
        tried = [await self._half(name, knob.rule, value, second=False) for value in knob.values]
        value, found = min(zip(knob.values, tried, strict=True), key=lambda one: self._rank(one[1]))
        given = float(getattr(self.replays.pools[0].site.rules, knob.rule))
        judged = await self._half(name, knob.rule, value, second=True)
        plain = judged if value == given else await self._half(name, knob.rule, given, second=True)
        return Tuned(rule=knob.rule, value=value, given=given, tuned=found, judged=judged, as_given=plain)

    def _rank(self, one: PolicyFigures) -> tuple[bool, float]:
        """Return what is least for the cheapest that keeps the SLO, or where none does for the one that keeps most."""
        met, cost = one.met.value or 0.0, one.cost_per_hour.value or 0.0
        return (False, cost) if met >= self.share else (True, -met)

    async def _half(self, name: str, rule: str, value: float, *, second: bool) -> PolicyFigures:
        pools = tuple(_changed(one, rule, value, second=second) for one in self.replays.pools)
        half = replace(self.replays, pools=pools, event=None, first=self.runs if second else 0)
        return (await half.figures([name], self.runs, self.share))[0]


def _changed(pool: PoolSite, rule: str, value: float, *, second: bool) -> PoolSite:
    """Return a pool on half of its day, as it was foreseen, under another rule."""
    site = pool.site
    whole, middle = site.expected, site.expected.end / 2.0
    day = whole.part(middle, whole.end) if second else whole.part(0.0, middle)
    rules = replace(site.rules, **{rule: value})  # type: ignore[arg-type]
    return replace(pool, site=replace(site, day=day, foreseen=None, events=(), rules=rules))
