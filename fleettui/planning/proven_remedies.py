"""Limits that would do where no fleet keeps them, corrected by what the fleets at them are simulated to take."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from fleettui.domain.anchor import NOTHING_SEEN
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer, Candidate, Look
from fleettui.domain.progress import Progress
from fleettui.domain.provenance import Provenance
from fleettui.domain.remedy import (
    BY_FORMULA,
    MEASURED,
    SIMULATED,
    broken_alone,
    remedy,
    used_of,
    without_constraints,
)
from fleettui.domain.scenario import Question
from fleettui.planning.anchors import simulated_of
from fleettui.planning.fleet_limits import FleetLimits, can_be_told
from fleettui.planning.kept_inputs import FormulaInputs
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.make_plan import begin, is_proven
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.prove import Simulator
from fleettui.planning.run_job import work_on
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import Report

PURPOSE = "looser limit"
"""What is simulated, before each step of it."""
NOTHING_DOES = "no limit was seen that would do alone, as simulated"
"""What is said where simulations showed of every remedy by formula that it does not do."""
ROUNDING = 1e-9


@dataclass(slots=True, kw_only=True)
class Remedies:
    """Workers that try what would help a plan that found no fleet, `kept`; `report` is told of progress.

    `least` is the best fleet that was seen to hold past all its constraints. `looks` are what was simulated so far.
    """

    kept: KeptPlan
    workers: WorkerPool
    report: Report | None
    least: Candidate | None = None
    looks: list[Look] = field(default_factory=list)

    @property
    def question(self) -> Question:
        """What no fleet answers."""
        return self.kept.question

    async def told(self, reason: str, nearest: Candidate) -> str:
        """Return the remedy of one constraint as simulated, where its `nearest` fleet could be, else the `reason`.

        It is empty where simulations showed that the reason does not hold.
        """
        broken = broken_alone(nearest, self.question)
        if broken is None or not reason.endswith(BY_FORMULA):
            return reason
        name, before = broken[0], len(self.looks)
        found = await self._found(name, nearest)
        if found is None:
            return reason if len(self.looks) == before else ""
        return remedy(name, used_of(name, found, self.question), found, SIMULATED)

    async def _found(self, name: str, nearest: Candidate) -> Candidate | None:
        """Return the fleet that takes least of one constraint, None where that would take long to tell.

        Where the make of the `nearest` takes more than by formula, another may take less: then the least is searched
        for, unless it is known already.
        """
        question, looser = self.question, MEASURED.get(name)
        if looser is not None and self.least is not None and looser(question) == without_constraints(question):
            return self.least
        before = len(self.looks)
        found = await self._smallest(name, nearest)
        if len(self.looks) == before:
            return None
        if looser is not None and (found is None or self._more(name, found, nearest)):
            least = await self._least(looser(question))
            found = least if found is None or (least is not None and self._more(name, found, least)) else found
        return found

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

        kept = self.kept
        inputs = FormulaInputs(question=asked, workload=kept.workload, fleet=None, profiles=kept.profiles)
        answer, found_by = await self.workers.run("kept_answer-plan", tuple[Answer, Provenance], inputs=inputs)
        scenario = replace(kept.scenario, question=asked)
        free = NewPlan(
            answer=answer, scenario=scenario, provenance=found_by, workload=kept.workload, profiles=kept.profiles
        )
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
        asked, kept = without_constraints(self.question), self.kept
        key = f"{kept.scenario.workload} {asked} remedies"
        return FleetLimits(
            workers=self.workers,
            source=SceneSource.of(asked, kept.workload, kept.answer.demand, key, kept.profiles),
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


async def with_proven_remedies(kept: KeptPlan, prover: Simulator, least: Candidate | None = None) -> Answer:
    """Return the answer of a plan that found no fleet, with its remedies as simulated where they can be.

    The make of fleet that is nearest by formula is simulated at the fewest replicas that hold every latency; where that
    takes more than by formula, the fleet that takes least of all is searched for, unless `least`, which was seen to
    hold past all constraints, is that one. Where the first would take long the remedy stays the formulas'; so it does
    where whole nodes are paid for, and in a closed loop. What was simulated is kept with the plan.
    """
    question, answer = kept.question, kept.answer
    if question.confidence is not None or question.whole_nodes or not can_be_told(question):
        return answer
    tried = Remedies(kept=kept, workers=prover.workers, report=prover.report, least=least)
    pairs = zip(answer.why, answer.candidates, strict=False)
    told = [await tried.told(reason, nearest) for reason, nearest in pairs]
    looks = tuple(dict.fromkeys((*answer.looks, *tried.looks)))
    why = tuple(filter(None, (*told, *answer.why[len(told) :])))
    return replace(answer, why=why or (NOTHING_DOES,), looks=looks)
