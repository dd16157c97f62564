"""Columns, each declared once: the value of a row's object, how it is written, and where it is shown."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from fleettui.domain.study import StudyTable
from fleettui.reports import units
from fleettui.reports.durations import seconds_alike
from fleettui.reports.table import Head, Table

Row = TypeVar("Row")
Value = TypeVar("Value")
Page: TypeAlias = Literal["list", "report"]
"""Where tables stand: in lists, printed or in the app, or in the report on a plan."""
LIST: tuple[Page, ...] = ("list",)
REPORT: tuple[Page, ...] = ("report",)
BOTH: tuple[Page, ...] = (*LIST, *REPORT)
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a cell begins with that a spreadsheet takes for a formula."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column(Generic[Row]):
    """A `value` of each row's object: on pages `write` makes it text below `head`, data have it in SI as `name`.

    Pages leave out a column without `head`, data one without `name`. A value that is None is undefined. `sign` is what
    stands before the figure of an object on pages, such as a ~ before an estimate. `pages` are those that it stands on.
    """

    value: Callable[[Row], Any]
    write: Callable[[Any], str] = str
    head: Head | None = None
    name: str = ""
    sign: Callable[[Row], str] | None = None
    pages: tuple[Page, ...] = LIST

    def tell(self, rows: Sequence[Row]) -> list[str]:
        """Return the values of rows' objects as text, durations all in one unit."""
        values = [self.value(row) for row in rows]
        write = seconds_alike(values) if self.write is units.seconds else self.write
        texts = [units.UNDEFINED if value is None else write(value) for value in values]
        sign = self.sign
        if sign is None:
            return texts
        pairs = zip(rows, texts, strict=True)
        return [f"{sign(row)}{text}" if text.lstrip(".")[:1].isdigit() else text for row, text in pairs]


def words(
    title: str,
    value: Callable[[Row], str | None],
    *,
    wrap: bool = False,
    least: int = 0,
    if_room: bool = False,
    name: str = "",
    pages: tuple[Page, ...] = LIST,
) -> Column[Row]:
    """Return a column of words, which stand on the left."""
    head = Head(title=title, wrap=wrap, least=least, if_room=if_room)
    return Column(value=value, head=head, name=name, pages=pages)


def figure(
    title: str,
    value: Callable[[Row], Value | None],
    write: Callable[[Value], str] = str,
    *,
    name: str = "",
    sign: Callable[[Row], str] | None = None,
    shown: bool = True,
    if_room: bool = False,
    pages: tuple[Page, ...] = LIST,
) -> Column[Row]:
    """Return a column of figures, which stand on the right; one that is not `shown` is in the data alone."""
    head = Head(title=title, align="right", if_room=if_room) if shown else None
    return Column(value=value, write=write, head=head, name=name, sign=sign, pages=pages)


def data(name: str, value: Callable[[Row], object]) -> Column[Row]:
    """Return a column that is in the data alone."""
    return Column(value=value, name=name)


def table(
    columns: Sequence[Column[Row]], rows: Iterable[Row], *, title: str = "", note: str = "", page: Page = "list"
) -> Table:
    """Return what the columns of a page tell of each object as a table that it is rendered from.

    >>> table((words("GPU", str.upper), figure("letters", len)), ["h100", "l4"]).rows
    (('H100', '4'), ('L4', '2'))
    """
    shown = [(column, column.head) for column in columns if column.head is not None and page in column.pages]
    found = list(rows)
    cells = zip(*(column.tell(found) for column, _ in shown), strict=True) if shown else ((),) * len(found)
    return Table(title=title, columns=tuple(head for _, head in shown), rows=tuple(cells), note=note)


def csv_text(columns: Sequence[Column[Row]], rows: Iterable[Row]) -> str:
    """Return the columns' data as CSV: a header, then one line per object; an empty cell is undefined.

    >>> csv_text((words("GPU", str.upper, name="gpu"), figure("letters", len), data("size", len)), ["h100"])
    'gpu,size\\nH100,4\\n'
    """
    known = [column for column in columns if column.name]
    return _csv((column.name for column in known), ([column.value(row) for column in known] for row in rows))


def study_csv(table: StudyTable) -> str:
    """Return a study's table as CSV: the names of its columns, then its rows in SI units.

    >>> from fleettui.domain.study import table_of
    >>> study_csv(table_of("words", ["a"], ("word", "text", str), ("letters", "count", len)))
    'word,letters\\na,1\\n'
    """
    return _csv((column.name for column in table.columns), table.rows)


def _csv(names: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([harmless(cell) for cell in row] for row in rows)
    return text.getvalue()


def harmless(cell: object) -> object:
    """Return a cell as no spreadsheet computes it: words that begin as a formula does stand behind an apostrophe.

    See OWASP, "CSV Injection". Numbers stay as they are.

    >>> harmless("=1+1"), harmless("@x"), harmless("-2"), harmless(-2.0), harmless("chat")
    ("'=1+1", "'@x", "'-2", -2.0, 'chat')
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell
