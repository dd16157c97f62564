"""The points of a sweep that decide, simulated: those between which the answer changes, or the cheapest.

A point whose fleet does not hold as simulated is answered again by formula, as that corrects it, and looked at again.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from fleettui.domain.anchor import Anchor
from fleettui.domain.demand import DerivedDemand
from fleettui.domain.length_factors import AS_RECORDED
from fleettui.domain.plan import Candidate
from fleettui.domain.replica import ReplicaKey
from fleettui.domain.seen_fleets import by_replica, merged
from fleettui.domain.whatif import Outcome, Point, Sweep
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.single_look import looked_at
from fleettui.planning.studies.study_context import StudyContext
from fleettui.reports import fleet_text

MOST_LOOKS = 6
"""Fleets that are simulated at most."""
MOST_TRIES = 2
"""Fleets of one point that are simulated at most."""

Anchors = tuple[tuple[ReplicaKey, Anchor], ...]
AnswerPoint = Callable[[Point, Anchors], Coroutine[Any, Any, Outcome]]


@dataclass(slots=True, kw_only=True)
class ProvenPoints:
    """The points of a sweep around a kept plan; `answer` asks the formulas, as simulations correct them."""

    desk: StudyContext
    kept: KeptPlan
    sweep: Sweep
    answer: AnswerPoint
    anchors: Anchors
    looks: int = 0
    learned: list[Anchors] = field(default_factory=list)

    async def proven(self, found: Sequence[Outcome]) -> list[Outcome]:
        """Return what the points come to where those that decide were simulated, as far as that takes seconds."""
        told = list(found)
        if self.kept.answer.simulation is None:
            return told
        for place in deciding(self.sweep, found):
            point = self.sweep.points[place]
            if self.looks < MOST_LOOKS and can_be_simulated(point):
                told[place] = await self._looked(point, told[place])
        if self.learned:
            again = [place for place, one in enumerate(told) if not one.simulated]
            answers = (self.answer(self.sweep.points[place], self._known) for place in again)
            anew = await self.desk.each(answers, "planning each point again, as the simulations correct it")
            for place, one in zip(again, anew, strict=True):
                told[place] = one
        return told

    @property
    def _known(self) -> Anchors:
        """All that is known of replicas: what was just seen first, then the plan's own."""
        return merged((*(pair for own in self.learned for pair in own), *self.anchors))

    async def _looked(self, point: Point, found: Outcome) -> Outcome:
        """Return what a point comes to whose fleet was simulated; another fleet where that one does not hold."""
        for _ in range(MOST_TRIES):
            if found.simulated or found.fleet is None or found.rate is None or self.looks >= MOST_LOOKS:
                break
            seen = await self._look(point, found)
            if seen is None or seen.evidence is None:
                break
            self.learned.append(tuple(by_replica([seen], point.question, found.rate).items()))
            if seen.evidence.verdict == "pass":
                worst = [pool.ttft.value for pool in seen.evidence.pools]
                ttft = max((one for one in worst if one is not None), default=found.ttft)
                return replace(found, verdict="pass", ttft=ttft, simulated=True)
            found = await self.answer(point, self._known)
        return found

    async def _look(self, point: Point, found: Outcome) -> Candidate | None:
        """Simulate the fleet of a point for a few runs; None where that would take long."""
        assert found.fleet is not None, "a point without a fleet has nothing to simulate"
        assert found.rate is not None, "what has a fleet has a rate"
        self.looks += 1
        demand = DerivedDemand(rate=found.rate, arithmetic="", pairing=self.kept.answer.demand.pairing)
        key = f"sweep {self.kept.id} {point.values}"
        source = SceneSource.of(point.question, self.kept.workload, demand, key)
        look = await looked_at(self.desk, source, found.fleet, self.kept.answer.plan.seed)
        if look is None:
            return None
        asked = self.kept.question
        if replace(point.question, demand=asked.demand, ranges=asked.ranges) == asked:
            self.desk.looks.append(look)
        return look.candidate


def can_be_simulated(point: Point) -> bool:
    """Return whether a point's fleet can be simulated by itself: recorded lengths, an open loop, steps as predicted."""
    asked = point.question
    return point.lengths == AS_RECORDED and asked.demand.form != "concurrency" and asked.confidence is None


def deciding(sweep: Sweep, found: Sequence[Outcome]) -> list[int]:
    """Return the places of the points that decide: along numbers both sides of each change, else the cheapest."""
    if len(sweep.axes) == 1 and sweep.axes[0].quantity != "text":
        kinds = [None if one.fleet is None else fleet_text.shape(one.fleet) for one in found]
        changes = (place for place, (old, new) in enumerate(pairwise(kinds)) if old != new)
        return [*dict.fromkeys(side for place in changes for side in (place, place + 1))]
    held = [(one.cost, place) for place, one in enumerate(found) if one.cost is not None]
    return [place for _, place in sorted(held)[:1]]
