"""A table of text with its plain rendering: what every front end shows, fitted to the width there is."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from fleettui.errors import InputError

WIDTH = 80
GAP = "  "
NARROWEST = 8
"""Characters below which a column is not squeezed."""
LONGEST_WORD = 24
"""Characters of a word from which on it may be broken, where its column is squeezed."""
MOST_LINES = 2
"""Lines that a cell of the last column may take beside its row; a longer one stands below it."""
UNNAMED = "note"
"""The title of a column that is not told where its cells stand below their rows."""

NO_BREAK = "\xa0"
"""A space at which no line breaks; lines that are wrapped hold plain ones in its place."""
_UNITS = (
    "s|ms|us|min|h|d|days?|months?|minutes|hours|J|W|kW|MW|KB|MB|GB|GiB|TB|GB/s|g|tokens?|requests?|sequences?|GPUs?|"
    "replicas?|nodes?|runs|pools|cases|fleets|candidates|per"
)
_UNIT = re.compile(
    rf"(?<=\d) (?=(?:{_UNITS}|[A-Z]+\d+\w*)\b)|(?<=\bP\d\d) (?=TTFT|TPOT|E2E)|(?<=\w) (?=[td]p\d|\+-\d)|(?<=\d) (?=x\d)"
)
"""The space between a number and its unit, a GPU's name among them, or its error; between a percentile and what it is
of; within a pool, H100 tp8 x10."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """A column's head and the side its cells stand on. A `wrap` column gives way when the table is too wide.

    `least` are the characters that it takes even where all its cells are shorter, so that lists line up page by page.
    One that stands there `if_room` is left out, before any other gives way, where not all fit as wide as they are.
    """

    title: str
    align: Literal["left", "right"] = "left"
    wrap: bool = False
    least: int = 0
    if_room: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of text under columns; `title` stands above, `note` below, either may be empty."""

    title: str = ""
    columns: tuple[Head, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise InputError("a row has not one cell per column", value=row, accepted=f"{len(self.columns)} cells")


def render(table: Table, width: int = WIDTH) -> str:
    """Return the table as lines of at most `width` characters; cells that must give way are wrapped, between words.

    Where that makes the last column too narrow, or it has no room, its cells stand below their rows. A table that is
    too wide all the same is told row by row, so that no figure is cut.

    >>> print(render(Table(columns=(Head(title="pool"), Head(title="GPUs", align="right")), rows=(("all", "48"),))))
    pool  GPUs
    all     48
    """
    title, note = (wrap(text, width) if text else [] for text in (table.title, table.note))
    return "\n".join(line.rstrip() for line in (*title, *head(table, width), *chain(*body(table, width)), *note))


def head(table: Table, width: int = WIDTH) -> list[str]:
    """Return the lines of the columns' titles, none where the rows are told one by one."""
    table = _with_room(table, width)
    titles = tuple(column.title for column in table.columns)
    kept, widths = _layout(table, width)
    return _row(titles[:kept], table.columns, widths) if kept and any(titles[:kept]) else []


def body(table: Table, width: int = WIDTH) -> list[list[str]]:
    """Return the lines of each row."""
    table = _with_room(table, width)
    kept, widths = _layout(table, width)
    if not kept:
        return [_told(row, table.columns, width) for row in table.rows]
    return [
        _row(row[:kept], table.columns, widths) + _below(row[kept:], table.columns[kept:], width) for row in table.rows
    ]


def wrap(text: str, width: int = WIDTH, head: str = "") -> list[str]:
    """Return `text` as lines of at most `width` characters; the first begins with `head`, the others are indented.

    >>> wrap("one two three", 12, "why  ")
    ['why  one two', '     three']
    """
    return _wrapped(text, width, head, " " * len(head)) or [head.rstrip()]


def _wrapped(text: str, width: int, first: str = "", others: str = "") -> list[str]:
    """Return `text` in lines broken between words: no date, option or name at its hyphens, no number at its unit.

    Where a number is wider with its unit than a line, they are parted all the same.
    """
    joined, room = _UNIT.sub(NO_BREAK, text), width - max(len(first), len(others))
    if any(len(part) > room for part in joined.split(" ")):
        joined = text
    found = textwrap.wrap(joined, width, initial_indent=first, subsequent_indent=others, break_on_hyphens=False)
    return [line.replace(NO_BREAK, " ") for line in found]


def with_room(columns: Sequence[Head], widths: Sequence[int], room: int) -> list[int]:
    """Return the places of the columns that stand in `room`: of those that do `if_room`, the rightmost go first."""
    kept = list(range(len(columns)))
    for place in range(len(columns) - 1, -1, -1):
        if in_all([widths[one] for one in kept]) <= room:
            break
        if columns[place].if_room:
            kept.remove(place)
    return kept


def _with_room(table: Table, width: int) -> Table:
    """Return the table with the columns that there is room for."""
    kept = with_room(table.columns, _natural(table), width)
    rows = tuple(tuple(row[place] for place in kept) for row in table.rows)
    return replace(table, columns=tuple(table.columns[place] for place in kept), rows=rows)


def _natural(table: Table) -> list[int]:
    """Return the widths of the columns where none gives way."""
    return [
        max(column.least, len(column.title), *(len(row[index]) for row in table.rows))
        for index, column in enumerate(table.columns)
    ]


def _layout(table: Table, width: int) -> tuple[int, list[int]]:
    """Return how many columns stand side by side, all, all but the last or none, with their widths."""
    count = len(table.columns)
    widths = _widths(table, width, count)
    fits = in_all(widths) <= width
    if not count or (fits and not table.columns[-1].wrap):
        return count, widths
    if fits and all(len(_wrapped(row[-1], widths[-1])) <= MOST_LINES for row in table.rows):
        return count, widths
    others = _widths(table, width, count - 1)
    if count > 1 and in_all(others) <= width:
        return count - 1, others
    return (count if fits else 0), widths


def in_all(widths: Sequence[int]) -> int:
    """Return the characters that columns of such widths take, with the gaps between them."""
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _widths(table: Table, width: int, count: int) -> list[int]:
    """Return the first `count` columns' widths: as wide as their cells, the widest wrap column cut until all fit."""
    widths = _natural(table)[:count]
    least = {
        index: _least([column.title, *(row[index] for row in table.rows)])
        for index, column in enumerate(table.columns[:count])
        if column.wrap
    }
    for _ in range(in_all(widths) - width):
        widest = max((index for index in least if widths[index] > least[index]), key=widths.__getitem__, default=None)
        if widest is None:
            break
        widths[widest] -= 1
    return widths


def _least(cells: Sequence[str]) -> int:
    """Return the width to which a column may be squeezed: that of its longest word, within bounds."""
    longest = max((len(word) for cell in cells for word in cell.split()), default=0)
    return min(max(longest, NARROWEST), LONGEST_WORD)


def _told(row: tuple[str, ...], columns: tuple[Head, ...], width: int) -> list[str]:
    """Return one row as text: the first cell, then each other one after its column's title."""
    pairs = [
        (column.title if index else "", cell) for index, (column, cell) in enumerate(zip(columns, row, strict=True))
    ]
    words = "   ".join(f"{title} {cell.strip()}".strip() for title, cell in pairs if cell.strip())
    return _wrapped(words, width, "" if row[0] else GAP, GAP) or [""]


def _below(cells: tuple[str, ...], columns: tuple[Head, ...], width: int) -> list[str]:
    """Return the cells that stand below their row, each after its column's title unless that says nothing."""
    return [
        line
        for cell, column in zip(cells, columns, strict=True)
        if cell.strip()
        for line in _wrapped(cell if column.title == UNNAMED else f"{column.title} {cell}", width, GAP, GAP)
    ]


def _row(row: tuple[str, ...], columns: tuple[Head, ...], widths: list[int]) -> list[str]:
    """Return the lines of one row: more than one where a cell is wrapped."""
    parts = [
        _wrapped(cell, size) if column.wrap and len(cell) > size else [cell]
        for cell, column, size in zip(row, columns, widths, strict=False)
    ]
    lines = []
    for number in range(max(map(len, parts))):
        cells = [part[number] if number < len(part) else "" for part in parts]
        lines.append(
            GAP.join(_aligned(cell, column, size) for cell, column, size in zip(cells, columns, widths, strict=False))
        )
    return lines


def _aligned(cell: str, column: Head, size: int) -> str:
    return cell.rjust(size) if column.align == "right" else cell.ljust(size)
