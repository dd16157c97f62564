"""The series of a chart that have something to show, the sign of each, and where a line's letter is read best."""

from __future__ import annotations

from typing import NamedTuple

from fleettui.reports.canvas import SERIES_ROLES, Cell, Role
from fleettui.reports.chart import Chart, Point, Series

POINTS = ".xo@#%"
"""What the points of the first series are drawn as, those of the second, and so on."""
APART = 4
"""Cells between two lines from which a letter is told to belong to one of them."""


class Drawn(NamedTuple):
    """A series with something to show: its sign, its role and its points that have a place."""

    series: Series
    sign: str
    role: Role
    points: tuple[Point, ...]

    @property
    def is_points(self) -> bool:
        """Return whether each point stands for itself, with no line through them."""
        return self.series.style == "points"


def drawn(chart: Chart) -> tuple[Drawn, ...]:
    """Return the series that have points to show; a line's sign is its letter, or one of its name that no other has."""
    found: list[Drawn] = []
    for index, series in enumerate(chart.series):
        points = chart.shown(series)
        taken = {one.sign for one in found}
        letters = (letter for letter in f"{series.name}{index}" if letter.isalnum() and letter not in taken)
        sign = POINTS[index % len(POINTS)] if series.style == "points" else series.letter or next(letters, "*")
        if points:
            found.append(Drawn(series, sign, SERIES_ROLES[index % len(SERIES_ROLES)], points))
    return tuple(found)


def letter_place(cells: set[Cell], others: set[Cell]) -> Cell:
    """Return which of a line's cells is farthest from the others, the rightmost of those equally far."""
    return max(cells, key=lambda cell: (_distance(cell, others), cell))


def _distance(cell: Cell, others: set[Cell]) -> int:
    """Return how many cells `cell` is from the nearest other in its row and column, as far as that matters."""
    column, row = cell
    for apart in range(APART):
        around = ((column + apart, row), (column - apart, row), (column, row + apart), (column, row - apart))
        if any(place in others for place in around):
            return apart
    return APART
