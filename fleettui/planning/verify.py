"""Add proof to a stored candidate: more replications, or those of another root seed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.job import Job
from fleettui.domain.plan import ENGINE_VERSION, Answer
from fleettui.errors import InputError
from fleettui.planning.make_plan import Begun
from fleettui.planning.run_job import another_engine, work_on
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import Report

if TYPE_CHECKING:
    from store import Store


async def verify(
    store: Store,
    ref: str,
    *,
    precision: float | None = None,
    seed: int | None = None,
    report: Report | None = None,
    pool: WorkerPool | None = None,
    begun: Begun | None = None,
) -> Answer:
    """Return the candidate that `ref` names, or the answer of the plan, with new evidence, which is kept.

    Replications of the same seed that are stored already count; `precision` and `seed` are the question's unless
    given. `begun` is told of the plan and the job. Raises InputError when there is nothing to simulate.
    """
    candidate = store.candidate(ref)
    plan = store.plan_of(candidate.candidate)
    kept = store.question(plan)
    question = replace(
        kept,
        seed=kept.seed if seed is None else seed,
        precision=kept.precision if precision is None else precision,
    )
    if question.preset == "paper":
        raise InputError(
            "a plan with the papers' constants cannot be simulated: their prompts cost no time",
            value=ref,
            accepted="a plan of preset recommended",
        )
    made = store.plan(plan)
    if made.plan.engine_version != ENGINE_VERSION and store.replications(candidate.candidate, question.seed):
        raise another_engine(made.plan)
    job = store.create_job(
        Job(
            id="",
            handle="",
            kind="verify",
            title=f"verify {candidate.handle}",
            state="running",
            plan=plan,
            candidate=candidate.candidate,
            seed=question.seed,
            precision=question.precision,
        )
    )
    if begun:
        begun(made, job)
    return await work_on(store, job, report=report, pool=pool)
