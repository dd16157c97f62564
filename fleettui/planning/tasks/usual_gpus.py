"""The task `usual_gpus`: what the usual GPUs come to by formula where a question names others and no fleet holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.remedy import usual_gpus_would_do
from fleettui.domain.scenario import Question
from fleettui.domain.seen_fleets import by_replica, make_of
from fleettui.domain.workload import Workload
from fleettui.errors import InputError
from fleettui.optimize.reasons import choices
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.recorded_arrivals import with_record
from fleettui.planning.tasks.why import FormulaAsker


def run(
    context: Context,
    *,
    question: Question,
    workload: Workload,
    rate: float = 1.0,
    seen: Sequence[Candidate] = (),
    most: int = 1,
) -> list[Candidate]:
    """Return fleets of the usual GPUs that would do instead of those that a question names, the best one first.

    There are `most` of unlike makes at most, those of which much less is known than of the best last.

    Fleets that were `seen` at a rate in requests/s correct the formulas. There is none where the question names none,
    or where they would not do. How sure a fleet is to be is not told by this formula.
    """
    usual = choices.usual_gpus(question)
    if usual is None or question.confidence is not None or question.preset == "paper":
        return []
    asker = FormulaAsker(
        question=question,
        workload=workload,
        profiles=(),
        pairings=(),
        rate=None,
        check=context.check,
        anchors=by_replica(seen, question, rate),
    )
    try:
        answer = (asker.alone if most == 1 else asker.find)(with_record(usual.question, workload))
    except InputError:  # no GPU of the usual ones serves it
        return []
    best = answer.answer
    if best is None:
        return []
    holding = [one for one in answer.candidates if not one.shortfalls]
    makes: dict[Fleet, Candidate] = {}
    for one in (best, *sorted(holding, key=lambda one: question.sets_aside(one, best))):
        makes.setdefault(make_of(one), one)
    return [*makes.values()][:most]


def told(answer: Answer, question: Question, workload: Workload, context: Context) -> Answer:
    """Return the answer of a plan by formula alone, which says so where it has no fleet."""
    if answer.answer is not None or question.verify:
        return answer
    usual = run(context, question=question, workload=workload)
    return replace(answer, why=(*answer.why, *(usual_gpus_would_do(question.gpus, one) for one in usual)))
