"""Cells of text with roles, and the dots inside the cells: what a picture is put together from."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Literal, NamedTuple, get_args

Glyphs = Literal["braille", "half", "ascii"]
SeriesRole = Literal["series-0", "series-1", "series-2", "series-3", "series-4", "series-5"]
Role = Literal["axis", "label", "limit", "chosen", "note", SeriesRole]
SERIES_ROLES: tuple[SeriesRole, ...] = get_args(SeriesRole)
FINENESS: dict[Glyphs, tuple[int, int]] = {"braille": (2, 4), "half": (1, 2), "ascii": (1, 3)}
"""Dots in a cell, across and down."""

Cell = tuple[int, int]
"""(column, row), or (x, y) of a dot, from the top left."""

_BRAILLE = (0x01, 0x02, 0x04, 0x40, 0x08, 0x10, 0x20, 0x80)
"""The bit of each dot in Unicode's block, down the left column and then down the right."""
_HALF = {1: "▀", 2: "▄", 3: "█"}
_ASCII = {1: "'", 2: "-", 4: "_"}


class Span(NamedTuple):
    """A run of cells of one role."""

    text: str
    role: Role


Line = tuple[Span, ...]


class Canvas:
    """A grid of cells; what is put outside it is cut off."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = max(width, 0), max(height, 0)
        self._cells: list[list[Span]] = [[Span(" ", "label")] * self.width for _ in range(self.height)]

    def put(self, column: int, row: int, text: str, role: Role) -> None:
        """Write `text` from a cell on to the right."""
        if not 0 <= row < self.height:
            return
        for at, character in enumerate(text, start=column):
            if 0 <= at < self.width:
                self._cells[row][at] = Span(character, role)

    def at(self, column: int, row: int) -> Span:
        """Return what stands in a cell, a blank outside the grid."""
        inside = 0 <= row < self.height and 0 <= column < self.width
        return self._cells[row][column] if inside else Span(" ", "label")

    def lines(self) -> tuple[Line, ...]:
        """Return the grid, each row as runs of one role."""
        return tuple(
            tuple(Span("".join(cell.text for cell in run), role) for role, run in groupby(row, lambda cell: cell.role))
            for row in self._cells
        )


class Dots:
    """Dots finer than cells: 2x4 in a cell of braille, 1x2 half-blocks, 1x3 in ASCII: a line is `_`, `-` or `'`."""

    def __init__(self, glyphs: Glyphs) -> None:
        self.glyphs = glyphs
        self._across, self._down = FINENESS[glyphs]
        self._masks: dict[Cell, int] = {}

    def line(self, start: Cell, end: Cell) -> None:
        """Set the dots from one to another."""
        steps = max(abs(end[0] - start[0]), abs(end[1] - start[1]))
        for step in range(steps + 1):
            share = step / max(steps, 1)
            self._set(round(start[0] + (end[0] - start[0]) * share), round(start[1] + (end[1] - start[1]) * share))

    def cells(self) -> Iterator[tuple[Cell, str]]:
        """Yield each cell that has a dot, with its character."""
        return ((cell, self._character(mask)) for cell, mask in self._masks.items())

    def over(self, other: Dots) -> None:
        """Take up the other's dots where both have some, so that lines that cross both stay whole."""
        for cell in self._masks.keys() & other._masks.keys():
            self._masks[cell] |= other._masks[cell]

    def _set(self, x: int, y: int) -> None:
        cell = (x // self._across, y // self._down)
        self._masks[cell] = self._masks.get(cell, 0) | 1 << (x % self._across * self._down + y % self._down)

    def _character(self, mask: int) -> str:
        if self.glyphs == "braille":
            return chr(0x2800 + sum(bit for place, bit in enumerate(_BRAILLE) if mask >> place & 1))
        return _HALF[mask] if self.glyphs == "half" else _ASCII.get(mask, "|")
