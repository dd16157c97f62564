"""How an answer leaves the program: its text or its JSON, and the exit code of its verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.cli import console
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.reports.plan_text import plan_text

if TYPE_CHECKING:
    from store import Store


def print_answer(answer: Answer, question: Question, store: Store, *, as_json: bool, command: str) -> int:
    """Print an `answer` that is kept in `store`, and return 0 for a pass, 3 for any other verdict."""
    if as_json:
        from fleettui.planning import plan_files
        from fleettui.reports.plan_json import plan_json

        inputs = plan_files.inputs_of(store, answer.plan.id)
        console.out_json(plan_json(answer, command, question, inputs))
    else:
        from fleettui.planning.joint_left import beside_others

        console.out(plan_text(beside_others(store, answer), question, console.width()))
    return console.PASS if answer.verdict == "pass" else console.NOT_PASS
