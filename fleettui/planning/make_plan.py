"""Make a plan: a question goes to a worker, its answer and all that the answer rests on to the store, then to proof."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fleettui.domain.digest import digest
from fleettui.domain.hardware import Profile
from fleettui.domain.job import Job, JobKind
from fleettui.domain.plan import ENGINE_VERSION, Answer
from fleettui.domain.scenario import Provenance, Question, Scenario
from fleettui.domain.serialization import from_plain, to_plain
from fleettui.domain.workload import Workload
from fleettui.planning.backtest_notes import with_badges
from fleettui.planning.run_job import work_on
from fleettui.planning.worker_pool import WorkerPool, borrowed
from fleettui.planning.worker_process import Report

if TYPE_CHECKING:
    from store import Store

Begun = Callable[[Answer, Job], None]
"""Is told of an unfinished plan and of the job that will finish it, as soon as both are in the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """An answer by formula, and what the store keeps with it."""

    answer: Answer
    scenario: Scenario
    provenance: Provenance
    workload: Workload
    profiles: tuple[Profile, ...]

    @classmethod
    def of(cls, found: dict[str, Any], question: Question) -> Opened:
        """Return what a worker found for `question`."""
        answer, workload = from_plain(Answer, found["answer"]), from_plain(Workload, found["workload"])
        profiles = from_plain(tuple[Profile, ...], found["profiles"])
        scenario = Scenario(
            question=question,
            workload=digest(workload),
            profiles=tuple(digest(profile) for profile in profiles),
            rate=answer.demand.rate,
            engine_version=ENGINE_VERSION,
        )
        return cls(
            answer=answer,
            scenario=scenario,
            provenance=from_plain(Provenance, found["provenance"]),
            workload=workload,
            profiles=profiles,
        )


async def make_plan(
    question: Question,
    *,
    store: Store | Callable[[], Store],
    report: Report | None = None,
    pool: WorkerPool | None = None,
    trace_format: str | None = None,
    begun: Begun | None = None,
    parent: str = "",
) -> Answer:
    """Return the answer to `question` as it is now stored in `store`, an infeasible one too.

    Unless the question says otherwise the answer is simulated, and moved until it holds; the plan and what is finished
    of its proof are in the store from the search on. A function as `store` is called once there is an answer to
    keep, its libraries loaded meanwhile; closing it stays with the caller. `report` is told of progress; `pool` is
    used where given, otherwise one worker is started. `trace_format` forces the reader of a trace. `begun` is
    told of the plan and its job where there is something to prove; `parent` is the id of the plan that this one is a
    what-if of. Raises InputError for a question that cannot be answered, and nothing is opened or stored then.
    """
    payload = {"question": to_plain(question), "format": trace_format}
    async with borrowed(pool) as workers:
        found = await loaded(workers.run("plan", payload, report))
        # 100 and 100.0 are one question with one digest
        opened = Opened.of(found, from_plain(Question, to_plain(question)))
        kept = store() if callable(store) else store
        if not question.verify or question.preset == "paper" or opened.answer.answer is None:
            return kept.add_plan(
                with_badges(kept, opened.answer),
                scenario=opened.scenario,
                provenance=opened.provenance,
                workload=opened.workload,
                profiles=opened.profiles,
                parent=parent,
            )
        job = begin(kept, opened, kind="plan", begun=begun, parent=parent)
        return await work_on(kept, job, report=report, pool=workers)


async def loaded(work: Awaitable[dict[str, Any]]) -> dict[str, Any]:
    """Return the result of `work`; the store's libraries are loaded meanwhile."""
    loading = asyncio.to_thread(import_module, "store.store")
    found: tuple[dict[str, Any], object] = await asyncio.gather(work, loading)
    return found[0]


def begin(store: Store, opened: Opened, *, kind: JobKind, begun: Begun | None = None, parent: str = "") -> Job:
    """Store a plan that is still to be proven and return the job for it, this process at work on it; tell `begun`."""
    question = opened.scenario.question
    answer = replace(opened.answer, verdict="unproven")
    workload = opened.workload.name
    job = Job(
        id="",
        handle="",
        kind=kind,
        title=f"{kind} {question.name or workload} {question.model}",
        state="running",
        plan="",
        seed=question.seed,
        precision=question.precision,
    )
    plan, stored = store.begin_plan(
        answer,
        scenario=opened.scenario,
        provenance=opened.provenance,
        workload=opened.workload,
        profiles=opened.profiles,
        job=job,
        parent=parent,
    )
    if begun:
        begun(plan, stored)
    return stored
