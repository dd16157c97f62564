"""Answer a question anew and hold it to what it may cost, and to a plan that is kept.

`reports.check_text.Checked.holds` says whether it does; the command ends with 3 where not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.planning.given_again import judged
from fleettui.planning.kept_inputs import FinishedPlan
from fleettui.planning.make_plan import make_plan
from fleettui.planning.plan_files import inputs_of, is_plan_file, read_plan
from fleettui.planning.seen_alike import SeenAlike
from fleettui.planning.studies.study_context import StudyContext
from fleettui.planning.worker_pool import WorkerPool, borrowed
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

    A baseline's fleet of which today's search kept no simulation is simulated for itself where the answer is, and kept
    as a plan. A name that a plan bears already stays that plan's alone. `max_cost` is US dollars an hour; `against`
    names the plan whose GPUs and cost it may not exceed: a stored one, of which it becomes a child, or a file that
    holds one as data.
    Raises InputError for a question that cannot be answered, and when there is no such plan.
    """
    filed = read_plan(against) if is_plan_file(against) else None
    kept = FinishedPlan.get(store, against) if against and filed is None else None
    if store.is_taken(question.name):
        question = replace(question, name="")  # the name stays with the plan that it names every night
    parent = "" if kept is None else kept.id
    async with borrowed(pool) as workers:
        answer = await make_plan(question, store=store, report=report, pool=workers, parent=parent)
        new = FinishedPlan.get(store, answer.plan.id)
        checked = Checked(answer=answer, question=new.question, max_cost=max_cost)
        if filed is not None:
            engines = filed.answer.plan.engine_version, answer.plan.engine_version
            found = input_changes.between_inputs(filed.inputs, inputs_of(store, answer.plan.id), engines)
            alike = SeenAlike(workers=workers, changes=tuple(found), report=report)
            pair = _with_fleet(await alike.beside_filed(filed, new, against), filed.answer)
        elif kept is not None:
            found = input_changes.between(kept.scenario, new.scenario, kept.profiles, new.profiles)
            alike = SeenAlike(workers=workers, changes=tuple(found), report=report)
            pair = _with_fleet(await alike.beside_kept(kept, new), kept.answer)
        else:
            return checked
        checked = replace(checked, against=pair, changes=alike.changes)
        if pair.fleet is None or checked.moved is None or checked.moved.verdict or answer.simulation is None:
            return checked
        seen = await judged(StudyContext(store, workers, report), pair.fleet, new)
        return replace(checked, against=replace(pair, judged=seen))


def _with_fleet(pair: Pair, baseline: Answer) -> Pair:
    """Return a pair with the fleet that the baseline answered with."""
    return replace(pair, fleet=None if baseline.answer is None else baseline.answer.fleet)
