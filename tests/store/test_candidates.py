"""A plan's candidates stand in one order, bear their newest evidence, and grow in number until it is finished."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from fleettui.domain.plan import Answer
from fleettui.errors import InputError
from store import Store, candidate_orders
from tests.repeated import few
from tests.store import samples


def shuffled() -> Answer:
    """Return an answer whose candidates the search told in another order than that of rank."""
    short = ("TTFT by 31 ms",)
    first = samples.candidate(3, cost=70.0)
    others = (
        samples.candidate(4, cost=60.0, shortfalls=short),
        samples.candidate(9, cost=80.0),
        samples.candidate(5, cost=80.0 + 1e-12),
        replace(samples.candidate(5, cost=80.0), power=1.0),
        samples.candidate(6, cost=50.0, shortfalls=short),
    )
    return replace(samples.answer(), answer=first, candidates=(first, *others))


def test_candidates_that_hold_all_limits_come_first_then_the_cheap_and_the_small(store: Store) -> None:
    given = shuffled()
    stored = samples.add(store, given)
    clear = [replace(one, candidate="", handle="") for one in stored.candidates]
    assert clear == [given.candidates[index] for index in (0, 3, 4, 2, 5, 1)]
    assert store.plan("last") == stored
    assert store.candidates("last") == stored.candidates
    assert store.candidates("last", offset=2, limit=3) == stored.candidates[2:5]
    assert stored.answer == stored.candidates[0]


def test_ties_of_another_order_go_as_the_search_told_them(store: Store) -> None:
    stored = samples.add(store, shuffled())
    told = [0, 5, 3, 1, 2, 4]
    assert [stored.candidates.index(one) for one in store.candidates("last", order="ttft")] == told
    assert [stored.candidates.index(one) for one in store.candidates("last", order="gpus")] == [0, 5, 1, 2, 4, 3]


@pytest.mark.thorough
@pytest.mark.parametrize("order", few(candidate_orders.ORDERS, 2))
def test_every_page_of_every_order_is_a_part_of_the_whole_both_ways(store: Store, order: str) -> None:
    short = ("TTFT by 31 ms",)
    many = [samples.candidate(3 + index % 4, cost=50.0 + index % 3) for index in range(9)]
    blind = [replace(one, power=math.nan, pools=(samples.figures("short", ttft=math.nan),)) for one in many[:3]]
    slow = [replace(one, shortfalls=short, pools=(samples.figures("short", ttft=0.1),)) for one in many[5:]]
    samples.add(store)
    samples.add(store, replace(samples.answer(), answer=many[0], candidates=(many[0], *blind, *slow, *many[3:5])))
    samples.add(store)
    handle = store.row("last~1").handle
    whole = store.candidates(handle, order=order)
    assert len(whole) == store.count_candidates(handle) == 10
    if order in ("power", "ttft"):
        assert all(math.isnan(one.pools[0].ttft) for one in whole[-3:])
    for reverse in (False, True):
        expected = whole[::-1] if reverse else whole
        for offset in range(12):
            for limit in (0, 1, 3, 20):
                page = store.candidates(handle, order=order, reverse=reverse, offset=offset, limit=limit)
                assert [one.handle for one in page] == [one.handle for one in expected[offset : offset + limit]]


def test_a_plan_may_be_read_with_its_first_candidates_only(store: Store) -> None:
    stored = samples.add(store)
    assert store.plan("last", most=2) == replace(stored, candidates=stored.candidates[:2])
    apart = samples.add(store, replace(samples.answer(3), candidates=samples.answer(3).candidates[1:]))
    assert store.plan("last", most=0) == replace(apart, candidates=())
    assert store.plan("last", most=9) == apart


def test_a_candidate_that_is_tried_later_takes_its_place_in_the_order(store: Store) -> None:
    begun, _ = samples.begin(store, samples.unproven(3))
    cheap, dear = samples.candidate(2, cost=60.0), samples.candidate(9, cost=900.0)
    added = [store.add_candidate(begun.plan.id, one) for one in (dear, cheap)]
    assert [replace(one, candidate="", handle="") for one in added] == [dear, cheap]
    ok, short = begun.candidates[:2], begun.candidates[2:]
    assert store.plan("last").candidates == store.candidates("last") == (added[1], *ok, added[0], *short)
    assert store.candidate(added[0].handle) == added[0]
    assert store.count_candidates("last") == 5


def test_a_fleet_is_added_once(store: Store) -> None:
    begun, _ = samples.begin(store, samples.unproven(3))
    once = store.add_candidate(begun.plan.id, samples.candidate(9))
    store.add_verification(once.candidate, samples.simulated())
    again = store.add_candidate(begun.plan.id, samples.candidate(9, cost=1.0))
    assert again == replace(once, evidence=samples.simulated())
    assert store.add_candidate(begun.plan.id, samples.candidate(4)) == begun.candidates[1]
    assert store.count_candidates("last") == 4


def test_a_finished_plan_takes_no_further_candidate_but_knows_its_own(store: Store) -> None:
    stored = samples.add(store)
    with pytest.raises(AssertionError, match="takes no further candidate"):
        store.add_candidate(stored.plan.id, samples.candidate(40))
    assert store.add_candidate(stored.plan.id, samples.candidate(4)) == stored.candidates[1]


def test_the_newest_evidence_is_read_with_a_candidate_everywhere(store: Store) -> None:
    stored = samples.add(store)
    assert stored.answer
    second = stored.candidates[1]
    for verdict in ("unproven", "fail"):
        store.add_verification(stored.answer.candidate, samples.simulated(verdict))
    newest = samples.simulated("fail")
    read = store.plan("last")
    assert read.answer == read.candidates[0] == replace(stored.answer, evidence=newest)
    assert store.candidate("last") == store.candidate(stored.answer.handle) == read.answer
    assert store.candidates("last", limit=2) == (read.answer, second)
    assert store.plan("last").candidates[1:] == stored.candidates[1:]


def test_a_candidate_tells_its_plan(store: Store) -> None:
    first, second = samples.add(store), samples.add(store)
    for ref in (first.candidates[3].candidate, first.candidates[3].handle, first.plan.handle, "last~1"):
        assert store.plan_of(ref) == first.plan.id
    assert store.plan_of("last") == second.plan.id


def test_an_order_that_is_not_known_is_refused(store: Store) -> None:
    samples.add(store)
    with pytest.raises(InputError, match=r"accepted: rank, cost_per_hour"):
        store.candidates("last", order="evidence")
