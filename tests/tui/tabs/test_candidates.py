"""Candidates as the table asks for them: pages from the store in every order, and those of the example."""

from dataclasses import replace

import pytest

from fleettui.domain.plan import Candidate
from fleettui.tui.state import AppState, Shown
from fleettui.tui.tabs.candidates import ORDERS, HeldCandidates, StoredCandidates, page_of
from store import Store


@pytest.fixture
async def shown(state: AppState) -> Shown:
    """The newest plan, with some dozens of candidates."""
    return await state.open_plan("last")


@pytest.fixture
async def stored(state: AppState, shown: Shown) -> tuple[Store, Shown]:
    return await state.thread.store(), shown


def of(one: Candidate, order: str) -> float:
    """Return what a candidate is sorted by."""
    worst = {"ttft": max(pool.ttft for pool in one.pools), "tpot": max(pool.tpot for pool in one.pools)}
    return worst[order] if order in worst else getattr(one, order)


async def test_pages_hold_every_candidate_once_in_the_order_of_the_answer(stored: tuple[Store, Shown]) -> None:
    store, shown = stored
    rows = StoredCandidates(store=store, shown=shown, order="rank")
    known = [one.candidate for one in shown.answer.candidates]
    assert rows.count() == len(known) > 40
    found = [key for offset in range(0, rows.count(), 7) for key in rows.page(offset, 7).keys]
    assert found == known
    page = rows.page(0, 3)
    assert [row[0] for row in page.table.rows] == [
        f"{'* ' if place == 0 else '  '}{one.handle}" for place, one in enumerate(shown.answer.candidates[:3])
    ]


@pytest.mark.parametrize("order", [name for name in ORDERS if name != "rank"])
async def test_every_order_is_what_its_words_say_in_the_store_and_in_the_hand(
    stored: tuple[Store, Shown], order: str
) -> None:
    store, shown = stored
    known = {one.candidate: one for one in shown.answer.candidates}
    for reverse in (False, True):
        for rows in (
            StoredCandidates(store=store, shown=shown, order=order, reverse=reverse),
            HeldCandidates(shown=shown, order=order, reverse=reverse),
        ):
            keys = rows.page(0, 1000).keys
            values = [of(known[key], order) for key in keys]
            assert values == pytest.approx(sorted(values, reverse=reverse))
            assert sorted(keys) == sorted(known)
            assert rows.page(3, 4).keys == keys[3:7]


async def test_the_rank_turned_around_is_the_same_in_the_store_and_in_the_hand(stored: tuple[Store, Shown]) -> None:
    store, shown = stored
    for reverse in (False, True):
        pages = (
            StoredCandidates(store=store, shown=shown, order="rank", reverse=reverse).page(0, 9),
            HeldCandidates(shown=shown, order="rank", reverse=reverse).page(0, 9),
        )
        assert pages[0] == pages[1]


async def test_the_example_holds_its_own(state: AppState) -> None:
    state.show_example()
    assert state.shown is not None
    rows = HeldCandidates(shown=state.shown, order="rank")
    known = [one.candidate for one in state.shown.answer.candidates]
    assert rows.count() == len(known)
    assert list(rows.page(2, 5).keys) == known[2:7]
    assert rows.page(len(known), 5).keys == ()


def test_of_a_plan_without_an_answer_none_is_marked(shown: Shown) -> None:
    nothing = replace(shown, answer=replace(shown.answer, answer=None))
    page = page_of(shown.answer.candidates[:4], nothing)
    assert not any(row[0].startswith("*") for row in page.table.rows)
