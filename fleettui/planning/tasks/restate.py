"""The task `restate`: what today's formulas say of a kept plan, on the inputs that were kept or on today's."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.digest import digest
from fleettui.domain.whatif import Outcome
from fleettui.errors import InputError
from fleettui.planning.kept_inputs import HARDWARE, LENGTHS, FormulaAnswer, FormulaInputs
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.kept_answer import answerable, of_today, outcome
from fleettui.planning.tasks.question_workload import lengths_today
from fleettui.planning.tasks.workload_slices import longest_allowed
from fleettui.workloads import library


def run(context: Context, *, inputs: FormulaInputs, today: tuple[str, ...]) -> FormulaAnswer:
    """Answer a question by formula, or score the fleet that was given with it.

    The kept lengths and hardware count; where `today` names them, "hardware" is the catalogue's and "lengths" are
    what a shipped workload holds today. What cannot be served is infeasible, and says why.
    """
    question, workload, profiles = inputs.question, inputs.workload, inputs.profiles
    context.check()
    try:
        question = answerable(inputs).question
        if HARDWARE in today:
            profiles = of_today(question, inputs.fleet)
        if LENGTHS in today and question.workload in library.names():
            workload = lengths_today(question, workload, longest=longest_allowed(question, profiles[0]))
        found = outcome(replace(inputs, question=question, workload=workload, profiles=profiles), context)
    except InputError as refusal:
        found = Outcome.refused(refusal)
    return FormulaAnswer(outcome=found, profiles=profiles, workload=digest(workload))
