"""Answer a kept question from what the store holds of it: its lengths, its hardware, and the fleet where one was given.

Nothing comes from the trace's file or from today's catalogue.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import chain, count, takewhile
from typing import TYPE_CHECKING, Self

from fleettui.domain.anchor import Anchor
from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import ENGINE_VERSION, Answer, Candidate, Verdict
from fleettui.domain.provenance import Provenance
from fleettui.domain.replica import ReplicaKey
from fleettui.domain.scenario import Question
from fleettui.domain.whatif import Outcome
from fleettui.domain.workload import Workload
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import Report

if TYPE_CHECKING:
    from store import Store


ROUNDING = 1e-9
PAGE = 200
HARDWARE, LENGTHS = "hardware", "lengths"
"""What a kept plan rests on that may be another today."""


def key_of(profile: Profile) -> tuple[object, ...]:
    """Return what a question chooses of kept hardware; profiles that differ in it are not the same hardware."""
    step = profile.step
    return *profile.replica_key, type(step), step.overhead, profile.sequences


@dataclass(frozen=True, slots=True, kw_only=True)
class FormulaInputs:
    """What the formulas are asked: the fleet for a question, or whether the `fleet` that was given holds it.

    They are corrected by what simulations showed of replicas of a kind, the `anchors`. Fleets are of the `gpus` alone
    where the question has any of these.
    """

    question: Question
    workload: Workload
    fleet: Fleet | None
    profiles: tuple[Profile, ...]
    anchors: tuple[tuple[ReplicaKey, Anchor], ...] = ()
    gpus: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FormulaAnswer:
    """What today's formulas say of a kept plan, on which hardware and for the lengths of which digest."""

    outcome: Outcome
    profiles: tuple[Profile, ...]
    workload: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedPlan(KeptPlan):
    """A finished plan, and the `formula`'s fleet, which a simulation may have moved; None where it found none.

    `given` where its fleet was not searched for alone: it was written down, or chosen `together` with others.
    """

    formula: Candidate | None = None
    given: bool = False
    together: bool = False

    @property
    def inputs(self) -> FormulaInputs:
        """What it was made of, with the fleet where one was given."""
        fleet = self.formula.fleet if self.given and self.formula is not None else None
        return FormulaInputs(question=self.question, workload=self.workload, fleet=fleet, profiles=self.profiles)

    @property
    def then(self) -> Outcome:
        """What the formulas said when it was made."""
        if self.formula is None:
            return Outcome.of(replace(self.answer, answer=None, verdict="infeasible"))
        if self.given:
            verdict = verdict_of(self.formula, self.scenario.question)
        elif self.formula is self.answer.answer:
            verdict = self.answer.verdict
        else:
            verdict = "pass"
        return Outcome.of(replace(self.answer, answer=self.formula, verdict=verdict))

    @classmethod
    def get(cls, store: Store, ref: str, joint: Collection[str] | None = None) -> Self:
        """Return the plan that `ref` names; raises InputError when there is none, or it is not finished.

        `joint` are the handles of the plans that were chosen together, looked up where they are not given.
        """
        found = cls.of(store, ref)
        found.check_finished()
        answer, job = found.answer, store.first_job(found.id)
        walked = job is not None and job.kind != "verify"
        together = found.handle in (chosen_together(store) if joint is None else joint)
        given = together or was_given(store, found.id)
        first = _by_formula(answer) if walked else answer.answer
        return replace(
            found,
            formula=first if first is None or given or not first.shortfalls else None,
            given=given,
            together=together,
        )


def chosen_together(store: Store) -> frozenset[str]:
    """Return the handles of the plans whose fleets a joint plan chose for all its workloads together."""
    found: set[str] = set()
    pages = (store.studies(PAGE, offset=start, kind="joint") for start in count(0, PAGE))
    for study in chain.from_iterable(takewhile(bool, pages)):
        for table in study.tables:
            places = [place for place, column in enumerate(table.columns) if column.name == "plan"]
            found.update(str(row[place]) for row in table.rows for place in places)
    return frozenset(found)


def was_given(store: Store, plan: str) -> bool:
    """Return whether the fleet of the plan with this id was written down by somebody, and simulated as it is."""
    job = store.first_job(plan)
    return job is not None and job.kind == "simulate"


def verdict_of(fleet: Candidate, question: Question) -> Verdict:
    """Return whether the formulas find that a fleet which somebody gave holds every limit."""
    slow = any(pool.at(limit) > limit.seconds for pool in fleet.pools for limit in question.slo.limits())
    busy = any(pool.utilization > question.max_utilization * (1 + ROUNDING) for pool in fleet.pools)
    return "fail" if slow or busy or fleet.shortfalls else "pass"


def _by_formula(answer: Answer) -> Candidate | None:
    """Return the fleet that the formulas chose before a simulation moved it: the first that was kept, by its id.

    It need not be the cheapest: what is known too little of hardware to choose it is kept after it.
    """
    kept = (*answer.candidates, *([] if answer.answer is None else [answer.answer]))
    return min(kept, key=lambda one: one.candidate, default=None)


async def formula_again(kept: FinishedPlan, workers: WorkerPool, report: Report | None = None) -> NewPlan:
    """Return what the formulas of today say to a kept plan's inputs, ready to be kept itself."""
    assert not kept.given or kept.formula is not None, "a fleet that was given is there"
    answer, provenance = await workers.run("kept_answer-plan", tuple[Answer, Provenance], report, inputs=kept.inputs)
    return NewPlan(
        answer=answer,
        scenario=replace(kept.scenario, engine_version=ENGINE_VERSION, rate=answer.demand.rate),
        provenance=provenance,
        workload=kept.workload,
        profiles=kept.profiles,
    )
