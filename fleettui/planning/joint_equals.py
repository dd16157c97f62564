"""Of fleets for as much the surest, in a joint plan, as a plan of a workload by itself has it inside its limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fleettui.domain.joint import Joint
from fleettui.domain.plan import Answer
from fleettui.planning.joint_apart import ROUNDING, Left, OneByOne
from fleettui.planning.joint_candidates import Menu
from fleettui.planning.joint_choices import Choices

MOST_PLANS = 4
"""Workloads at most that are planned again, the least sure first: each takes as long as a plan by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SurestOfEquals:
    """The workloads of a joint plan, of which a fleet may have been proven without others for as much beside it."""

    apart: OneByOne
    menus: Sequence[Menu]
    choices: Choices

    async def instead(self, best: Joint) -> Joint:
        """Return the best choice with the surest of the fleets that cost as much, itself where these are its own.

        Workloads whose fleets are not as good as sure, and were proven by themselves, are planned inside what the
        others leave. Where whole nodes are shared, which GPUs cost as much is not known of others than the same.
        """
        if self.apart.question.objective != "cost":
            return best
        for place in self._unsure(best)[:MOST_PLANS]:
            best = await self._beside_others(best, place)
        return best

    def _unsure(self, best: Joint) -> list[int]:
        """Return the places of such workloads, the least sure first; one that wishes how sure it is to be is none."""
        whole = [one.plan.id for one in self.apart.known.values() if one is not None]
        own = self._plans(best)
        found = [
            (one.confidence.holds, place)
            for place, one in enumerate(own)
            if one.confidence is not None and not one.confidence.is_likely and one.plan.id not in whole
        ]
        return [place for _, place in sorted(found) if self.menus[place].entry.question.confidence is None]

    async def _beside_others(self, best: Joint, place: int) -> Joint:
        assert best.chosen is not None, "there is nothing beside an empty choice"
        menu, now, left = self.menus[place], self._plans(best), Left.of(self.apart.question)
        for at, plan in enumerate(now):
            left.take(None if at == place else plan)
        found = await self.apart.inside(menu, left)
        alike = not self.apart.question.limits.whole_nodes or _gpus(found) == _gpus(now[place])
        if found is None or not alike or not _is_better(found, now[place]):
            return best
        menu.passed_over.add(best.chosen[place])
        other = await self.choices.best(self.menus, proven_only=True)
        if other.chosen is not None and (other.cost < best.cost - ROUNDING or self._least(other) >= self._least(best)):
            return other
        menu.passed_over.remove(best.chosen[place])
        return best

    def _least(self, joint: Joint) -> float:
        """Return how sure the least sure fleet of a choice is."""
        return min(0.0 if one.confidence is None else one.confidence.holds for one in self._plans(joint))

    def _plans(self, joint: Joint) -> list[Answer]:
        assert joint.chosen is not None, "an empty choice has no plans"
        return [menu.plans[option] for menu, option in zip(self.menus, joint.chosen, strict=True)]


def _gpus(plan: Answer | None) -> Mapping[str, int]:
    return {} if plan is None or plan.answer is None else plan.answer.fleet.gpus_by_type


def _is_better(found: Answer, now: Answer) -> bool:
    """Return whether a plan's fleet costs less than another's, or as much and is surer."""
    assert found.answer is not None, "what holds has a fleet"
    assert now.answer is not None, "and so has what was chosen"
    cost, most = found.answer.cost_per_hour, now.answer.cost_per_hour
    if found.confidence is None or now.confidence is None or cost > most * (1.0 + ROUNDING):
        return False
    return cost < most * (1.0 - ROUNDING) or found.confidence.holds > now.confidence.holds
