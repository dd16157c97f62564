"""Limits that would do where no fleet keeps them, corrected by what the fleets at them are simulated to take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from fleettui.domain.anchor import NOTHING_SEEN
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer, Candidate, Look
from fleettui.domain.progress import Progress
from fleettui.domain.provenance import Provenance
from fleettui.domain.remedy import BY_FORMULA, SIMULATED, broken_alone, remedy, used_of, without_constraints
from fleettui.domain.scenario import Question
from fleettui.planning.anchors import simulated_of
from fleettui.planning.fleet_limits import FleetLimits, can_be_told
from fleettui.planning.kept_inputs import FormulaInputs
from fleettui.planning.make_plan import begin, is_proven
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.run_job import work_on
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import Report

MEASURED: Mapping[str, Callable[[Question], Question]] = {
    "budget": lambda asked: replace(asked, budget=None, objective="cost"),
    "power": lambda asked: replace(asked, max_power=None, objective="power"),
    "feed": lambda asked: replace(asked, max_feed=None, objective="energy"),
    "GPUs": lambda asked: replace(asked, max_total_gpus=None, objective="gpus"),
}
"""By the name of a constraint, the question without it whose answer has least of what it limits."""
PURPOSE = "looser limit"
"""What is simulated, before each step of it."""
ROUNDING = 1e-9


@dataclass(slots=True, kw_only=True)
class Remedies:
    """Workers that try what would help a plan that found no fleet, `new`; `report` is told of progress.

    `looks` are what was simulated so far.
    """

    new: NewPlan
    workers: WorkerPool
    report: Report | None
    looks: list[Look] = field(default_factory=list)

    @property
    def question(self) -> Question:
        """What no fleet answers."""
        return self.new.scenario.question

    async def told(self, reason: str, nearest: Candidate) -> str:
        """Return the remedy of one constraint as simulated, where its `nearest` fleet could be, else the `reason`.

        Where that one takes more than by formula, another may take less: then the least is searched for.
        """
        broken = broken_alone(nearest, self.question)
        if broken is None or not reason.endswith(BY_FORMULA):
            return reason
        name, before = broken[0], len(self.looks)
        found = await self._smallest(name, nearest)
        if len(self.looks) == before:
            return reason
        if name in MEASURED and (found is None or self._more(name, found, nearest)):
            least = await self._least(MEASURED[name](self.question))
            found = least if found is None or (least is not None and self._more(name, found, least)) else found
        return reason if found is None else remedy(name, used_of(name, found, self.question), found, SIMULATED)

    async def _smallest(self, name: str, nearest: Candidate) -> Candidate | None:
        """Return the smallest fleet of a make that was seen to hold, if one constraint alone keeps it from being it."""
        limits = self._limits(nearest)
        found, _ = await limits.smallest()
        self.looks += limits.looks
        if found is None:
            return None
        sizes = tuple(pool.replicas for pool in found.fleet.pools)
        now = broken_alone(found, self.question)
        is_it = now is not None and now[0] == name
        return found if is_it and any(one.holds and one.sizes == sizes for one in limits.looks) else None

    async def _least(self, asked: Question) -> Candidate | None:
        """Return the fleet that a plan of another question comes to, simulated in a store of its own; None if none."""
        from store import Store

        new, before = self.new, self.new.scenario
        inputs = FormulaInputs(question=asked, workload=new.workload, fleet=None, profiles=new.profiles)
        answer, found_by = await self.workers.run("kept_answer-plan", tuple[Answer, Provenance], inputs=inputs)
        free = replace(new, answer=answer, scenario=replace(before, question=asked), provenance=found_by)
        if not is_proven(free):
            return None
        with TemporaryDirectory() as folder, Store.open(Path(folder) / "alone.db") as scratch:
            job = begin(scratch, free, kind="plan")
            plan = await work_on(scratch, job, report=self._told, pool=self.workers, advise=False)
        self.looks += [Look(rate=plan.demand.rate, candidate=one) for one in simulated_of(plan)]
        return plan.answer if plan.verdict == "pass" else None

    def _more(self, name: str, one: Candidate, other: Candidate) -> bool:
        """Return whether one fleet uses more of a constraint than another."""
        uses = [used_of(name, fleet, self.question) for fleet in (one, other)]
        return uses[0] > uses[1] * (1.0 + ROUNDING)

    def _told(self, step: Progress) -> None:
        if self.report is not None:
            self.report(replace(step, message=f"{PURPOSE}: {step.message}"))

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
            purpose=PURPOSE,
            tell=self._tell,
        )

    def _tell(self, words: str, done: int, wanted: int) -> None:
        if self.report is not None:
            self.report(Progress(message=words, done=done, total=wanted))


async def with_proven_remedies(new: NewPlan, workers: WorkerPool, report: Report | None) -> NewPlan:
    """Return a plan that found no fleet, with its remedies as simulated where they can be.

    The make of fleet that is nearest by formula is simulated at the fewest replicas that hold every latency; where that
    takes more than by formula, the fleet that takes least of all is searched for. Where the first would take long the
    remedy stays the formulas'; so it does where whole nodes are paid for, and in a closed loop. What was simulated is
    kept with the plan.
    """
    question, answer = new.scenario.question, new.answer
    wished = question.verify and answer.verdict == "infeasible" and question.confidence is None
    if not wished or question.whole_nodes or not can_be_told(question):
        return new
    tried, pairs = Remedies(new=new, workers=workers, report=report), zip(answer.why, answer.candidates, strict=False)
    told = [await tried.told(reason, nearest) for reason, nearest in pairs]
    looks = tuple(dict.fromkeys((*answer.looks, *tried.looks)))
    return replace(new, answer=replace(answer, why=(*told, *answer.why[len(told) :]), looks=looks))
