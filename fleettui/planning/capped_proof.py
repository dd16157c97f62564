"""Simulate a fleet whose GPUs are capped, and keep nothing of it: whether a cap holds, before a plan rests on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import LEAST_RUNS, Evidence
from fleettui.domain.power_levels import CappedFleet
from fleettui.domain.serialization import encode
from fleettui.domain.simulation import PoolLength, Replication
from fleettui.planning.prepared_fleet import SceneSource, prepared
from fleettui.planning.rounds import Rounds, takes_minutes
from fleettui.planning.worker_pool import WorkerPool


@dataclass(frozen=True, slots=True, kw_only=True)
class CappedProof:
    """Workers that simulate fleets of the scene `source`, whose GPUs have no cap; `tell` hears how far they are."""

    workers: WorkerPool
    source: SceneSource
    seed: int
    tell: Callable[[str, int, int], None]

    async def evidence(self, fleet: Fleet, share: float) -> tuple[Evidence | None, str]:
        """Return the evidence on `fleet` with GPUs capped at `share` of their limit, or None and why there is none."""
        under = await self.workers.run("power-fleet", CappedFleet, source=self.source, fleet=fleet, share=share)
        source = self._capped(under, share)
        stage = await prepared(self.workers, source, under.fleet)
        if stage.unstable:
            return None, stage.unstable
        if takes_minutes(stage):
            return None, "simulating it would take minutes"
        rounds = Rounds(
            workers=self.workers,
            source=source,
            seed=self.seed,
            precision=source.question.precision,
            most=LEAST_RUNS,
        )
        run = partial(self._replicate, source, stage.candidate.fleet)
        words = f"simulating at {share:.0%} of the GPUs' limits"
        return await rounds.evidence(stage, run, {}, partial(self.tell, words)), ""

    def _capped(self, under: CappedFleet, share: float) -> SceneSource:
        """Return the scene with the hardware that a cap makes of the fleet's."""
        hardware = sorted(one.name for one in under.profiles)
        return replace(
            self.source,
            key=f"{self.source.key} capped {share} {' '.join(hardware)}",
            profiles=encode(tuple[Profile, ...], under.profiles),
        )

    async def _replicate(
        self, source: SceneSource, fleet: Fleet, lengths: tuple[PoolLength, ...], index: int
    ) -> Replication:
        return await self.workers.run(
            "verification-replicate",
            Replication,
            source=source,
            fleet=fleet,
            lengths=lengths,
            seed=self.seed,
            index=index,
            bare=True,
        )
