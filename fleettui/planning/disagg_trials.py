"""The best disaggregated fleet of a kept plan simulated, and the smallest of its make that holds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from fleettui.domain.disagg import DisaggFleet, DisaggStage, Proof
from fleettui.domain.limit import TPOT, TTFT
from fleettui.domain.plan import LEAST_RUNS, Candidate, Estimate, Evidence
from fleettui.domain.simulation import PoolLength, Replication
from fleettui.planning.rounds import Rounds, takes_minutes

if TYPE_CHECKING:
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.prepared_fleet import SceneSource
    from fleettui.planning.studies.study_context import StudyContext

MOST_GROWN, MOST_TRIED = 6, 10
"""Times that a fleet which does not hold is enlarged, and sizes that are simulated, at most."""
Sizes = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class DisaggTrials:
    """A disaggregated fleet of a plan's scene at several sizes; `tried` is what simulations made of them."""

    desk: StudyContext
    kept: KeptPlan
    source: SceneSource
    fleet: DisaggFleet
    tried: dict[Sizes, tuple[DisaggStage, Evidence]] = field(default_factory=dict)

    async def smallest(self) -> Proof | None:
        """Return the smallest fleet that holds, from the given one on; None where a proof would take minutes.

        Enlarged is the pool whose limit is missed; made smaller each pool in turn, by one replica at a time, until one
        fewer fails or breaks a limit on load, money or stock. Where none was found to hold it is the last one tried.
        """
        sizes = self.fleet.prefill.replicas, self.fleet.decode.replicas
        if not await self._soon(sizes):
            return None
        for _ in range(MOST_GROWN):
            if await self._holds(sizes):
                break
            sizes = self._enlarged(sizes)
        if not await self._holds(sizes):
            return self._proof(sizes)
        for side in (0, 1):
            while len(self.tried) < MOST_TRIED and sizes[side] > 1:
                fewer = (sizes[0] - (side == 0), sizes[1] - (side == 1))
                if not (await self._stage(fewer)).within or not await self._holds(fewer):
                    break
                sizes = fewer
        return self._proof(sizes)

    async def _soon(self, sizes: Sizes) -> bool:
        stage = await self._stage(sizes)
        return not stage.unstable and not takes_minutes(stage)

    def _enlarged(self, sizes: Sizes) -> Sizes:
        """Return sizes with one replica more where a limit is missed: decode for TPOT, prefill for TTFT."""
        _, evidence = self.tried[sizes]
        slo, pool = self.kept.question.slo, evidence.pools[0]
        late = any((pool.at(limit).value or 0.0) > limit.seconds for limit in slo.limits() if limit.metric == TPOT.name)
        return (sizes[0], sizes[1] + 1) if late else (sizes[0] + 1, sizes[1])

    async def _holds(self, sizes: Sizes) -> bool:
        if sizes not in self.tried:
            stage = await self._stage(sizes)
            self.tried[sizes] = stage, await self._evidence(stage)
        stage, evidence = self.tried[sizes]
        return stage.within and evidence.verdict == "pass"

    async def _stage(self, sizes: Sizes) -> DisaggStage:
        return await self.desk.run("disagg-stage", DisaggStage, source=self.source, fleet=self._sized(sizes))

    async def _evidence(self, stage: DisaggStage) -> Evidence:
        fleet, question = stage.figures.fleet, self.kept.question
        rounds = Rounds(
            workers=self.desk.workers,
            source=self.source,
            seed=self.kept.answer.plan.seed,
            precision=question.precision,
            most=LEAST_RUNS,
        )
        words = f"simulating {fleet.prefill.replicas} replicas that prefill and {fleet.decode.replicas} that decode"
        return await rounds.evidence(stage, partial(self._replicate, fleet), {}, self.desk.next_fleet(words))

    async def _replicate(self, fleet: DisaggFleet, lengths: tuple[PoolLength, ...], index: int) -> Replication:
        return await self.desk.run(
            "disagg-replicate",
            Replication,
            source=self.source,
            fleet=fleet,
            length=lengths[0],
            seed=self.kept.answer.plan.seed,
            index=index,
        )

    def _sized(self, sizes: Sizes) -> DisaggFleet:
        prefill, decode = (replace(pool, replicas=count) for pool, count in zip(self.fleet.pools, sizes, strict=True))
        return replace(self.fleet, prefill=prefill, decode=decode)

    def _proof(self, sizes: Sizes) -> Proof:
        stage, evidence = self.tried[sizes]
        pool = evidence.pools[0]
        return Proof(
            pools=stage.figures.fleet.pools,
            gpus=stage.figures.fleet.gpus,
            cost=stage.figures.cost,
            ttft=pool.ttft,
            tpot=pool.tpot,
            verdict=evidence.verdict if stage.within else "fail",
            runs=evidence.replications,
            requests=evidence.requests,
            tried=len(self.tried),
            figures=stage.figures,
        )


def together(found: Candidate | None, tried: int) -> Proof | None:
    """Return the proof of a fleet whose replicas do both, of its worst pool; None where it was not simulated."""
    evidence = None if found is None else found.simulation
    if found is None or evidence is None:
        return None
    return Proof(
        pools=found.fleet.pools,
        gpus=found.gpus,
        cost=found.cost_per_hour,
        ttft=_worst([pool.at(TTFT.latency) for pool in evidence.pools]),
        tpot=_worst([pool.at(TPOT.latency) for pool in evidence.pools]),
        verdict=evidence.verdict,
        runs=evidence.replications,
        requests=evidence.requests,
        tried=tried,
    )


def _worst(estimates: list[Estimate]) -> Estimate:
    return max(estimates, key=lambda one: one.value or 0.0)
