"""A study as text: what was asked, the answer in words, the tables behind it, and what to mind."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.study import Study, StudyTable
from fleettui.reports.answer_head import labelled
from fleettui.reports.footnotes import footnoted
from fleettui.reports.study_tables import study_table
from fleettui.reports.table import WIDTH, render, wrap


def study_text(study: Study, width: int = WIDTH) -> str:
    """Return a whole study as lines of at most `width` characters, the sentences before the tables."""
    sentences = [line for sentence in study.sentences for line in wrap(sentence, width)]
    warnings = [line for warning in study.warnings for line in wrap(warning, width, "! ")]
    tables = [table_text(table, width) for table in study.tables]
    blocks = [_head(study, width), "\n".join(sentences), *tables, "\n".join(warnings), _again(study, width)]
    return "\n\n".join(block for block in blocks if block)


def table_text(table: StudyTable, width: int = WIDTH) -> str:
    """Return one table of a study, long notes that repeat as numbered ones below it; one without rows says so."""
    marked, notes = footnoted(table)
    told = study_table(marked)
    if told.rows:
        return "\n".join([render(told, width), *_numbered(notes, width)])
    lines = [line for text in (table.title, "(no rows)", table.note) if text for line in wrap(text, width)]
    return "\n".join(lines)


def _numbered(notes: Sequence[str], width: int) -> list[str]:
    most = len(f"[{len(notes)}] ")
    heads = (f"[{number}] ".rjust(most) for number, _ in enumerate(notes, start=1))
    return [line for head, note in zip(heads, notes, strict=True) for line in wrap(note, width, head)]


def _head(study: Study, width: int) -> str:
    return "\n".join([*wrap(study.title, width), *labelled("asked", study.question, width)])


def _again(study: Study, width: int) -> str:
    if not study.handle:
        return ""
    handle = study.handle
    return "\n".join(wrap(f"study {handle}   again: fleettui show {handle}   as data: with --json", width))
