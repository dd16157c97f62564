"""The task `usual_gpus`: what the usual GPUs come to by formula where a question names others and no fleet holds."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.plan import Answer
from fleettui.domain.remedy import is_constrained
from fleettui.domain.scenario import Question
from fleettui.domain.workload import Workload
from fleettui.errors import InputError
from fleettui.optimize.reasons import choices
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.why import FormulaAsker


def run(context: Context, *, question: Question, workload: Workload) -> str:
    """Return that the usual GPUs would do instead of those that a question names, as its reasons say it.

    Empty where it names none, or where they would not do. How sure a fleet is to be is not told by this formula.
    """
    usual = choices.usual_gpus(question)
    if usual is None or question.confidence is not None or question.preset == "paper":
        return ""
    asker = FormulaAsker(question=question, workload=workload, profiles=(), pairings=(), rate=None, check=context.check)
    try:
        best = asker.alone(usual.question).answer
    except InputError:  # no GPU of the usual ones serves it
        return ""
    return "" if best is None else choices.sentences((replace(usual, candidate=best),))[0]


def told(answer: Answer, question: Question, workload: Workload, context: Context) -> Answer:
    """Return the answer of a plan that is finished as it is, which says so where it has no fleet.

    What constraints leave nothing of is searched for as simulated before that is said.
    """
    if answer.answer is not None or (question.verify and is_constrained(answer, question)):
        return answer
    usual = run(context, question=question, workload=workload)
    return replace(answer, why=(*answer.why, usual)) if usual else answer
