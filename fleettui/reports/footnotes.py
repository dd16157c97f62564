"""Long notes that repeat from row to row, said once below their table: each row bears their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from fleettui.domain.study import StudyTable
from fleettui.reports.table import UNNAMED

LONG = 24
"""Characters up to which notes stand in their rows, repeated or not."""
BETWEEN = "; "
"""What stands between the parts of a note, each of which is a footnote of its own."""


def footnoted(table: StudyTable) -> tuple[StudyTable, tuple[str, ...]]:
    """Return a table with numbers for notes, and the notes in the order of their numbers.

    A table whose last column is no note, or whose notes are short or all different, stays as it is.
    """
    if not table.columns or table.columns[-1].name != UNNAMED:
        return table, ()
    parts = [str(row[-1] or "").split(BETWEEN) for row in table.rows]
    counted = Counter(part for row in parts for part in row if part)
    if max(map(len, counted), default=0) <= LONG or max(counted.values()) == 1:
        return table, ()
    numbers = {part: number for number, part in enumerate(counted, start=1)}
    rows = tuple((*row[:-1], _marks(said, numbers)) for row, said in zip(table.rows, parts, strict=True))
    return replace(table, rows=rows), tuple(numbers)


def _marks(parts: Sequence[str], numbers: dict[str, int]) -> str:
    return "".join(f"[{numbers[part]}]" for part in parts if part)
