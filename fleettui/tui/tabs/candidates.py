"""The candidates of a plan as the paged table asks for them, from the store or, of the example, from memory."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fleettui.domain.plan import Candidate
from fleettui.reports.candidates_table import candidates_page
from fleettui.tui.state import Shown
from fleettui.tui.widgets.paged_table import Page

if TYPE_CHECKING:
    from store import Store

ORDERS = {
    "rank": "cheapest first",
    "cost_per_hour": "by cost",
    "gpus": "by GPUs",
    "ttft": "by TTFT by formula",
    "tpot": "by TPOT by formula",
    "power": "by power",
}
"""What candidates are sorted by, in the order of the key, with the words of the title."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCandidates:
    """The candidates of a stored plan, a page at a time."""

    store: Store
    shown: Shown
    order: str
    reverse: bool = False

    def count(self) -> int:
        """Return how many there are."""
        return self.store.count_candidates(self.shown.plan)

    def page(self, offset: int, limit: int) -> Page:
        """Return some rows of the table."""
        found = self.store.candidates(
            self.shown.plan, order=self.order, reverse=self.reverse, offset=offset, limit=limit
        )
        return page_of(found, self.shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldCandidates:
    """The candidates that an answer holds itself, by the same orders as the store's."""

    shown: Shown
    order: str
    reverse: bool = False

    def count(self) -> int:
        """Return how many there are."""
        return len(self.shown.answer.candidates)

    def page(self, offset: int, limit: int) -> Page:
        """Return some rows of the table."""
        found = list(self.shown.answer.candidates)
        if self.order != "rank":
            found.sort(key=self._value)
        if self.reverse:
            found.reverse()
        return page_of(tuple(found[offset : offset + limit]), self.shown)

    def _value(self, candidate: Candidate) -> float:
        """Return what it is sorted by; undefined comes last."""
        own = getattr(candidate, self.order, None)
        found = [own] if own is not None else [getattr(pool, self.order) for pool in candidate.pools]
        return max((math.inf if one is None else one for one in found), default=math.inf)


def page_of(candidates: tuple[Candidate, ...], shown: Shown) -> Page:
    """Return candidates as a page; the answer bears a `*`."""
    table = candidates_page(candidates, shown.question, shown.answer.answer)
    return Page(table=table, keys=tuple(one.candidate for one in candidates))
