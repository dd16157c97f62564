"""Make a plan: a question goes to a worker, its answer and everything that the answer rests on to the store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from fleettui.domain.digest import digest
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import ENGINE_VERSION, Answer
from fleettui.domain.scenario import Provenance, Question, Scenario
from fleettui.domain.wire import from_plain, to_plain
from fleettui.domain.workload import Workload
from fleettui.planning.pool import WorkerPool, borrowed
from fleettui.planning.process import Report

if TYPE_CHECKING:
    from store import Store


async def make_plan(
    question: Question,
    *,
    store: Store | Callable[[], Store],
    report: Report | None = None,
    pool: WorkerPool | None = None,
    trace_format: str | None = None,
) -> Answer:
    """Return the answer to `question` as it is now stored in `store`, an infeasible one too.

    A function as `store` is called once there is an answer to keep, its libraries loaded meanwhile; closing it stays
    with the caller. `report` is told of progress; `pool` is used where given, otherwise one worker is started.
    `trace_format` forces the reader of a trace. Raises InputError for a question that cannot be answered, and nothing
    is opened or stored then.
    """
    payload = {"question": to_plain(question), "format": trace_format}
    async with borrowed(pool) as workers:
        loading = asyncio.to_thread(import_module, "store.store")
        found, _ = await asyncio.gather(workers.run("plan", payload, report), loading)
    question = from_plain(Question, to_plain(question))  # 100 and 100.0 are one question with one digest
    answer = from_plain(Answer, found["answer"])
    workload = from_plain(Workload, found["workload"])
    profiles = from_plain(tuple[Profile, ...], found["profiles"])
    provenance = from_plain(Provenance, found["provenance"])
    scenario = Scenario(
        question=question,
        workload=digest(workload),
        profiles=tuple(digest(profile) for profile in profiles),
        rate=answer.demand.rate,
        engine_version=ENGINE_VERSION,
    )
    kept = store() if callable(store) else store
    return kept.add_plan(answer, scenario=scenario, provenance=provenance, workload=workload, profiles=profiles)
