"""The pictures of a study: that of its main table, and one for each value of the first column of a drawn one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from fleettui.domain.study import Cell, Study, StudyColumn, StudyTable
from fleettui.reports import units
from fleettui.reports.chart import Axis, Chart, Point, Series
from fleettui.reports.picture import Picture
from fleettui.reports.study_chart import study_chart
from fleettui.reports.study_tables import WRITTEN, head

SHARE = "share"
FEWEST = 2
"""Rows that make a picture."""
Rows = Sequence[tuple[Cell, ...]]


def study_charts(study: Study, picture: Picture) -> tuple[Chart, ...]:
    """Return the pictures of a study: that which `picture` names, where it makes one, then those of drawn tables."""
    main = study_chart(study, picture)
    further = (chart for table in study.tables if table.drawn for chart in drawn_charts(table))
    return (*(() if main is None else (main,)), *further)


def drawn_charts(table: StudyTable) -> tuple[Chart, ...]:
    """Return a picture of each value of a table's first column, over the second, none where nothing can be drawn.

    Its figures are drawn, and its shares so that the whole is at the top. The points of the last of the former can be
    chosen, and tell all that their row has, texts last.
    """
    groups = [(str(name), list(rows)) for name, rows in groupby(table.rows, lambda row: row[0])]
    found = (_chart(table, name, rows, f"{at} of {len(groups)}") for at, (name, rows) in enumerate(groups, start=1))
    return tuple(one for one in found if one is not None)


def _chart(table: StudyTable, name: str, rows: Rows, place: str) -> Chart | None:
    _, x, *others = table.columns
    drawn = [(at, one) for at, one in enumerate(others, start=2) if one.quantity not in WRITTEN]
    plain = [(at, one) for at, one in drawn if one.quantity != SHARE]
    shares = [(at, one) for at, one in drawn if one.quantity == SHARE]
    if not plain or len(rows) < FEWEST or x.quantity in WRITTEN:
        return None
    across = [float(row[1] or 0.0) for row in rows]
    top = max((float(row[at] or 0.0) for row in rows for at, _ in plain), default=0.0)
    series = [Series(name=head(one, ""), points=_points(across, rows, at, 1.0), style="step") for at, one in plain[:-1]]
    series += [
        Series(name=f"{head(one, '')}, top is 100%", points=_points(across, rows, at, top), style="step")
        for at, one in shares
    ]
    at, one = plain[-1]
    words = tuple(", ".join(_told(table.columns, row)) for row in rows)
    keys = tuple(f"{name} {place}" for place in range(len(rows)))
    points = _points(across, rows, at, 1.0)
    if len(points) < len(rows):
        return None
    series.append(Series(name=head(one, ""), points=points, style="step", keys=keys, words=words))
    return Chart(
        title=f"{head(table.columns[0], '')} {name}, {place}",
        series=tuple(series),
        x=Axis(label=head(x, ""), write=lambda value: f"{value:.4g}"),
        y=Axis(label=head(one, ""), write=units.count, low=0.0),
        summary="; ".join(_summary(table, name, rows, shares)),
    )


def _points(across: Sequence[float], rows: Rows, at: int, size: float) -> tuple[Point, ...]:
    return tuple((x, float(row[at]) * size) for x, row in zip(across, rows, strict=True) if _is_number(row[at]))  # type: ignore[arg-type]


def _is_number(cell: Cell) -> bool:
    return isinstance(cell, int | float)


def _told(columns: Sequence[StudyColumn], row: tuple[Cell, ...]) -> Iterator[str]:
    """Yield what a row says behind its first column, figures before texts."""
    pairs = list(zip(columns, row, strict=True))[1:]
    for column, cell in sorted(pairs, key=lambda one: one[0].quantity in WRITTEN):
        if isinstance(cell, str):
            yield cell
        elif cell is not None:
            yield f"{head(column, '')} {_written(column, float(cell))}"


def _written(column: StudyColumn, value: float) -> str:
    return f"{100.0 * value:.2f}%" if column.quantity == SHARE else f"{value:.3g}"


def _summary(table: StudyTable, name: str, rows: Rows, shares: Sequence[tuple[int, StudyColumn]]) -> Iterator[str]:
    yield f"{head(table.columns[0], '')} {name}"
    for at, column in shares:
        known = [row for row in rows if _is_number(row[at])]
        if known:
            worst = min(known, key=lambda row: float(row[at] or 0.0))
            x = f"{head(table.columns[1], '')} {float(worst[1] or 0.0):.3g}"
            yield f"{head(column, '')} lowest at {x}, {_written(column, float(worst[at] or 0.0))}"
    yield "h and l move through its course, and tell what was decided when"
