"""Follow a job that another process is at work on, until it ends."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from fleettui.domain.job import Job
from fleettui.domain.plan import Answer
from fleettui.domain.progress import Progress
from fleettui.errors import Interrupted
from fleettui.planning.make_plan import Begun
from fleettui.planning.worker_process import Report

if TYPE_CHECKING:
    from store import Store

LOOK = 0.5
"""Seconds between two looks at how far it is."""


async def follow_job(store: Store, ref: str, *, report: Report | None = None, begun: Begun | None = None) -> Answer:
    """Return the answer of a job's plan once the job is done, as `end_of_job` waits for it.

    `begun` is told of the plan and the job.
    """
    job = store.job(ref)
    if begun:
        begun(store.plan(job.plan), job)
    await end_of_job(store, job, report=report)
    return store.plan(job.plan)


async def end_of_job(store: Store, job: Job, *, report: Report | None = None) -> Job:
    """Return a job once it is done; who is at work on it is not disturbed, and `report` is told how far it is.

    Raises Interrupted, saying what goes on with it, where it ended without being done.
    """
    while job.state == "running":
        if report:
            report(Progress(message=job.message or job.title, done=job.done, total=job.total))
        await asyncio.sleep(LOOK)
        job = store.job(job.id)
    if job.state != "done":
        raise Interrupted(f"job {job.handle} {job.state}; to go on: fleettui jobs resume {job.handle}")
    return job


def job_elsewhere(store: Store, plan: str) -> Job | None:
    """Return the job that will finish the plan with this id, None unless another process is at work on it."""
    from store.job_owner import present

    job = store.first_job(plan)
    return job if job is not None and job.state == "running" and job.owner != present() else None
