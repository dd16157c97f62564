"""The kept plans as the paged table asks for them: filtered by words, in some order, a page at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from fleettui.domain.plan_row import PlanRow
from fleettui.reports import units
from fleettui.reports.plans_table import plans_table, signed_table
from fleettui.reports.table import Table
from fleettui.tui.widgets.pages import Page

if TYPE_CHECKING:
    from store import Store

SORTS: dict[str, tuple[str, str]] = {
    "created": ("made, newest first", "made, oldest first"),
    "cost": ("$/h, cheapest first", "$/h, dearest first"),
    "ttft": ("TTFT, shortest first", "TTFT, longest first"),
    "name": ("name", "name, z first"),
    "verdict": ("verdict", "verdict, reversed"),
}
"""What plans are sorted by, in the order of the key, with the words for it and for its reverse."""
NO_MATCH = "No plan matches {}.  {}esc clears the filter"
BATCH, MOST = 500, 10_000
"""Plans that are read at a time, and at most, where the whole list is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """How plans are sorted."""

    sort: str = "created"
    reverse: bool = False

    @classmethod
    def read(cls, text: str) -> Order:
        """Return the order that a session keeps; what is no order is the default."""
        sort = text.removeprefix("-")
        return cls(sort=sort, reverse=text.startswith("-")) if sort in SORTS else cls()

    @property
    def text(self) -> str:
        """The text that `read` reads back.

        >>> Order.read("-cost"), Order.read("-cost").text
        (Order(sort='cost', reverse=True), '-cost')
        """
        return f"-{self.sort}" if self.reverse else self.sort

    @property
    def words(self) -> str:
        """The order in words."""
        return SORTS[self.sort][self.reverse]

    @property
    def next(self) -> Order:
        """The order by the next column."""
        names = list(SORTS)
        return Order(sort=names[(names.index(self.sort) + 1) % len(names)])

    @property
    def turned(self) -> Order:
        """The same order the other way round."""
        return Order(sort=self.sort, reverse=not self.reverse)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRows:
    """The plans that meet `words`. `opened` is the id of the plan that the other views show; `wide`: in whole words."""

    store: Store
    words: str
    order: Order
    opened: str
    wide: bool

    def count(self) -> int:
        """Return how many there are."""
        return self.store.count(self.words)

    def page(self, offset: int, limit: int) -> Page:
        """Return some rows of the table."""
        found = self._read(offset, limit)
        table = signed_table(found, self.opened, wide=self.wide)
        return Page(table=table, keys=tuple(row.id for row in found))

    def whole(self) -> Table:
        """Return the list as one table, as for a file; a very long one ends with how many are left out."""
        rows: list[PlanRow] = []
        while len(rows) < MOST and (more := self._read(len(rows), BATCH)):
            rows += more
            if len(more) < BATCH:
                break
        total = max(self.count(), len(rows))
        left_out = f"{units.count(len(rows))} of {units.count(total)}" if len(rows) < total else units.count(len(rows))
        title = f"{left_out} plans   filter: {self.words or 'none'}   sorted by {self.order.words}"
        return replace(plans_table(rows), title=title)

    def _read(self, offset: int, limit: int) -> tuple[PlanRow, ...]:
        order = self.order
        return self.store.plans(self.words, sort=order.sort, reverse=order.reverse, limit=limit, offset=offset)


def no_match(store: Store, words: str) -> str:
    """Return what is said where no plan meets `words`: which one word less would find most, and the way back."""
    each = words.split()
    found = {word: store.count(" ".join(one for one in each if one != word)) for word in dict.fromkeys(each)}
    without = max(found, key=lambda word: found[word])
    hint = f"{units.count(found[without])} without {without}.  " if len(found) > 1 and found[without] else ""
    return NO_MATCH.format(words, hint)


def check(words: str) -> None:
    """Raise InputError for a word that no query understands."""
    from store.queries import conditions

    conditions(words, moment=datetime.now(UTC))


def accepted() -> str:
    """Return which words a query understands."""
    from store.queries import ACCEPTED

    return ACCEPTED
