"""Rows of a table as lines of one height, for lists that scroll: cut, never wrapped, never wider than there is room."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rich.cells import cell_len, set_cell_size

from fleettui.reports.table import GAP, NARROWEST, Head, Table, in_all, with_room, wrap

CUT, CUT_ASCII = "…", "~"
UNREAD, UNREAD_ASCII = "…", "..."
GUTTER = 2
"""Cells before a row: the cursor and the mark."""

NOT_SURE = r"(?:, not [<>]?[\d.]+% sure)?"
"""What stands behind a verdict where no fleet is as sure as was wished."""
VERDICTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (role, re.compile(rf"(?:(?<=  )|^)(?:{words})(?=  |$)"))
    for role, words in (
        (
            "good",
            r"~?PASS(?: (?:simulated|formula))?(?: [<>]?\d+%| at nominal speed)?(?:, [\d,]+ (?:spare|short))?|done",
        ),
        (
            "bad",
            rf"~?FAIL(?: (?:simulated|formula))?(?:, [\d,]+ (?:spare|short))?{NOT_SURE}|INFEASIBLE{NOT_SURE}|"
            "fails|failed|no",
        ),
        ("open", r"NOT PROVEN|NOT FINISHED|not proven|stopped|stopping|cancelled"),
    )
)
"""What a cell that is a verdict says, and how such a cell is read."""


def verdicts(line: str) -> list[tuple[int, int, str]]:
    """Return where cells of a line are verdicts, from the left: the first column, the one after the last, and which.

    >>> verdicts("  9f3c  chat   FAIL simulated"), verdicts("  9f3c  PASS of summer  ~PASS")
    ([(15, 29, 'bad')], [(24, 29, 'good')])
    >>> verdicts("  9f3c  PASS simulated 66%"), verdicts("  9f3c  FAIL simulated, not 90% sure")
    ([(8, 26, 'good')], [(8, 36, 'bad')])
    """
    text = line.rstrip()
    return sorted((*found.span(), role) for role, pattern in VERDICTS for found in pattern.finditer(text))


def gutter(*, cursor: bool, mark: bool) -> str:
    """Return the signs before a row.

    >>> gutter(cursor=True, mark=False), gutter(cursor=False, mark=True), gutter(cursor=True, mark=True)
    ('> ', '+ ', '>+')
    """
    return (">" * cursor + "+" * mark).ljust(GUTTER)


def plain(text: str, *, ascii_only: bool = False) -> str:
    """Return text that moves no cursor: every character that cannot be printed is a blank, in ASCII others a `?`.

    >>> plain("a\\x1b[2J"), plain("2 × H100", ascii_only=True)
    ('a [2J', '2 ? H100')
    """
    if not text.isprintable():
        text = "".join(one if one.isprintable() else " " for one in text)
    return text if not ascii_only or text.isascii() else text.encode("ascii", "replace").decode()


def grown(widths: tuple[int, ...], columns: tuple[Head, ...], rows: Iterable[tuple[str, ...]]) -> tuple[int, ...]:
    """Return the columns' widths, none less than it was, wide enough for the heads and for these rows too."""
    wide = list(widths) or [0] * len(columns)
    for cells in (tuple(column.title for column in columns), *rows):
        for index, cell in enumerate(cells):
            wide[index] = max(wide[index], cell_len(plain(cell)))
    return tuple(wide)


def fitted(columns: tuple[Head, ...], widths: tuple[int, ...], room: int) -> tuple[int | None, ...]:
    """Return the widths of the columns that are drawn in `room` cells: all that fit, from the left.

    Those that stand there only if there is room go first: they are None. Then columns that wrap give way, the widest
    before the others; then the rightmost ones go.
    """
    kept = with_room(columns, widths, room)
    found = _from_the_left(tuple(columns[one] for one in kept), tuple(widths[one] for one in kept), room)
    drawn = dict(zip(kept, found, strict=False))
    return tuple(drawn.get(place) for place in range(max(drawn, default=-1) + 1))


def _from_the_left(columns: tuple[Head, ...], widths: tuple[int, ...], room: int) -> tuple[int, ...]:
    """Return the widths of as many columns as fit, those that wrap cut first."""
    for count in range(len(widths), 1, -1):
        found = _squeezed(columns[:count], widths[:count], room)
        if in_all(found) <= room:
            return found
    return (min(widths[0], max(0, room)),) if widths else ()


class Layout:
    """The columns of the pages of one table, fitted into a room; what is drawn keeps its place while pages come."""

    def __init__(self, *, ascii_only: bool = False) -> None:
        self.ascii_only = ascii_only
        self._columns: tuple[Head, ...] = ()
        self._widths: tuple[int, ...] = ()
        self._fitted: tuple[int | None, ...] = ()
        self._room = 0

    @property
    def head(self) -> int:
        """The lines of heads above the rows: one, or none where no column has a title."""
        return int(any(column.title for column in self._columns))

    def learn(self, table: Table) -> None:
        """Make room for the cells of a page."""
        if table.columns != self._columns:
            self._columns, self._widths = table.columns, ()
        self._widths = grown(self._widths, self._columns, table.rows)
        self.fit(self._room)

    def fit(self, room: int) -> None:
        """Take the cells that there are, beside the gutter, for all columns."""
        self._room = room
        self._fitted = fitted(self._columns, self._widths, room)

    def heads(self) -> str:
        """Return the line above the rows."""
        return " " * GUTTER + self._line(tuple(column.title for column in self._columns))

    def row(self, cells: tuple[str, ...] | None, *, cursor: bool, mark: bool) -> str:
        """Return the line of a row; None is one that is not read yet."""
        return gutter(cursor=cursor, mark=mark) + (self.unread if cells is None else self._line(cells))

    def told(self, text: str, width: int) -> list[str]:
        """Return text that stands in place of rows, in lines of `width`."""
        return [
            plain(one, ascii_only=self.ascii_only) for part in text.split("\n") for one in wrap(part, max(1, width))
        ]

    @property
    def unread(self) -> str:
        """What stands for a row that is not read yet."""
        return UNREAD_ASCII if self.ascii_only else UNREAD

    def _line(self, cells: tuple[str, ...]) -> str:
        return line(cells, self._columns, self._fitted, ascii_only=self.ascii_only)


def line(
    cells: tuple[str, ...], columns: tuple[Head, ...], widths: tuple[int | None, ...], *, ascii_only: bool = False
) -> str:
    """Return the cells side by side, as many as there are widths, each exactly as wide as said; None is left out."""
    drawn = zip(cells, columns, widths, strict=False)
    return GAP.join(
        _cell(plain(cell, ascii_only=ascii_only), column, width, ascii_only)
        for cell, column, width in drawn
        if width is not None
    )


def _cell(text: str, column: Head, width: int, ascii_only: bool) -> str:
    missing = width - cell_len(text)
    if missing < 0:
        return set_cell_size(text, max(0, width - 1)) + (CUT_ASCII if ascii_only else CUT) * (width > 0)
    return " " * missing + text if column.align == "right" else text + " " * missing


def _squeezed(columns: tuple[Head, ...], widths: tuple[int, ...], room: int) -> tuple[int, ...]:
    """Return the widths with the widest wrap column cut again and again until all fit or none can give more."""
    found = list(widths)
    giving = [index for index, column in enumerate(columns) if column.wrap]
    for _ in range(max(0, in_all(widths) - room)):
        widest = max(giving, key=lambda index: found[index], default=None)
        if widest is None or found[widest] <= NARROWEST:
            break
        found[widest] -= 1
    return tuple(found)
