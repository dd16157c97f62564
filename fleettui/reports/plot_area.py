"""The cells of a picture that hold its data: where values lie in them, and which dots a line sets."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from fleettui.reports.canvas import FINENESS, Cell, Dots, Glyphs
from fleettui.reports.chart import Point, Style, corners
from fleettui.reports.ticks import Scale


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """A box of at least one cell, in the cells of its canvas, with the scales across it."""

    left: int
    top: int
    columns: int
    rows: int
    x: Scale
    y: Scale
    glyphs: Glyphs

    def column(self, value: float) -> int | None:
        """Return the column of an x, None outside."""
        place = self.x.place(value)
        return self._dot(place, 0.0)[0] // FINENESS[self.glyphs][0] if 0 <= place <= 1 else None

    def row(self, value: float) -> int | None:
        """Return the row of a y, None outside."""
        place = self.y.place(value)
        return self._dot(0.0, place)[1] // FINENESS[self.glyphs][1] if 0 <= place <= 1 else None

    def cell(self, x: float, y: float) -> Cell | None:
        """Return the cell of a point, None outside."""
        column, row = self.column(x), self.row(y)
        return None if column is None or row is None else (column, row)

    def dots(self, points: tuple[Point, ...], style: Style) -> Dots:
        """Return the dots of a line through `points`, as far as it runs inside the box."""
        dots = Dots(self.glyphs)
        places = [(self.x.place(x), self.y.place(y)) for x, y in points]
        turns = list(corners(places) if style == "step" else places)
        last: Cell | None = None
        for start, end in pairwise(turns if len(turns) > 1 else turns * 2):
            inside = _clipped(start, end)
            if inside is None:
                continue
            begins, ends = self._dot(*inside[0]), self._dot(*inside[1])
            if not begins == ends == last:  # of thousands of points most lie on the dot before
                dots.line(begins, ends)
            last = ends
        return dots

    def _dot(self, x: float, y: float) -> Cell:
        """Return the dot of the canvas at a place: (0, 0) is the lower left corner, (1, 1) the upper right."""
        across, down = FINENESS[self.glyphs]
        return (
            self.left * across + round(x * (self.columns * across - 1)),
            self.top * down + round((1 - y) * (self.rows * down - 1)),
        )


def _clipped(start: Point, end: Point) -> tuple[Point, Point] | None:
    """Return the part of a line that lies in the unit square (Liang and Barsky, 1984), None where there is none."""
    if min(*start, *end) >= 0 and max(*start, *end) <= 1:
        return start, end
    (x, y), (across, up) = start, (end[0] - start[0], end[1] - start[1])
    first, last = 0.0, 1.0
    for change, room in ((-across, x), (across, 1 - x), (-up, y), (up, 1 - y)):
        if change == 0 and room < 0:
            return None
        if change < 0:
            first = max(first, room / change)
        elif change > 0:
            last = min(last, room / change)
    if first > last:
        return None
    return (x + first * across, y + first * up), (x + last * across, y + last * up)
