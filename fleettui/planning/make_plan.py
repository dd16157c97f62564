"""Make a plan: a question goes to a worker, its answer and all that the answer rests on to the store, then to proof."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from fleettui.domain.engine_settings import SEARCHED
from fleettui.domain.job import Job, JobKind
from fleettui.domain.left_to_search import left_to_search, searches_budgets
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer
from fleettui.domain.remedy import is_constrained
from fleettui.domain.scenario import Question
from fleettui.planning.measured_shares import looked_up
from fleettui.planning.store_meanwhile import opened, opened_meanwhile
from fleettui.planning.worker_pool import WorkerPool, borrowed
from fleettui.planning.worker_process import Report

if TYPE_CHECKING:
    from fleettui.planning.searched_cap import Last
    from store import Store

Begun = Callable[[Answer, Job], None]
"""Is told of an unfinished plan and of the job that will finish it, as soon as both are in the store."""


async def make_plan(
    question: Question,
    *,
    store: Store | Callable[[], Store],
    report: Report | None = None,
    pool: WorkerPool | None = None,
    trace_format: str | None = None,
    begun: Begun | None = None,
    parent: str = "",
    last: Last | None = None,
) -> Answer:
    """Return the answer to `question` as it is now stored in `store`, an infeasible one too.

    Unless the question says otherwise the answer is simulated, and moved until it holds; the plan and what is finished
    of its proof are in the store from the search on. A function as `store` is called while the search begins; closing
    it stays with the caller. `report` is told of progress; `pool` is used where given, otherwise one worker is started.
    `trace_format` forces the reader of a trace. `begun` is told of the plan and its job where there is something to
    prove; `parent` is the id of the plan that this one is a what-if of. `last` has the last word on an answer before
    it is finished. A study that the question names is looked up first; a cap, settings or an architecture that are left
    to the search are searched for once there is a plan without the cap, or with some of them. Raises InputError for a
    question that cannot be answered, and nothing is stored then; StoreError, before the search has ended, where nothing
    can be.
    """
    question = looked_up(question, store)
    async with borrowed(pool) as workers:
        if left_to_search(question) or (last is None and searches_budgets(question)) or question.power_cap == SEARCHED:
            kept = await opened(store)
            make = partial(make_plan, store=kept, report=report, pool=workers, trace_format=trace_format, begun=begun)
            return await _searched(question, make, store=kept, workers=workers, report=report, parent=parent)
        found = workers.run("plan", NewPlan, report, question=question, format=trace_format)
        kept, new = await opened_meanwhile(store, found)
        if not is_proven(new):
            if question.verify and new.answer.answer is None:
                new = await _with_other_ways(new, store=kept, workers=workers, report=report)
            told = new if last is None else replace(new, answer=await last(new, new.answer))
            return keep(kept, told, parent=parent)
        from fleettui.planning.run_job import work_on

        job = begin(kept, new, kind="plan", begun=begun, parent=parent)
        words = None if last is None else partial(last, new)
        return await work_on(kept, job, report=report, pool=workers, last=words)


async def _with_other_ways(new: NewPlan, *, store: Store, workers: WorkerPool, report: Report | None) -> NewPlan:
    """Return a plan without a fleet with what other settings or the usual GPUs would do, simulated."""
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.prove import Simulator
    from fleettui.planning.proven_settings import with_settings
    from fleettui.planning.shown_usual_gpus import with_usual_gpus

    question = new.scenario.question
    answer = await with_usual_gpus(new.answer, question, new.workload, store=store, workers=workers, report=report)
    for nearest in answer.candidates[:1]:
        plan = KeptPlan.of_new(new, answer)
        source = plan.source(plan.id, plan.profiles)
        simulator = Simulator(store=store, workers=workers, source=source, seed=question.seed, report=report)
        answer = await with_settings(simulator, answer, (), nearest)
    return replace(new, answer=answer)


async def _searched(
    question: Question,
    make: Callable[..., Awaitable[Answer]],
    *,
    store: Store,
    workers: WorkerPool,
    report: Report | None,
    parent: str,
) -> Answer:
    """Return the answer to a question that leaves something to the search; `make` plans one that does not."""
    if left := left_to_search(question):
        from fleettui.planning.searched_architecture import plan_with_architecture
        from fleettui.planning.searched_settings import plan_with_settings
        from fleettui.planning.studies.study_context import StudyContext

        search = plan_with_architecture if "--architecture" in left else plan_with_settings
        return await search(question, make, desk=StudyContext(store, workers, report), parent=parent)
    if question.power_cap != SEARCHED:
        from fleettui.planning.searched_budgets import plan_with_budgets

        return await plan_with_budgets(question, make, parent=parent)
    from fleettui.planning.searched_cap import plan_with_cap

    return await plan_with_cap(question, make, workers=workers, report=report, parent=parent)


def is_proven(new: NewPlan) -> bool:
    """Return whether a plan asks for proof by simulation, and has a fleet that can be simulated, or may have one."""
    question, answer = new.scenario.question, new.answer
    if not question.verify or question.preset == "paper":
        return False
    return answer.answer is not None or is_constrained(answer, question)


def keep(store: Store, new: NewPlan, *, parent: str = "") -> Answer:
    """Store a plan that is finished as it is, and return its answer."""
    from fleettui.planning.backtest_notes import with_badges

    kept: Answer = store.add_plan(
        replace(new, answer=with_badges(store, new.answer, new.scenario.question)), parent=parent
    )
    return kept


def begin(
    store: Store, new: NewPlan, *, kind: JobKind, begun: Begun | None = None, parent: str = "", advise: bool = True
) -> Job:
    """Store a plan that is still to be proven and return the job for it, this process at work on it; tell `begun`.

    What other questions would take is tried where that is to `advise` somebody who asks for this plan alone.
    """
    question = new.scenario.question
    job = Job(
        id="",
        handle="",
        kind=kind,
        title=f"{kind} {question.name or new.workload.name} {question.model}",
        state="running",
        plan="",
        seed=question.seed,
        precision=question.precision,
    )
    unproven = replace(new, answer=replace(new.answer, verdict="unproven", advises=advise))
    plan, stored = store.begin_plan(unproven, job=job, parent=parent)
    if begun:
        begun(plan, stored)
    return stored
