"""What a verification hands to its tasks, and what it gets back before it simulates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from fleettui.domain.demand import DerivedDemand
from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import encode
from fleettui.domain.simulation import PoolLength
from fleettui.domain.workload import Workload

if TYPE_CHECKING:
    from fleettui.planning.studies.study_context import StudyContext
    from fleettui.planning.worker_pool import WorkerPool

SHORTER, FEWEST = 4, 2_500
"""A look's runs measure so many times fewer requests than a proof's, after the same warm-up, but at least these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneSource:
    """What a worker makes a scene of; `key` tells one scene from another.

    `workload` and `profiles` are JSON text: they are long, go with every task, and are read only by a worker that lacks
    the scene. Hardware that is not among the profiles is the catalogue's.
    """

    key: str
    question: Question
    workload: str
    profiles: str
    pairing: str
    rate: float

    @classmethod
    def of(
        cls,
        question: Question,
        workload: Workload,
        demand: DerivedDemand,
        key: str,
        profiles: tuple[Profile, ...] = (),
    ) -> Self:
        """Return the source of a plan's scene; `key` tells one plan from another.

        A finished plan may have another demand than it had before, and a worker may hold the scene of that.
        """
        return cls(
            key=f"{key} {demand.pairing} {demand.rate!r} {question.confidence!r}",
            question=question,
            workload=encode(Workload, workload),
            profiles=encode(tuple[Profile, ...], profiles),
            pairing=demand.pairing,
            rate=demand.rate,
        )

    def at(self, rate: float) -> Self:
        """Return the source of the same scene at another rate, in requests/s."""
        return replace(self, key=f"{self.key} at {rate!r}", rate=rate)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedFleet:
    """A fleet as the formulas see it, how long it must be simulated, and the demand where that is the fleet's own.

    `look` is the length of a short run, `utilization` that of each pool. `unstable` says why no length would do, empty
    where one does; `reasons` and `warnings` are what a reader should know of the fleet itself.
    """

    candidate: Candidate
    lengths: tuple[PoolLength, ...]
    look: tuple[PoolLength, ...]
    utilization: tuple[float, ...]
    unstable: str
    demand: DerivedDemand | None
    reasons: tuple[str, ...]
    warnings: tuple[str, ...]


async def prepared(
    workers: WorkerPool | StudyContext, source: SceneSource, fleet: Fleet, sizes: Sequence[int] | None = None
) -> PreparedFleet:
    """Return `fleet` in a scene, as large as it is or with so many replicas in each pool, by the formulas."""
    own = [pool.replicas for pool in fleet.pools] if sizes is None else sizes
    return await workers.run("verification-stage", PreparedFleet, source=source, fleet=fleet, sizes=own)


def shortened(stage: PreparedFleet, times: int = SHORTER) -> PreparedFleet:
    """Return a fleet to be simulated for as long as tells whether it holds, not for a narrow interval."""
    return replace(
        stage,
        lengths=tuple(
            replace(one, measured=min(one.measured, max(FEWEST, one.measured // times))) for one in stage.lengths
        ),
    )
