"""Answer a question anew and hold it to what it may cost, and to a plan that is kept.

`reports.check_text.Checked.holds` says whether it does; the command ends with 3 where not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.plan import PlanIdentity
from fleettui.domain.plan_inputs import Size
from fleettui.domain.scenario import Question
from fleettui.planning.kept_inputs import FinishedPlan
from fleettui.planning.make_plan import make_plan
from fleettui.planning.plan_files import inputs_of, is_plan_file, read_plan
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

    A name that a plan bears already stays that plan's alone. `max_cost` is US dollars an hour; `against` names the plan
    whose GPUs and cost it may not exceed: a stored one, of which it becomes a child, or a file that holds one as data.
    Raises InputError for a question that cannot be answered, and when there is no such plan.
    """
    filed = read_plan(against) if is_plan_file(against) else None
    kept = FinishedPlan.get(store, against) if against and filed is None else None
    if store.is_taken(question.name):
        question = replace(question, name="")  # the name stays with the plan that it names every night
    parent = "" if kept is None else kept.id
    answer = await make_plan(question, store=store, report=report, pool=pool, parent=parent)
    new = FinishedPlan.get(store, answer.plan.id)
    checked = Checked(answer=answer, question=new.question, max_cost=max_cost)
    if filed is not None:
        sizes = Size.of(filed.answer.answer), filed.inputs.formula
        engines = filed.answer.plan.engine_version, answer.plan.engine_version
        changes = input_changes.between_inputs(filed.inputs, inputs_of(store, answer.plan.id), engines)
        pair = _pair(filed.answer.plan, sizes, new, against)
    elif kept is not None:
        changes = input_changes.between(kept.scenario, new.scenario, kept.profiles, new.profiles)
        pair = _pair(kept.answer.plan, (Size.of(kept.answer.answer), Size.chosen(kept.formula)), new)
    else:
        return checked
    return replace(checked, against=pair, changes=tuple(changes))


def _pair(plan: PlanIdentity, sizes: tuple[Size | None, Size | None], new: FinishedPlan, file: str = "") -> Pair:
    """Return the two fleets as they were seen in the same way; by formula where only one was simulated.

    `sizes` are the baseline's as it is, and by formula; `file` is where it was read from.
    """
    (before, formula), after = sizes, Size.of(new.answer.answer)
    if before is None or after is None or before.method == after.method:
        return Pair(plan=plan, before=before, after=after, file=file)
    proven, which = (before, "the stored plan") if before.method == "simulation" else (after, "the new one")
    return Pair(
        plan=plan,
        before=formula,
        after=Size.chosen(new.formula),
        note=f"held to each other by formula: only {which} is simulated, to {proven.gpus} GPUs",
        file=file,
    )
