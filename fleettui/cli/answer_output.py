"""How an answer leaves the program: its text or its JSON, and the exit code of its verdict."""

from __future__ import annotations

from fleettui.cli import console
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.reports.plan_json import plan_json
from fleettui.reports.plan_text import plan_text

PASS, NOT_PASS = 0, 3


def print_answer(answer: Answer, question: Question, *, as_json: bool, command: str) -> int:
    """Print `answer` and return 0 for a pass, 3 for any other verdict."""
    if as_json:
        console.out_json(plan_json(answer, command, question))
    else:
        console.out(plan_text(answer, question, console.width()))
    return PASS if answer.verdict == "pass" else NOT_PASS
