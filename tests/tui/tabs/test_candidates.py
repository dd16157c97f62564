"""Candidates as the table asks for them: one row per fleet, the answer first, in every order, found by their words."""

from dataclasses import replace

import pytest

from fleettui.domain.plan import Candidate
from fleettui.reports import fleet_text
from fleettui.tui.shown import Shown
from fleettui.tui.state import AppState
from fleettui.tui.tabs import candidates
from fleettui.tui.tabs.candidates import CandidateRows
from fleettui.tui.tabs.listing import ORDERS, Listing
from fleettui.tui.widgets.pages import Page
from store import Store
from tests.store import samples


@pytest.fixture
async def shown(state: AppState) -> Shown:
    """The newest plan, with some dozens of candidates."""
    return await state.open_plan("last")


@pytest.fixture
async def stored(state: AppState, shown: Shown) -> tuple[Store, Shown]:
    return await state.thread.store(), shown


def read(shown: Shown, listing: Listing, store: Store | None = None) -> tuple[CandidateRows, Page]:
    """Return the rows, counted, and all of them as one page."""
    rows = CandidateRows(shown=shown, listing=listing, store=store)
    return rows, rows.page(0, rows.count())


def of(one: Candidate, order: str) -> float:
    """Return what a candidate is sorted by."""
    worst = {"ttft": max(pool.ttft for pool in one.pools), "tpot": max(pool.tpot for pool in one.pools)}
    return worst[order] if order in worst else getattr(one, order)


async def test_every_split_is_a_row_once_in_the_order_of_the_answer(stored: tuple[Store, Shown]) -> None:
    store, shown = stored
    rows, whole = read(shown, Listing(every=True), store)
    known = [one.candidate for one in shown.answer.candidates]
    assert rows.total == len(known) > 40
    assert list(whole.keys) == known
    assert [key for offset in range(0, len(known), 7) for key in rows.page(offset, 7).keys] == known
    best = shown.answer.answer
    assert [row[0] for row in whole.table.rows[:3]] == [
        f"{'* ' if best and one.candidate == best.candidate else '  '}{one.handle}"
        for one in shown.answer.candidates[:3]
    ]


async def test_a_fleet_is_one_row_that_says_how_many_splits_it_stands_for(stored: tuple[Store, Shown]) -> None:
    store, shown = stored
    fleets = [fleet_text.fleet(one.fleet) for one in shown.answer.candidates]
    rows, whole = read(shown, Listing(), store)
    assert [row[1] for row in whole.table.rows] == list(dict.fromkeys(fleets))
    assert len(whole.keys) < rows.total == len(fleets)
    assert whole.table.columns[-1].title == "split at"
    for row in whole.table.rows:
        assert (row[-1] == f"{fleets.count(row[1])} splits") == (fleets.count(row[1]) > 1)


async def test_the_answer_or_what_was_simulated_stands_for_its_fleet(shown: Shown) -> None:
    alike = [one for one in shown.answer.candidates if one.fleet.pools[1:]][:1] * 3
    first, *_ = three = [replace(one, candidate=str(place), handle=str(place)) for place, one in enumerate(alike)]
    three[1] = replace(first, candidate="1", handle="1", evidence=samples.simulated())
    held = replace(shown, answer=replace(shown.answer, answer=None, candidates=tuple(three)))
    assert read(held, Listing())[1].keys == ("1",)
    held = replace(held, answer=replace(held.answer, answer=three[2]))
    assert read(held, Listing())[1].keys == ("2",)


async def test_the_answer_stands_first_where_that_is_wanted(shown: Shown) -> None:
    *_, last = shown.answer.candidates
    other = replace(shown, answer=replace(shown.answer, answer=last))
    assert read(other, Listing(every=True))[1].keys[-1] == last.candidate
    assert read(other, Listing(every=True, answer_first=True))[1].keys[0] == last.candidate


@pytest.mark.thorough
@pytest.mark.parametrize("order", [name for name in ORDERS if name != "rank"])
async def test_every_order_is_what_its_words_say_in_the_store_and_in_the_hand(
    stored: tuple[Store, Shown], order: str
) -> None:
    store, shown = stored
    known = {one.candidate: one for one in shown.answer.candidates}
    for reverse in (False, True):
        for held in (store, None):
            _, whole = read(shown, Listing(order=order, reverse=reverse, every=True), held)
            values = [of(known[key], order) for key in whole.keys]
            assert values == pytest.approx(sorted(values, reverse=reverse))
            assert sorted(whole.keys) == sorted(known)


async def test_the_rank_turned_around_is_the_same_in_the_store_and_in_the_hand(stored: tuple[Store, Shown]) -> None:
    store, shown = stored
    for reverse in (False, True):
        listing = Listing(reverse=reverse)
        assert read(shown, listing, store)[1] == read(shown, listing)[1]


async def test_words_find_rows_in_any_case(shown: Shown) -> None:
    best = shown.answer.answer
    assert best is not None
    assert best.candidate in read(shown, Listing(words=best.handle))[1].keys
    fleets = [row[1] for row in read(shown, Listing(words="TP8 h100"))[1].table.rows]
    assert fleets
    assert all("tp8" in fleet for fleet in fleets)
    assert read(shown, Listing(words="no-such-word"))[1].keys == ()


async def test_very_many_are_read_a_page_at_a_time_and_words_are_looked_for_among_the_first(
    stored: tuple[Store, Shown], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, shown = stored
    known = [one.candidate for one in shown.answer.candidates]
    monkeypatch.setattr(candidates, "FOLDED", 20)
    rows = CandidateRows(shown=shown, listing=Listing(answer_first=True), store=store)
    assert rows.count() == rows.total == len(known)
    assert list(rows.page(30, 5).keys) == known[30:35]
    sought = CandidateRows(shown=shown, listing=Listing(words="tp8"), store=store)
    assert list(sought.page(0, sought.count()).keys) == known[:20]
    assert sought.total == len(known)


async def test_the_example_holds_its_own(state: AppState) -> None:
    state.show_example()
    assert state.shown is not None
    rows, _ = read(state.shown, Listing(every=True))
    known = [one.candidate for one in state.shown.answer.candidates]
    assert rows.total == len(known)
    assert list(rows.page(2, 5).keys) == known[2:7]
    assert rows.page(len(known), 5).keys == ()


def test_of_a_plan_without_an_answer_none_is_marked(shown: Shown) -> None:
    nothing = replace(shown, answer=replace(shown.answer, answer=None))
    assert not any(row[0].startswith("*") for row in read(nothing, Listing())[1].table.rows)
