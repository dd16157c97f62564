"""The rows of a list as the paged table asks for them: a page at a time, or those among the first that have words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

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
        if not self.words:
            return self.many()
        first = self.read(0, FIRST)
        cells = (self.whole or self.tell)(first).rows
        self._found = [one for one, row in zip(first, cells, strict=True) if has_words(row, self.words)]
        return len(self._found)

    def page(self, offset: int, limit: int) -> Page:
        """Return some rows of the table."""
        found = self._found[offset : offset + limit] if self.words else self.read(offset, limit)
        new = {self.key(one): one for one in found}
        self.lines = {**self.lines, **new} if offset else new
        return Page(table=self.tell(found), keys=tuple(new))
