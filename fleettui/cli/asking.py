"""A question from its texts to its printed answer: what `plan` does once its options are read."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from fleettui.cli import console, settings
from fleettui.cli.answers import print_answer
from fleettui.cli.keeping import open_store
from fleettui.cli.settings import Setting
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.reports.question import file as question_file
from fleettui.reports.question import form
from fleettui.reports.question.form import Given, Values

LARGEST = 1_000_000
"""Bytes that a question file may have."""


def values(typed: Mapping[str, Given], file: str | None) -> tuple[tuple[Setting, ...], Values]:
    """Return the settings, and the question's values: options, then the file, then the settings."""
    chosen = settings.settings()
    form.check_together(typed)
    filed = {} if file is None else read_file(file)
    merged = form.merge([typed, filed, settings.question_texts(chosen)])
    return chosen, form.parse(merged)


def read_file(path: str) -> dict[str, Given]:
    """Return the texts of a question file; raises InputError when it cannot be read."""
    file = Path(path)
    try:
        if file.is_file() and file.stat().st_size > LARGEST:
            raise InputError("this is too long for a question", where=path, accepted="up to 1 MB")
        text = file.read_text("utf-8")
    except UnicodeDecodeError:
        raise InputError("this is no text", where=path, accepted="YAML in UTF-8") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"the question cannot be read: {reason}", where=path) from None
    return question_file.read(text, path)


def ask(question: Question, chosen: tuple[Setting, ...], *, trace_format: str | None = None, as_json: bool) -> int:
    """Plan, keep and print; return the verdict's exit code. `trace_format` forces the reader of a trace."""
    from fleettui.planning.make_plan import make_plan

    with ExitStack() as stack:
        try:
            planning = make_plan(
                question,
                store=lambda: stack.enter_context(open_store(chosen)),
                report=console.progress(),
                trace_format=trace_format,
            )
            answer = asyncio.run(planning)
        finally:
            console.clear_progress()
    return print_answer(answer, question, as_json=as_json, command="plan")
