"""The candidates of a plan as the paged table asks for them: one row per fleet, the answer first.

What differs only in where the pools divide is one fleet: its answer stands for it, else what was simulated of it, else
the first. They come from the store or, of the example, from memory.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fleettui.domain.plan import Candidate
from fleettui.reports import fleet_text
from fleettui.reports.candidates_table import candidates_page, is_same
from fleettui.tui.row_words import has_words
from fleettui.tui.shown import Shown
from fleettui.tui.tabs.listing import Listing
from fleettui.tui.widgets.paged_table import Page

if TYPE_CHECKING:
    from store import Store

FOLDED = 2_000
"""Candidates up to which they are read whole, and folded."""


@dataclass(slots=True, kw_only=True)
class CandidateRows:
    """The candidates of a plan on screen, read when they are counted; without a `store` those that it holds itself.

    More than FOLDED of them are read a page at a time, every split a row in the order asked for, and words are looked
    for among the first FOLDED.
    """

    shown: Shown
    listing: Listing
    store: Store | None = None
    total: int = 0
    """How many candidates there are, before any of them is left out."""
    _listed: list[Candidate] = field(default_factory=list)
    _splits: Counter[str] | None = None

    def count(self) -> int:
        """Read them, and return how many rows there are."""
        listing, answer = self.listing, self.shown.answer.answer
        held = len(self.shown.answer.candidates)
        self.total = held if self.store is None else self.store.count_candidates(self.shown.plan)
        if self._by_page:
            return self.total
        found = self._read(0, FOLDED)
        divided = any(len(one.fleet.pools) > 1 for one in found)
        self._splits = Counter() if divided else None
        if not listing.every and self.total <= FOLDED:
            if divided:
                self._splits = Counter(fleet_text.fleet(one.fleet) for one in found)
            found = _one_per_fleet(found, answer)
        if listing.answer_first:
            found.sort(key=lambda one: not is_same(one, answer))
        if listing.words:
            cells = self._page(found).table.rows
            found = [one for one, row in zip(found, cells, strict=True) if has_words(row, listing.words)]
        self._listed = found
        return len(found)

    def page(self, offset: int, limit: int) -> Page:
        """Return some rows of the table."""
        return self._page(self._read(offset, limit) if self._by_page else self._listed[offset : offset + limit])

    @property
    def _by_page(self) -> bool:
        return self.total > FOLDED and not self.listing.words

    def _page(self, candidates: Sequence[Candidate]) -> Page:
        table = candidates_page(candidates, self.shown.question, self.shown.answer.answer, self._splits)
        return Page(table=table, keys=tuple(one.candidate for one in candidates))

    def _read(self, offset: int, limit: int) -> list[Candidate]:
        order, reverse, plan = self.listing.order, self.listing.reverse, self.shown.plan
        if self.store is None:
            return _sorted(self.shown.answer.candidates, self.listing)[offset : offset + limit]
        return list(self.store.candidates(plan, order=order, reverse=reverse, offset=offset, limit=limit))


def _one_per_fleet(candidates: Sequence[Candidate], answer: Candidate | None) -> list[Candidate]:
    """Return what stands for each fleet, in the order given."""
    best: dict[str, Candidate] = {}
    for one in candidates:
        name = fleet_text.fleet(one.fleet)
        if name not in best or _tells_more(one, answer) > _tells_more(best[name], answer):
            best[name] = one
    chosen = {id(one) for one in best.values()}
    return [one for one in candidates if id(one) in chosen]


def _tells_more(candidate: Candidate, answer: Candidate | None) -> tuple[bool, bool]:
    return is_same(candidate, answer), candidate.simulation is not None


def _sorted(candidates: Iterable[Candidate], listing: Listing) -> list[Candidate]:
    """Return candidates by the orders of the store, which holds them by rank."""
    found = list(candidates)
    if listing.order != "rank":
        found.sort(key=lambda one: _value(one, listing.order))
    if listing.reverse:
        found.reverse()
    return found


def _value(candidate: Candidate, order: str) -> float:
    """Return what a candidate is sorted by; undefined comes last."""
    own = getattr(candidate, order, None)
    found = [own] if own is not None else [getattr(pool, order) for pool in candidate.pools]
    return max((math.inf if one is None else one for one in found), default=math.inf)
