"""One kept plan's fleet behind several routers, which all meet the same requests, and the fleet that each needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import LEAST_RUNS, Candidate
from fleettui.domain.routers import Needed, Played
from fleettui.domain.scenario import Question
from fleettui.domain.simulation import PoolLength, Replication
from fleettui.domain.size_curve import SizeCurve, constraints_broken
from fleettui.planning.pool_facts import Known
from fleettui.planning.prepared_fleet import PreparedFleet, SceneSource, prepared
from fleettui.planning.rounds import Rounds, takes_minutes
from fleettui.planning.smallest_fleet import settle
from fleettui.planning.trial import Trial, shares_of_limits
from fleettui.planning.walk import Sizes, Walk
from fleettui.routing import ROUTERS, pools_meet

if TYPE_CHECKING:
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.studies.study_context import StudyContext

Runs = dict[int, Replication]
GAMMA = 1.5
"""How far above a split a router compresses where the plan says nothing of that, as `fleettui compress` measures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RouterTrials:
    """The fleet of a kept plan behind any router; `runs` are those that it had at its own size, by the router.

    One replica of each pool may be at a share `slow` of its speed, throughout. `words` say what the fleets have, the
    router unless given.
    """

    desk: StudyContext
    kept: KeptPlan
    best: Candidate
    slow: float | None = None
    words: str = ""
    runs: dict[tuple[str, tuple[PoolLength, ...]], Runs] = field(default_factory=dict)

    @property
    def question(self) -> Question:
        """What the plan answers."""
        return self.kept.question

    @property
    def sizes(self) -> Sizes:
        """The replicas of each of the plan's pools."""
        return tuple(pool.replicas for pool in self.best.fleet.pools)

    @property
    def seed(self) -> int:
        """The root of all draws, that of the plan."""
        return self.kept.answer.plan.seed

    def fleet(self, name: str) -> Fleet:
        """Return the plan's fleet behind a router, which looks at the loads as often as the plan's does.

        One that compresses does so by the plan's factor, the largest that is asked for, or GAMMA; behind another
        nothing is compressed where the plan's own router does that.
        """
        router, own, gamma = ROUTERS.named(name), self.best.fleet, self.best.fleet.gamma
        if router.compresses and gamma == 1.0:
            gamma = self.question.gamma[1] if self.question.gamma[1] > 1.0 else GAMMA
        elif ROUTERS.named(own.router).compresses and not router.compresses:
            gamma = 1.0
        refresh = own.router_refresh if router.knows else None
        return replace(own, router=name, router_refresh=refresh, gamma=gamma)

    @property
    def source(self) -> SceneSource:
        """The plan's scene, in which fleets are simulated: each says its router itself."""
        return self.kept.source(f"routers {self.kept.id}", self.kept.profiles)

    def source_of(self, name: str) -> SceneSource:
        """Return the plan's scene with its question asked for a router, by which the formulas go."""
        own = self.kept.source(f"router {name} {self.kept.id}", self.kept.profiles)
        refresh = self.fleet(name).router_refresh
        return replace(own, question=replace(own.question, router=name, router_refresh=refresh))

    async def stage(self, name: str, sizes: Sizes) -> PreparedFleet:
        """Return the fleet behind a router at these sizes, and how long it is simulated."""
        return await prepared(self.desk, self.source, self.fleet(name), sizes)

    async def played(self, names: Sequence[str]) -> tuple[Played, ...]:
        """Return what each router does on the plan's fleet, all over the same LEAST_RUNS runs of the same requests.

        Where one of them sends between pools, they are played in one stream behind all of them.
        """
        stages = [await self.stage(name, self.sizes) for name in names]
        lengths = tuple(
            max(pool, key=lambda one: one.requests) for pool in zip(*(one.lengths for one in stages), strict=True)
        )
        together = any(pools_meet(name, len(self.sizes)) for name in names)
        work = [self._run(name, lengths, index, together=together) for name in names for index in range(LEAST_RUNS)]
        found = await self.desk.each(work, f"simulating {len(names)} routers")
        rows = [tuple(found[at : at + LEAST_RUNS]) for at in range(0, len(found), LEAST_RUNS)]
        for name, row in zip(names, rows, strict=True):
            if pools_meet(name, len(self.sizes)) == together:
                self.runs[name, lengths] = {one.index: one for one in row}
        own = self.best.fleet.router
        return await self.desk.run(
            "routers",
            tuple[Played, ...],
            source=self.source,
            names=names,
            runs=[[one.bare for one in row] for row in rows],
            unstable=[stage.unstable for stage in stages],
            own=own,
            precision=self.question.precision,
            seed=self.seed,
        )

    async def needed(self, name: str) -> Needed:
        """Return the smallest fleet of the plan's shape that holds behind a router; empty where no size does."""
        found, tried = await self.smallest(name)
        if found is None:
            return Needed(router=name, gamma=self.fleet(name).gamma)
        sizes = tuple(pool.replicas for pool in found.fleet.pools)
        return Needed(
            router=name,
            replicas=sizes,
            gpus=found.gpus,
            cost=found.cost_per_hour,
            simulated=tried > 0,
            gamma=found.fleet.gamma,
        )

    async def smallest(self, name: str) -> tuple[Candidate | None, int]:
        """Return the smallest fleet of the plan's shape that holds behind a router, and how many were simulated.

        None are where the tail is too long to be simulated soon: then it is by formula.
        """
        stage = await self.stage(name, self.sizes)
        curves = (
            await self.desk.run(
                "verification-curves",
                list[tuple[SizeCurve, ...]],
                source=self.source_of(name),
                fleets=[stage.candidate.fleet],
            )
        )[0]
        closed = self.question.demand.form == "concurrency"
        most = math.inf if closed else self.question.max_utilization
        if closed or stage.unstable or takes_minutes(stage):
            walk = Walk.of(stage.candidate, curves, Known(), max_utilization=most)
            return None if walk.expected is None else (await self.stage(name, walk.expected)).candidate, 0
        settled = await settle(
            [(stage.candidate, curves)],
            lambda _, sizes: self._attempt(name, sizes),
            max_utilization=most,
            objective=self.question.objective,
            hosts=self.question.host_power,
            broken=lambda known, sizes: constraints_broken(known, sizes, self.question),
        )
        best = settled.answer
        return None if best is None else best.candidate, max(settled.tried, 1)

    async def _attempt(self, name: str, sizes: Sizes) -> Trial:
        """Simulate the fleet behind a router at these sizes."""
        stage = await self.stage(name, sizes)
        words = f"simulating {' + '.join(map(str, sizes))} replicas {self.words or f'behind router {name}'}"
        rounds = Rounds(
            workers=self.desk.workers,
            source=self.source,
            seed=self.seed,
            precision=self.question.precision,
            most=LEAST_RUNS,
        )
        known = dict(self.runs.get((name, stage.lengths), {})) if sizes == self.sizes else {}
        run = partial(self._replicate, stage.candidate.fleet)
        evidence = await rounds.evidence(stage, run, known, self.desk.next_fleet(words))
        most = self.question.max_utilization * (1 + 1e-9)
        pairs = zip(stage.utilization, evidence.pools, strict=True)
        return Trial(
            candidate=replace(stage.candidate, evidence=evidence),
            pools=tuple(pool.verdict if busy <= most else "fail" for busy, pool in pairs),
            utilization=stage.utilization,
            shares=shares_of_limits(evidence.pools, self.question),
        )

    async def _run(self, name: str, lengths: tuple[PoolLength, ...], index: int, *, together: bool) -> Replication:
        return await self._replicate(self.fleet(name), lengths, index, together=together)

    async def _replicate(
        self, fleet: Fleet, lengths: tuple[PoolLength, ...], index: int, *, together: bool = False
    ) -> Replication:
        return await self.desk.run(
            "verification-replicate",
            Replication,
            source=self.source,
            fleet=fleet,
            lengths=lengths,
            seed=self.seed,
            index=index,
            bare=True,
            together=together,
            slow=self.slow,
        )
