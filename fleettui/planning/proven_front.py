"""The front of cost and TTFT of a kept plan's question, held to simulations: those that are kept, and a few more.

What the plan's own simulations showed corrects the formulas, and no fleet that they rule out has a place. The fleets
that decide, the ends of the front, its knee and the best by each objective, are then simulated where that takes
seconds, and the front is found again with what they showed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.limit import TPOT, TTFT, Latency
from fleettui.domain.pareto import SeenFleet, Tradeoff
from fleettui.domain.plan import Candidate
from fleettui.domain.seen_fleets import by_replica, seen_pools
from fleettui.planning.anchors import simulated_of
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.single_look import looked_at
from fleettui.planning.studies.study_context import StudyContext

MOST_LOOKS = 6
"""Fleets that are simulated at most."""
MOST_ROUNDS = 3
"""Times that fleets are simulated and the front found again at most."""


@dataclass(slots=True, kw_only=True)
class Front:
    """A kept plan whose front is looked for, over the fleets of `profiles`; `tried` are those that were simulated."""

    desk: StudyContext
    kept: KeptPlan
    profiles: tuple[Profile, ...]
    source: SceneSource = field(init=False)
    tried: list[Candidate] = field(init=False)
    looked: set[Fleet] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Begin with what the plan's own proof and its studies simulated."""
        self.source = self.kept.source(f"pareto {self.kept.id}")
        self.tried = list(simulated_of(self.kept.answer))
        before = (one for one in self.desk.known(self.kept.id) if one.rate == self.source.rate)
        self.tried += [one.candidate for one in before]
        self.looked |= {one.fleet for one in self.tried}

    async def found(self) -> Tradeoff:
        """Return the trade-off, once nothing that decides is left to be simulated."""
        tradeoff = await self._traded()
        own, looks = self.kept.question, 0
        closed = own.demand.form == "concurrency" or own.confidence is not None
        if self.kept.answer.simulation is None or closed:
            return tradeoff
        for _ in range(MOST_ROUNDS):
            wanted = [one for one in _deciding(tradeoff) if one not in self.looked][: MOST_LOOKS - looks]
            before = len(self.tried)
            for fleet in wanted:
                looks += 1
                await self._look(fleet)
            if len(self.tried) == before:
                break
            tradeoff = await self._traded()
        return tradeoff

    async def _traded(self) -> Tradeoff:
        question, rate = self.source.question, self.source.rate
        return await self.desk.run(
            "pareto",
            Tradeoff,
            source=self.source,
            profiles=self.profiles,
            anchors=tuple(by_replica(self.tried, question, rate).items()),
            seen=tuple(self._seen(one) for one in self.tried),
        )

    def _seen(self, one: Candidate) -> SeenFleet:
        """Return what a simulated fleet showed, as the front is held to it."""
        pools = seen_pools(one, self.source.question, self.source.rate)
        evidence = one.evidence
        assert evidence is not None, "it was simulated"
        passed = tuple(
            False if pool.verdict == "fail" else seen.passed for seen, pool in zip(pools, evidence.pools, strict=True)
        )

        def worst(latency: Latency) -> float | None:
            values = [pool.at(latency).value for pool in evidence.pools]
            known = [value for value in values if value is not None]
            return max(known) if len(known) == len(values) else None

        return SeenFleet(fleet=one.fleet, passed=passed, ttft=worst(TTFT.latency), tpot=worst(TPOT.latency))

    async def _look(self, fleet: Fleet) -> None:
        """Simulate a fleet for a few runs, and take in what that shows."""
        look = await looked_at(self.desk, self.source, fleet, self.kept.answer.plan.seed)
        self.looked.add(fleet)
        if look is not None:
            self.tried.append(look.candidate)
            self.desk.looks.append(look)


def _deciding(tradeoff: Tradeoff) -> Iterable[Fleet]:
    """Return the fleets that decide and were not simulated, the cheapest first."""
    front = tradeoff.front
    knee = [] if tradeoff.knee is None else [front[tradeoff.knee]]
    deciding = [*front[:1], *knee, *front[-1:], *(one for _, one in tradeoff.best)]
    return dict.fromkeys(one.fleet for one in deciding if not one.simulated)
