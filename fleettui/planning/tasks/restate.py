"""The task `restate`: what today's formulas say of a kept plan, on the inputs that were kept or on today's."""

from __future__ import annotations

from fleettui.domain.digest import digest
from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.domain.whatif import Outcome
from fleettui.domain.workload import Workload
from fleettui.errors import InputError
from fleettui.planning.kept_inputs import HARDWARE, LENGTHS, FormulaAnswer
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.kept_answer import of_today, outcome
from fleettui.planning.tasks.plan import checked
from fleettui.planning.tasks.question_workload import workload_of
from fleettui.planning.tasks.workload_slices import longest_allowed
from fleettui.workloads import library


def run(
    context: Context,
    *,
    question: Question,
    workload: Workload,
    fleet: Fleet | None,
    profiles: tuple[Profile, ...],
    today: tuple[str, ...],
) -> FormulaAnswer:
    """Answer `question` by formula, or score the `fleet` that was given with it.

    The kept `workload` and `profiles` count; where `today` names them, "hardware" is the catalogue's and "lengths" are
    what a shipped workload holds today. What cannot be served is infeasible, and says why.
    """
    question = checked(question)
    context.check()
    try:
        if HARDWARE in today:
            profiles = of_today(question, fleet)
        if LENGTHS in today and question.workload in library.names():
            workload = workload_of(question, longest=longest_allowed(question, profiles[0]))
        found = outcome(question, fleet, workload, profiles, context)
    except InputError as refusal:
        found = Outcome(verdict="infeasible", limited_by=refusal.what)
    return FormulaAnswer(outcome=found, profiles=profiles, workload=digest(workload))
