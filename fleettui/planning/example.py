"""The plan that is shipped: what the app shows to somebody who has none, computed beforehand.

The files in the folder of the same name are what `fleettui plan ... --json` and `--write-question` print, with the
program's version beside it, and without identity: nothing of it is in a store. `python -m tests.planning.test_example`
writes them anew.
"""

from __future__ import annotations

import json
from pathlib import Path

from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import from_plain
from fleettui.reports.question import conversion, question_file

FOLDER = Path(__file__).with_suffix("")
PLAN, QUESTION = FOLDER / "plan.json", FOLDER / "question.yaml"
HANDLE, CANDIDATE = "example", "ex"
"""The handle of the plan, and how those of its candidates begin: references to nothing that is kept."""


def example() -> tuple[Answer, Question, str]:
    """Return the shipped answer, its question, and the version of the program that computed it."""
    plain = json.loads(PLAN.read_text("utf-8"))
    fields = {name: value for name, value in plain.items() if name not in ("schema", "command", "version")}
    values = conversion.parse(question_file.read(QUESTION.read_text("utf-8"), str(QUESTION)))
    return from_plain(Answer, fields), conversion.to_question(values), plain["version"]
