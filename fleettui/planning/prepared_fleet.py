"""What a verification hands to its tasks, and what it gets back before it simulates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import DerivedDemand, Question
from fleettui.domain.serialization import encode
from fleettui.domain.simulation import PoolLength
from fleettui.domain.workload import Workload


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
            key=f"{key} {demand.pairing} {demand.rate!r}",
            question=question,
            workload=encode(Workload, workload),
            profiles=encode(tuple[Profile, ...], profiles),
            pairing=demand.pairing,
            rate=demand.rate,
        )


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
