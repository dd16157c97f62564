"""What the question of a kept plan trades for what, by formula: the best for each objective and the front; kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.domain.pareto import Tradeoff
from fleettui.domain.serialization import from_plain, to_plain
from fleettui.domain.study import Study
from fleettui.errors import InputError
from fleettui.planning.prove import scene_payload
from fleettui.planning.worker_pool import WorkerPool, borrowed
from fleettui.planning.worker_process import Report
from fleettui.reports.studies.pareto import pareto_study

if TYPE_CHECKING:
    from store import Store


async def pareto(store: Store, ref: str, *, report: Report | None = None, pool: WorkerPool | None = None) -> Study:
    """Return what the question of the plan that `ref` names trades for what, kept.

    Raises InputError for a plan of the papers' preset, and where no fleet holds by formula.
    """
    plan = store.plan(ref)
    scenario = store.scenario(plan.plan.id)  # not of `ref`: `last` may be another by now
    question = scenario.question
    if question.preset == "paper":
        raise InputError(
            "a plan with the papers' constants has no trade-off: there, prompts cost no time",
            value=ref,
            accepted="a plan of preset recommended",
        )
    searched = bool(question.gpus or plan.excluded) or len(plan.candidates) > 1
    kept = [store.profile(key) for key in scenario.profiles] if searched else []
    workload = store.workload(scenario.workload)
    payload = scene_payload(question, workload, plan.demand, key=f"pareto {plan.plan.id}")
    async with borrowed(pool) as workers:
        found = await workers.run("pareto", payload | {"profiles": to_plain(tuple(kept))}, report)
    tradeoff = from_plain(Tradeoff, found["tradeoff"])
    if not tradeoff.front:
        raise InputError(
            "by formula no fleet holds every limit, so there is nothing to choose from",
            value=ref,
            remedy=f"fleettui why {plan.plan.handle} says by how much",
        )
    return store.add_study(pareto_study(plan, question, f"pareto {plan.plan.handle}", tradeoff))
