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
from fleettui.tui.state import Shown
from fleettui.tui.widgets.paged_table import Page

if TYPE_CHECKING:
    from store import Store

FOLDED = 2_000
"""Candidates up to which they are read whole, and folded."""
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
class Listing:
    """How the candidates are listed: sorted by `order`, those whose rows have `words`.

    An empty order is the plan's own. With `every` each split of a fleet is a row, with `answer_first` the plan's answer
    stands before all others.
    """

    order: str = "rank"
    reverse: bool = False
    words: str = ""
    every: bool = False
    answer_first: bool = False

    @classmethod
    def read(cls, text: str) -> Listing:
        """Return what a session keeps of a listing; what is none is the default.

        >>> Listing.read("-gpus=") == Listing(order="gpus", reverse=True, every=True), Listing.read("?").order
        (True, '')
        """
        order = text.removeprefix("-").removesuffix("=")
        known = order in ORDERS
        return cls(order=order if known else "", reverse=text.startswith("-"), every=text.endswith("="))

    @property
    def text(self) -> str:
        """The text that `read` reads back."""
        return f"{'-' if self.reverse else ''}{self.order}{'=' if self.every else ''}"


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
