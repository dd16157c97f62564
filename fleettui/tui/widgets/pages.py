"""Rows that are read page by page: where they come from, and a cache of the pages that were read."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from fleettui.errors import FleettuiError
from fleettui.reports.table import Table

SIZE = 100
"""Rows of a page."""
KEPT = 20
"""Pages that are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some rows of a long table, with one key per row."""

    table: Table
    keys: tuple[str, ...]


class Rows(Protocol):
    """The rows of a long table. Both are called in a thread; calls on one object never overlap."""

    def count(self) -> int:
        """Return how many rows there are."""
        ...

    def page(self, offset: int, limit: int) -> Page:
        """Return the rows from `offset` on, at most `limit`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one visit to the rows came back with: how many there are, and pages by their number."""

    count: int
    pages: Mapping[int, Page]


def read(rows: Rows, wanted: range, count: int | None = None) -> Reading:
    """Read the pages that hold the wanted rows, or the last as many when there are not so many rows.

    `count` is what was counted before; without it the rows are counted first. A page that ends early or late puts it
    right, for other programs write while this one reads.
    """
    total = rows.count() if count is None else count
    first = max(0, min(wanted.start, total - len(wanted)))
    last = min(total, first + len(wanted)) - 1
    numbers = range(first // SIZE, last // SIZE + 1) if last >= first else range(0)
    pages = {number: rows.page(number * SIZE, SIZE) for number in numbers}
    for number, page in pages.items():
        end = number * SIZE + len(page.keys)
        if len(page.keys) < SIZE:
            return Reading(count=end if page.keys else rows.count(), pages=pages)
        total = max(total, end)
    return Reading(count=total, pages=pages)


def complaint(error: BaseException | None) -> str:
    """Return a failed reading in one line."""
    lines = str(error).strip().split("\n")
    text = lines[0] if isinstance(error, FleettuiError) else f"{type(error).__name__}: {lines[0]}"
    return f"! the rows cannot be read: {text}"


class Pages:
    """The pages read last. Outdated ones are still shown, and wanted anew."""

    def __init__(self) -> None:
        self._pages: OrderedDict[int, Page] = OrderedDict()
        self._outdated: set[int] = set()

    def row(self, index: int) -> tuple[str, ...] | None:
        """Return the cells of a row, None where it is not read."""
        page = self._page(index)
        return None if page is None else page.table.rows[index % SIZE]

    def key(self, index: int) -> str | None:
        """Return the key of a row, None where it is not read."""
        page = self._page(index)
        return None if page is None else page.keys[index % SIZE]

    def missing(self, wanted: range) -> bool:
        """Return whether any of the wanted rows' pages is to be read."""
        numbers = range(wanted.start // SIZE, (wanted.stop - 1) // SIZE + 1) if wanted else range(0)
        return any(number not in self._pages or number in self._outdated for number in numbers)

    def put(self, pages: Mapping[int, Page]) -> None:
        """Take in pages that were read; those unused for longest go."""
        for number, page in pages.items():
            self._pages[number] = page
            self._pages.move_to_end(number)
            self._outdated.discard(number)
        while len(self._pages) > KEPT:
            gone, _ = self._pages.popitem(last=False)
            self._outdated.discard(gone)

    def outdate(self) -> None:
        """Let every page be wanted anew."""
        self._outdated = set(self._pages)

    def _page(self, index: int) -> Page | None:
        """Return the page that holds a row; one that ended early holds none beyond its end."""
        number, place = divmod(index, SIZE)
        page = self._pages.get(number)
        if page is None or place >= len(page.keys):
            return None
        self._pages.move_to_end(number)
        return page


def index_of(key: str | None, pages: Mapping[int, Page]) -> int | None:
    """Return the index of the row with a key, None where these pages have it not."""
    for number, page in pages.items():
        if key in page.keys:
            return number * SIZE + page.keys.index(key)
    return None
