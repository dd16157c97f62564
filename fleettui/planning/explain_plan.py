"""Say why a kept plan is what it is: a worker works the reasons out from what the store holds, and they are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.domain.plan import ENGINE_VERSION, was_searched
from fleettui.domain.serialization import from_plain, to_plain
from fleettui.domain.study import Study, StudyTable
from fleettui.errors import InputError
from fleettui.planning.run_job import another_engine
from fleettui.planning.worker_pool import WorkerPool, borrowed
from fleettui.planning.worker_process import Report

if TYPE_CHECKING:
    from store import Store


async def explain_plan(
    store: Store, ref: str, *, report: Report | None = None, pool: WorkerPool | None = None
) -> Study:
    """Return the reasons behind the plan that `ref` names, as they are now kept.

    Raises InputError for a plan of the papers' preset, whose formulas give no reasons, for one that another engine
    made, and for one that is still being proven.
    """
    answer = store.plan(ref)
    scenario = store.scenario(answer.plan.id)  # not of `ref`: `last` may be another by now
    question = scenario.question
    if question.preset == "paper":
        raise InputError(
            "a plan with the papers' constants has no reasons of its own: their prompts cost no time",
            value=ref,
            accepted="a plan of preset recommended",
        )
    if answer.plan.engine_version != ENGINE_VERSION:
        raise another_engine(answer.plan)
    if not store.is_finished(answer.plan.id):
        raise InputError(
            "it is not finished, so its answer may still change",
            where=f"plan {answer.plan.handle}",
            remedy="fleettui jobs resume last goes on with it",
        )
    payload = {
        "question": to_plain(question),
        "answer": to_plain(answer),
        "workload": to_plain(store.workload(scenario.workload)),
        "profiles": [to_plain(store.profile(key)) for key in scenario.profiles],
        "searched": was_searched(answer, question),
    }
    async with borrowed(pool) as workers:
        found = await workers.run("why", payload, report)
    study = Study(
        kind="why",
        title=f"why plan {answer.plan.handle} is what it is",
        question=f"why {answer.plan.handle}",
        plan=answer.plan.id,
        seed=answer.plan.seed,
        sentences=tuple(found["sentences"]),
        tables=from_plain(tuple[StudyTable, ...], found["tables"]),
        warnings=tuple(found["warnings"]),
    )
    return store.add_study(study)
