"""A study as text: what was asked, the answer in words, the tables behind it, and what to mind."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.study import Study, StudyTable
from fleettui.reports.footnotes import footnoted
from fleettui.reports.study_tables import study_table
from fleettui.reports.table import WIDTH
from fleettui.reports.text_page import Item, Line, fact, text_page, warned


def study_text(study: Study, width: int = WIDTH) -> str:
    """Return a whole study as lines of at most `width` characters, the sentences before the tables."""
    handle = study.handle
    again = f"study {handle}   again: fleettui show {handle}   as data: with --json"
    blocks: list[Sequence[Item]] = [
        [study.title, *fact("asked", study.question)],
        study.sentences,
        *map(_table, study.tables),
        warned(study.warnings),
        [again] if handle else [],
    ]
    return text_page(blocks, width)


def table_text(table: StudyTable, width: int = WIDTH) -> str:
    """Return one table of a study; one without rows says so."""
    return text_page([_table(table)], width)


def _table(table: StudyTable) -> list[Item]:
    """Return a table, long notes that repeat as numbered ones below it."""
    marked, notes = footnoted(table)
    if table.rows:
        return [study_table(marked), *_numbered(notes)]
    return [text for text in (table.title, "(no rows)", table.note) if text]


def _numbered(notes: Sequence[str]) -> list[Line]:
    most = len(f"[{len(notes)}] ")
    return [(f"[{number}] ".rjust(most), note) for number, note in enumerate(notes, start=1)]
