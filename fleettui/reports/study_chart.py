"""A study's main table as a picture, where it says what comes of one figure being another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import dropwhile, pairwise
from typing import Literal

from fleettui.domain.study import Cell, Study, StudyColumn
from fleettui.reports import units
from fleettui.reports.chart import Axis, Chart, Point, Series
from fleettui.reports.picture import Picture
from fleettui.reports.studies.subject import rate
from fleettui.reports.study_tables import WRITTEN, head

FEWEST = 3
"""Points from which on a line says more than its row of figures."""
LOG_FROM = 100.0
"""Figures further apart than this factor are drawn on a log axis."""
MOST_SERIES = 4
AXES = {"up_to": "rate"}
"""Columns that are called otherwise along an axis."""

_WRITE: dict[str, Callable[[float], str]] = {
    "rate": rate,
    "seconds": units.seconds,
    "dollars per hour": units.dollars_per_hour,
    "dollars per year": lambda value: units.dollars_per_year(value / units.HOURS_PER_YEAR),
    "share": units.percent,
    "watts": units.watts,
    "number": lambda value: f"{value:.4g}",
}


def study_chart(study: Study, picture: Picture) -> Chart | None:
    """Return the figures of the table that `picture` names over its first column, None where they make no line.

    That column must be a figure that rises or falls from row to row. The other columns that are drawn are that of the
    picture and those behind it of the same quantity, since there is one axis.
    """
    table = study.tables[picture.table] if picture.table < len(study.tables) else None
    if table is None or len(table.columns) < 2 or len(table.rows) < FEWEST:
        return None
    x, *others = table.columns
    across = [_figure(row[0]) for row in table.rows]
    drawn = dropwhile(lambda one: picture.column not in ("", one[1].name), enumerate(others, start=1))
    numeric = [(place, one) for place, one in drawn if one.quantity not in WRITTEN]
    if x.quantity in WRITTEN or not numeric or not _one_way(across):
        return None
    y = numeric[0][1]
    alike = [(place, one) for place, one in numeric if one.quantity == y.quantity][:MOST_SERIES]
    found = [(one, _points(across, [row[place] for row in table.rows])) for place, one in alike]
    if max(len(points) for _, points in found) < FEWEST:
        return None
    series = tuple(_series(one, points, picture) for one, points in found)
    heights = [height for one in series for _, height in one.points]
    return Chart(
        title=table.title if picture.titled else f"{_name(y)} at each {_name(x)}, by formula",
        series=series,
        x=_axis(x),
        y=_axis(y, log=max(heights) > LOG_FROM * min(heights) > 0),
        summary=study.sentences[0] if study.sentences else study.title,
    )


def _figure(cell: Cell) -> float | None:
    return float(cell) if isinstance(cell, int | float) else None


def _one_way(values: Sequence[float | None]) -> bool:
    """Return whether the values are all known and rise, or fall, from each to the next."""
    known = [value for value in values if value is not None]
    steps = [after - before for before, after in pairwise(known)]
    return len(known) == len(values) and (all(step > 0 for step in steps) or all(step < 0 for step in steps))


def _name(column: StudyColumn) -> str:
    return AXES.get(column.name) or head(column, "")


def _points(across: Sequence[float | None], cells: Sequence[Cell]) -> list[Point]:
    pairs = ((x, _figure(cell)) for x, cell in zip(across, cells, strict=True))
    return sorted((x, y) for x, y in pairs if x is not None and y is not None)


def _series(column: StudyColumn, points: Sequence[Point], picture: Picture) -> Series:
    if picture.between == "after":
        points = [*points[:1], *((x, y) for (x, _), (_, y) in pairwise(points)), *points[-1:]]
    style: Literal["step", "line"] = "line" if picture.between == "line" else "step"
    return Series(name=_name(column), points=tuple(points), style=style)


def _axis(column: StudyColumn, *, log: bool = False) -> Axis:
    return Axis(label=_name(column), write=_WRITE.get(column.quantity, units.count), log=log)
