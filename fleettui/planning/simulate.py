"""Simulate a fleet that somebody wrote down, under a question's traffic, and keep what it showed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.fleet import FleetSketch
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.planning.make_plan import Begun, begin
from fleettui.planning.run_job import work_on
from fleettui.planning.store_meanwhile import opened_meanwhile
from fleettui.planning.worker_pool import WorkerPool, borrowed
from fleettui.planning.worker_process import Report

if TYPE_CHECKING:
    from collections.abc import Callable

    from store import Store


async def simulate(
    sketch: FleetSketch,
    question: Question,
    *,
    store: Store | Callable[[], Store],
    report: Report | None = None,
    pool: WorkerPool | None = None,
    trace_format: str | None = None,
    begun: Begun | None = None,
    differences: tuple[str, ...] = (),
) -> Answer:
    """Return what simulation shows of the fleet `sketch`: its verdict by the question's limits, and the evidence.

    It is kept as a plan with one candidate. `store`, `report`, `pool`, `trace_format` and `begun` are those of
    `make_plan`; `differences` are warnings that are kept with it. Raises InputError for a fleet or question that cannot
    be, and nothing is stored then.
    """
    async with borrowed(pool) as workers:
        work = workers.run("simulate", NewPlan, report, sketch=sketch, question=question, format=trace_format)
        kept, new = await opened_meanwhile(store, work)
        job = begin(kept, with_warnings(new, differences), kind="simulate", begun=begun)
        return await work_on(kept, job, report=report, pool=workers)


def with_warnings(new: NewPlan, warnings: tuple[str, ...]) -> NewPlan:
    """Return a plan whose answer has these `warnings` before its own."""
    return replace(new, answer=replace(new.answer, warnings=(*warnings, *new.answer.warnings)))
