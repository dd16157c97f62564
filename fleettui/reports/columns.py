"""Columns, each declared once: what it tells of a row's object as text and as data, and how it stands on a page."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from fleettui.reports.table import Head, Table

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class Column(Generic[Row]):
    """What is told of each row's object: by `tell` as text under `title`, by `value` as data in SI units under `name`.

    Pages leave out a column without `tell`, data one without `value`. The other fields are those of `Head`.
    """

    title: str = ""
    tell: Callable[[Row], str] | None = None
    name: str = ""
    value: Callable[[Row], object] | None = None
    align: Literal["left", "right"] = "left"
    wrap: bool = False
    least: int = 0

    @property
    def head(self) -> Head:
        """What stands above the column's cells on a page."""
        return Head(title=self.title, align=self.align, wrap=self.wrap, least=self.least)


def words(
    title: str,
    tell: Callable[[Row], str],
    *,
    wrap: bool = False,
    least: int = 0,
    name: str = "",
) -> Column[Row]:
    """Return a column of words, which stand on the left; with a `name` the data have the same words."""
    return Column(title=title, tell=tell, wrap=wrap, least=least, name=name, value=tell if name else None)


def figure(
    title: str,
    tell: Callable[[Row], str],
    *,
    name: str = "",
    value: Callable[[Row], object] | None = None,
    shown: bool = True,
) -> Column[Row]:
    """Return a column of figures, which stand on the right; one that is not `shown` is in the data alone."""
    return Column(title=title, tell=tell if shown else None, align="right", name=name, value=value)


def data(name: str, value: Callable[[Row], object]) -> Column[Row]:
    """Return a column that is in the data alone."""
    return Column(name=name, value=value)


def table(columns: Sequence[Column[Row]], rows: Iterable[Row], *, title: str = "", note: str = "") -> Table:
    """Return what the columns tell of each object as a table that every page is rendered from.

    >>> table((words("GPU", str.upper), figure("letters", lambda name: str(len(name)))), ["h100", "l4"]).rows
    (('H100', '4'), ('L4', '2'))
    """
    told = [(column.head, column.tell) for column in columns if column.tell is not None]
    cells = tuple(tuple(tell(row) for _, tell in told) for row in rows)
    return Table(title=title, columns=tuple(head for head, _ in told), rows=cells, note=note)


def csv_text(columns: Sequence[Column[Row]], rows: Iterable[Row]) -> str:
    """Return the columns' data as CSV: a header, then one line per object; an empty cell is undefined.

    >>> csv_text((Column(name="gpu", value=str.upper), Column(name="letters", value=len)), ["h100"])
    'gpu,letters\\nH100,4\\n'
    """
    known = [(column.name, column.value) for column in columns if column.value is not None]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(name for name, _ in known)
    writer.writerows([value(row) for _, value in known] for row in rows)
    return text.getvalue()
