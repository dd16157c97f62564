"""The rows of a list as the paged table asks for them: a page at a time, or those among the first that have words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from fleettui.reports.columns import Column, table
from fleettui.reports.table import Table
from fleettui.tui.row_words import has_words
from fleettui.tui.widgets.pages import Page

Row = TypeVar("Row")
FIRST = 500
"""Rows among which words are looked for."""


@dataclass(slots=True, kw_only=True)
class ListRows(Generic[Row]):
    """A list: how `many` rows it has, so many of them from an offset on, what each is known by, and rows as a table.

    `lines` are the rows that were read last by their keys. With `words` only those of the FIRST whose cells have them,
    in the table that `whole` makes where `tell` may leave columns out.
    `many` is called before the rows are read, with `words` or without.
    """

    many: Callable[[], int]
    read: Callable[[int, int], Sequence[Row]]
    key: Callable[[Row], str]
    tell: Callable[[Sequence[Row]], Table]
    whole: Callable[[Sequence[Row]], Table] | None = None
    wide: bool = True
    words: str = ""
    lines: dict[str, Row] = field(default_factory=dict)
    _found: list[Row] = field(default_factory=list)

    def count(self) -> int:
        """Return how many there are."""
        every = self.many()
        if not self.words:
            return every
        first = self.read(0, FIRST)
        cells = (self.whole or self.tell)(first).rows
        self._found = [one for one, row in zip(first, cells, strict=True) if has_words(row, self.words)]
        return len(self._found)

    def page(self, offset: int, limit: int) -> Page:
        """Return some rows of the table."""
        found = self._found[offset : offset + limit] if self.words else self.read(offset, limit)
        new = dict(zip(apart(map(self.key, found)), found, strict=True))
        self.lines = {**self.lines, **new} if offset else new
        return Page(table=self.tell(found), keys=tuple(new))


def all_rows(listed: Callable[[], Sequence[Row]], columns: Sequence[Column[Row]]) -> ListRows[Row]:
    """Return the list of the rows that `listed` returns, all read whenever they are counted, known by their words.

    >>> from fleettui.reports.columns import figure, words
    >>> rows = all_rows(lambda: ["b", "a", "b"], (words("letter", str), figure("letters", len)))
    >>> rows.count(), rows.page(0, 100).keys, rows.page(0, 1).table.rows
    (3, ('b', 'a', 'b #2'), (('b', '1'),))
    """
    rows: list[Row] = []
    names = [column for column in columns if column.head is not None and column.head.align == "left"]

    def many() -> int:
        rows[:] = listed()
        return len(rows)

    return ListRows(
        many=many,
        read=lambda offset, limit: rows[offset : offset + limit],
        key=lambda row: " ".join(text for column in names for text in column.tell([row])),
        tell=lambda found: table(columns, found),
    )


def apart(keys: Iterable[str]) -> Iterator[str]:
    """Yield keys that are all different: one that was there before has its number behind it."""
    seen: Counter[str] = Counter()
    for key in keys:
        seen[key] += 1
        yield key if seen[key] == 1 else f"{key} #{seen[key]}"
