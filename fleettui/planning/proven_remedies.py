"""Limits that would do where no fleet keeps them, corrected by what the fleets at them are simulated to take."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fleettui.domain.anchor import NOTHING_SEEN
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Candidate
from fleettui.domain.progress import Progress
from fleettui.domain.remedy import BY_FORMULA, SIMULATED, broken_alone, remedy, without_constraints
from fleettui.domain.scenario import Question
from fleettui.planning.fleet_limits import FleetLimits, can_be_told
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedies:
    """Workers that try what would help a plan that found no fleet, `new`; `report` is told of progress."""

    new: NewPlan
    workers: WorkerPool
    report: Report | None

    @property
    def question(self) -> Question:
        """What no fleet answers."""
        return self.new.scenario.question

    async def told(self, reason: str, nearest: Candidate) -> str:
        """Return the remedy of one constraint as simulated, where its `nearest` fleet could be, else the `reason`."""
        broken = broken_alone(nearest, self.question)
        if broken is None or not reason.endswith(BY_FORMULA):
            return reason
        limits = self._limits(nearest)
        found, _ = await limits.smallest()
        if found is None:
            return reason
        sizes = tuple(pool.replicas for pool in found.fleet.pools)
        now = broken_alone(found, self.question)
        if now is None or now[0] != broken[0] or not any(one.holds and one.sizes == sizes for one in limits.looks):
            return reason
        return remedy(*now, found, SIMULATED)

    def _limits(self, nearest: Candidate) -> FleetLimits:
        asked, new = without_constraints(self.question), self.new
        key = f"{new.scenario.workload} {asked} remedies"
        return FleetLimits(
            workers=self.workers,
            source=SceneSource.of(asked, new.workload, new.answer.demand, key, new.profiles),
            fleet=nearest,
            seed=asked.seed,
            precision=asked.precision,
            known=(NOTHING_SEEN,) * len(nearest.pools),
            purpose="looser limit",
            tell=self._tell,
        )

    def _tell(self, words: str, done: int, wanted: int) -> None:
        if self.report is not None:
            self.report(Progress(message=words, done=done, total=wanted))


async def with_proven_remedies(new: NewPlan, workers: WorkerPool, report: Report | None) -> NewPlan:
    """Return a plan that found no fleet, with its remedies as simulated where they can be.

    The make of fleet that is nearest by formula is simulated at the fewest replicas that hold every latency. Where that
    would take long the remedy stays the formulas'; so it does where whole nodes are paid for, and in a closed loop.
    """
    question, answer = new.scenario.question, new.answer
    wished = question.verify and answer.verdict == "infeasible" and question.confidence is None
    if not wished or question.whole_nodes or not can_be_told(question):
        return new
    tried, pairs = Remedies(new=new, workers=workers, report=report), zip(answer.why, answer.candidates, strict=False)
    told = [await tried.told(reason, nearest) for reason, nearest in pairs]
    return replace(new, answer=replace(answer, why=(*told, *answer.why[len(told) :])))
