"""Go on with a job that was left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.domain.plan import ENGINE_VERSION, Answer
from fleettui.planning.make_plan import Begun
from fleettui.planning.run_job import another_engine, work_on
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import Report

if TYPE_CHECKING:
    from store import Store


async def resume_job(
    store: Store,
    ref: str,
    *,
    report: Report | None = None,
    pool: WorkerPool | None = None,
    begun: Begun | None = None,
) -> Answer:
    """Go on with a job that was stopped, cancelled or failed, and return its answer.

    What is stored of it is not computed again. `begun` is told of the plan and the job once the job is ours. Raises
    InputError when it is done, at work elsewhere, or begun by another engine, whose replications must not be mixed
    with ours.
    """
    job = store.job(ref)
    plan = store.plan(job.plan)
    if job.state not in ("running", "done") and plan.plan.engine_version != ENGINE_VERSION:
        raise another_engine(plan.plan)
    from store.job_owner import present

    claimed = store.claim_job(job.id, present())
    if begun:
        begun(plan, claimed)
    return await work_on(store, claimed, report=report, pool=pool)
