"""A study as text and as JSON: what was asked, the answer in words, the tables behind it, and what to mind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fleettui.domain.study import Study, StudyTable
from fleettui.reports.plan_json import envelope
from fleettui.reports.studies.day_summary import day_summary
from fleettui.reports.study_tables import study_table
from fleettui.reports.table import UNNAMED, WIDTH
from fleettui.reports.text_page import Item, Line, fact, text_page, warned

IDENTITY = ("id", "handle", "kind", "title", "question", "plan", "seed", "engine_version", "created")
SUMMARIES: Mapping[str, Callable[[Study], StudyTable | None]] = {"autoscale": day_summary}
"""What stands before all else in the text of long studies, by their kind."""
LONG = 24
"""Characters up to which notes stand in their rows, repeated or not."""


def study_text(study: Study, width: int = WIDTH) -> str:
    """Return a whole study as lines of at most `width` characters, the sentences before the tables.

    Of a kind that has a summary the first sentence and that come first, on one screen.
    """
    handle = study.handle
    again = f"study {handle}   again: fleettui show {handle}   as data: with --json"
    summary = SUMMARIES[study.kind](study) if study.kind in SUMMARIES else None
    first = len(study.sentences) if summary is None else 1
    blocks: list[Sequence[Item]] = [
        [study.title, *fact("asked", study.question)],
        study.sentences[:first],
        [] if summary is None else [study_table(summary)],
        ["in words", *study.sentences[first:]] if study.sentences[first:] else [],
        *map(_table, study.tables),
        warned(study.warnings),
        [again] if handle else [],
    ]
    return text_page(blocks, width)


def _table(table: StudyTable) -> list[Item]:
    """Return a table, long notes that repeat as numbered ones below it."""
    marked, notes = footnoted(table)
    if table.drawn:
        return [text for text in (table.title, table.note) if text]
    if table.rows:
        return [study_table(marked), *_numbered(notes)]
    return [text for text in (table.title, "(no rows)", table.note) if text]


def _numbered(notes: Sequence[str]) -> list[Line]:
    most = len(f"[{len(notes)}] ")
    return [(f"[{number}] ".rjust(most), note) for number, note in enumerate(notes, start=1)]


def footnoted(table: StudyTable) -> tuple[StudyTable, tuple[str, ...]]:
    """Return a table with numbers for notes, and the notes in the order of their numbers.

    Long notes that repeat from row to row are said once below; of parts with a semicolon between each has a number. A
    table whose last column is no note, or whose notes are short or all different, stays as it is.
    """
    if not table.columns or table.columns[-1].name != UNNAMED:
        return table, ()
    parts = [str(row[-1] or "").split("; ") for row in table.rows]
    counted = Counter(part for row in parts for part in row if part)
    if max(map(len, counted), default=0) <= LONG or max(counted.values()) == 1:
        return table, ()
    numbers = {part: f"[{number}]" for number, part in enumerate(counted, start=1)}
    marks = ("".join(numbers[part] for part in said if part) for said in parts)
    rows = tuple((*row[:-1], mark) for row, mark in zip(table.rows, marks, strict=True))
    return replace(table, rows=rows), tuple(numbers)


def study_json(study: Study, command: str) -> dict[str, Any]:
    """Return `study` as the object that its command and `show --json` print, a joint plan's with its verdict.

    Every table has a title, a note, rows by the names of their columns, and what each column is in; a published one
    has its title and its rows as `table` and `cells` too, as they were called first.
    """
    tables = [_table_json(table) for table in study.tables]
    if study.kind == "published":
        tables = [{**table, "table": table["title"], "cells": table["rows"]} for table in tables]
    found = envelope(
        command, study=study_line(study), sentences=study.sentences, tables=tables, warnings=study.warnings
    )
    return found if study.verdict is None else found | {"verdict": study.verdict}


def _table_json(table: StudyTable) -> dict[str, Any]:
    columns = [{"name": column.name, "quantity": column.quantity} for column in table.columns]
    return {"title": table.title, "note": table.note, "columns": columns, "rows": table.records()}


def study_line(study: Study) -> dict[str, Any]:
    """Return what a list says of a study; `plan` is its plan's id, null where it has none."""
    return {name: getattr(study, name) for name in IDENTITY} | {"plan": study.plan or None}
