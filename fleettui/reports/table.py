"""A table of text with its plain rendering: what every front end shows, fitted to the width there is."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Literal

from fleettui.errors import InputError

WIDTH = 80
GAP = "  "
NARROWEST = 8
"""Characters below which a column is not squeezed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column's head and the side its cells stand on. A `wrap` column gives way when the table is too wide."""

    title: str
    align: Literal["left", "right"] = "left"
    wrap: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of text under columns; `title` stands above, `note` below, either may be empty."""

    title: str = ""
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise InputError("a row has not one cell per column", value=row, accepted=f"{len(self.columns)} cells")


def render(table: Table, width: int = WIDTH) -> str:
    """Return the table as lines of at most `width` characters; cells that must give way are wrapped.

    A table that is too wide all the same is told row by row, so that no figure is cut.

    >>> print(render(Table(columns=(Column(title="pool"), Column(title="GPUs", align="right")), rows=(("all", "48"),))))
    pool  GPUs
    all     48
    """
    widths = _widths(table, width)
    lines = wrap(table.title, width) if table.title else []
    if sum(widths) + len(GAP) * (len(widths) - 1) > width:
        lines += [line for row in table.rows for line in _told(row, table.columns, width)]
        return "\n".join(lines + (wrap(table.note, width) if table.note else []))
    if any(column.title for column in table.columns):
        lines += _row(tuple(column.title for column in table.columns), table.columns, widths)
    for row in table.rows:
        lines += _row(row, table.columns, widths)
    lines += wrap(table.note, width) if table.note else []
    return "\n".join(line.rstrip() for line in lines)


def wrap(text: str, width: int = WIDTH, head: str = "") -> list[str]:
    """Return `text` as lines of at most `width` characters; the first begins with `head`, the others are indented.

    >>> wrap("one two three", 12, "why  ")
    ['why  one two', '     three']
    """
    lines = textwrap.wrap(text, width, initial_indent=head, subsequent_indent=" " * len(head)) or [head.rstrip()]
    return lines


def _widths(table: Table, width: int) -> list[int]:
    """Return the columns' widths: as wide as their cells, the widest wrap column cut again and again until all fit."""
    cells = [tuple(column.title for column in table.columns), *table.rows]
    widths = [max(len(row[index]) for row in cells) for index in range(len(table.columns))]
    giving = [index for index, column in enumerate(table.columns) if column.wrap]
    for _ in range(len(GAP) * (len(widths) - 1) + sum(widths) - width):
        widest = max(giving, key=lambda index: widths[index], default=None)
        if widest is None or widths[widest] <= NARROWEST:
            break
        widths[widest] -= 1
    return widths


def _told(row: tuple[str, ...], columns: tuple[Column, ...], width: int) -> list[str]:
    """Return one row as text: the first cell, then each other one after its column's title."""
    pairs = [
        (column.title if index else "", cell) for index, (column, cell) in enumerate(zip(columns, row, strict=True))
    ]
    words = "   ".join(f"{title} {cell.strip()}".strip() for title, cell in pairs if cell.strip())
    return textwrap.wrap(words, width, initial_indent="" if row[0] else GAP, subsequent_indent=GAP) or [""]


def _row(row: tuple[str, ...], columns: tuple[Column, ...], widths: list[int]) -> list[str]:
    """Return the lines of one row: more than one where a cell is wrapped."""
    parts = [
        textwrap.wrap(cell, size) if column.wrap and len(cell) > size else [cell]
        for cell, column, size in zip(row, columns, widths, strict=True)
    ]
    lines = []
    for number in range(max(map(len, parts))):
        cells = [part[number] if number < len(part) else "" for part in parts]
        lines.append(
            GAP.join(_aligned(cell, column, size) for cell, column, size in zip(cells, columns, widths, strict=True))
        )
    return lines


def _aligned(cell: str, column: Column, size: int) -> str:
    return cell.rjust(size) if column.align == "right" else cell.ljust(size)
