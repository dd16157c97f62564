"""A comparison as text of any width, as Markdown, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from fleettui.reports import redundancy_text
from fleettui.reports.comparison.model import Cell, Comparison, Row
from fleettui.reports.markdown import piped, plain
from fleettui.reports.plan_json import envelope
from fleettui.reports.table import WIDTH, Head, Table
from fleettui.reports.text_page import text_page, warned

LABEL, PLAN = 14, 28
"""Characters of a row's label and, at least, of a plan's column."""
SAME = "="


def comparison_text(comparison: Comparison, width: int = WIDTH, *, every_row: bool = False) -> str:
    """Return sentences, as many tables as it takes to show all plans, and warnings; only rows that differ, or all."""
    tables = [
        [comparison_table(comparison, places, every_row=every_row)]
        for places in _together(len(comparison.plans), width)
    ]
    return text_page([comparison.sentences, *tables, warned(comparison.warnings)], width)


def _together(plans: int, width: int) -> Iterator[tuple[int, ...]]:
    """Yield the plans that stand beside each other, the baseline in front of each time as many as there is room for."""
    room = max(1, (width - LABEL - PLAN) // (PLAN + 2))
    for start in range(1, plans, room):
        yield (0, *range(start, min(start + room, plans)))


def comparison_table(comparison: Comparison, places: Sequence[int], *, every_row: bool = False) -> Table:
    """Return one column for each of the plans at `places`, a row for what differs, and how many rows do not."""
    rows: list[tuple[str, ...]] = []
    for section, own in groupby(comparison.rows, key=lambda row: row.section):
        told = [row for row in own if every_row or row.differs]
        if told:
            rows.append((f"-- {section}", *("" for _ in places)))
            rows += [_line(row, places) for row in told]
    hidden = 0 if every_row else sum(not row.differs for row in comparison.rows)
    titles = [comparison.plans[place].answer.plan.full_name for place in places]
    columns = (
        Head(title=""),
        *(Head(title=f"{title} baseline" if place == 0 else title, wrap=True) for place, title in enumerate(titles)),
    )
    words = f"{hidden} more row{'s are' if hidden > 1 else ' is'} the same in all" if hidden else ""
    pools = [pool for place in places if (best := comparison.plans[place].fleet) for pool in best.fleet.pools]
    return Table(columns=columns, rows=tuple(rows), note="; ".join(filter(None, (words, redundancy_text.key(pools)))))


def _line(row: Row, places: Sequence[int]) -> tuple[str, ...]:
    base, *others = (row.cells[place] for place in places)
    same = (cell.text == base.text and not cell.changed for cell in others)
    told = (SAME if is_same else _words(cell) for cell, is_same in zip(others, same, strict=True))
    return row.label, _words(base), *told


def _words(cell: Cell) -> str:
    return "  ".join(filter(None, (cell.text, f"{cell.changed} {cell.word}".strip(), cell.standing)))


def comparison_markdown(comparison: Comparison, *, every_row: bool = False) -> str:
    """Return the same as Markdown: sentences, one table with a column per plan, warnings."""
    table = comparison_table(comparison, range(len(comparison.plans)), every_row=every_row)
    rows = [
        [f"**{plain(row[0][3:])}**", *row[1:]] if row[0].startswith("-- ") else [*map(plain, row)] for row in table.rows
    ]
    blocks = (
        "\n".join(f"- {plain(words)}" for words in comparison.sentences),
        "\n".join(map(piped, [[plain(one.title) for one in table.columns], ["---"] * len(table.columns), *rows])),
        plain(table.note),
        "\n".join(f"> {plain(words)}" for words in comparison.warnings),
    )
    return "\n\n".join(filter(None, blocks))


def comparison_json(comparison: Comparison, command: str) -> dict[str, Any]:
    """Return the same as data: every row, figures in SI units."""
    return envelope(
        command,
        plans=[
            {
                "id": plan.answer.plan.id,
                "handle": plan.handle,
                "name": plan.answer.plan.name,
                "verdict": plan.answer.verdict,
                "engine_version": plan.answer.plan.engine_version,
            }
            for plan in comparison.plans
        ],
        sentences=comparison.sentences,
        rows=[
            {
                "section": row.section,
                "label": row.label,
                "differs": row.differs,
                "less_is_better": row.less_is_better,
                "cells": row.cells,
            }
            for row in comparison.rows
        ],
        warnings=comparison.warnings,
    )
