"""One kept plan's fleet under several schedulers, which all meet the same requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import LEAST_RUNS, Candidate
from fleettui.domain.schedulers import Scheduled, ScheduledRun
from fleettui.domain.simulation import PoolLength
from fleettui.planning.prepared_fleet import SceneSource, prepared
from fleettui.scheduling import SCHEDULERS

if TYPE_CHECKING:
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.studies.study_context import StudyContext


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulerTrials:
    """The fleet of a kept plan under any scheduler, at its own size."""

    desk: StudyContext
    kept: KeptPlan
    best: Candidate

    @property
    def source(self) -> SceneSource:
        """The plan's scene, in which fleets are simulated: each says its scheduler itself."""
        return self.kept.source(f"schedulers {self.kept.id}", self.kept.profiles)

    def fleet(self, name: str) -> Fleet:
        """Return the plan's fleet under a scheduler."""
        return replace(self.best.fleet, admission=name)

    async def that_apply(self, only: Sequence[str]) -> tuple[str, ...]:
        """Return the plan's scheduler and those of `only`, or all that can serve the plan.

        One that keeps blocks for whole contexts has other places in another fleet, and is played only as the plan's
        own. Raises InputError for one that is named and cannot serve it.
        """
        own = self.best.fleet.admission
        others = [one.name for one in SCHEDULERS if one.name != own and not one.reserves]
        wanted = [name for name in only if name != own] if only else others
        found = await self.desk.run(
            "scheduler-applies", tuple[str, ...], source=self.source, names=tuple(wanted), required=bool(only)
        )
        return tuple(name for name in SCHEDULERS.names if name == own or name in found)

    async def played(self, names: Sequence[str]) -> tuple[Scheduled, ...]:
        """Return what each scheduler does on the plan's fleet, over the same LEAST_RUNS runs of the same requests."""
        stages = [await prepared(self.desk, self.source, self.fleet(name)) for name in names]
        lengths = tuple(
            max(pool, key=lambda one: one.requests) for pool in zip(*(one.lengths for one in stages), strict=True)
        )
        work = [self._run(name, lengths, index) for name in names for index in range(LEAST_RUNS)]
        found = await self.desk.each(work, f"simulating {len(names)} schedulers")
        return await self.desk.run(
            "scheduler",
            tuple[Scheduled, ...],
            names=tuple(names),
            runs=[found[at : at + LEAST_RUNS] for at in range(0, len(found), LEAST_RUNS)],
            unstable=[stage.unstable for stage in stages],
            own=self.best.fleet.admission,
        )

    async def _run(self, name: str, lengths: tuple[PoolLength, ...], index: int) -> ScheduledRun:
        return await self.desk.run(
            "scheduler-replicate",
            ScheduledRun,
            source=self.source,
            fleet=self.fleet(name),
            lengths=lengths,
            seed=self.kept.answer.plan.seed,
            index=index,
        )
