"""Answer a question anew and hold it to what it may cost, and to a plan that is kept.

`reports.check_text.Checked.holds` says whether it does; the command ends with 3 where not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.scenario import Question
from fleettui.planning.kept_inputs import FinishedPlan
from fleettui.planning.make_plan import make_plan
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import Report
from fleettui.reports import input_changes
from fleettui.reports.check_text import Checked, Pair

if TYPE_CHECKING:
    from store import Store


async def check(
    question: Question,
    *,
    store: Store,
    against: str = "",
    max_cost: float | None = None,
    report: Report | None = None,
    pool: WorkerPool | None = None,
) -> Checked:
    """Return the answer to `question` as it is today, kept as a plan, and whether it still holds.

    `max_cost` is US dollars an hour; `against` names the stored plan whose GPUs and cost it may not exceed, of which
    it becomes a child, leaving it a name that both would have. Raises InputError for a question that cannot be
    answered, and when there is no such plan.
    """
    kept = FinishedPlan.get(store, against) if against else None
    parent = "" if kept is None else kept.id
    if kept is not None and kept.answer.plan.name == question.name:
        question = replace(question, name="")  # the name stays with the plan that it names every night
    answer = await make_plan(question, store=store, report=report, pool=pool, parent=parent)
    if kept is None:
        return Checked(answer=answer, max_cost=max_cost)
    new = FinishedPlan.get(store, answer.plan.id)
    found = input_changes.between(kept.scenario, new.scenario, kept.profiles, new.profiles)
    return Checked(answer=answer, max_cost=max_cost, against=_pair(kept, new), changes=tuple(found))


def _pair(kept: FinishedPlan, new: FinishedPlan) -> Pair:
    """Return the two fleets as they were seen in the same way; by formula where only one was simulated."""
    before, after = kept.answer.answer, new.answer.answer
    seen = [one.simulation is not None for one in (before, after) if one is not None]
    if len(set(seen)) < 2 or before is None or after is None:
        return Pair(plan=kept.answer.plan, before=before, after=after)
    proven, plan = (before, "the stored plan") if seen[0] else (after, "the new one")
    return Pair(
        plan=kept.answer.plan,
        before=kept.formula,
        after=new.formula,
        note=f"held to each other by formula: only {plan} is simulated, to {proven.gpus} GPUs",
    )
