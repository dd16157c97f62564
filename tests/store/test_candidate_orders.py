"""Ranks in the orders in which candidates are told: what comes later takes its place, in every order."""

from __future__ import annotations

from array import array
from dataclasses import replace

import pytest

from store import Store, candidate_blocks, candidate_orders
from tests.store import samples


def test_the_file_has_four_bytes_for_each_rank_the_low_ones_first() -> None:
    assert candidate_orders.packed(array("I", [1, 258])) == bytes((1, 0, 0, 0, 2, 1, 0, 0))


def test_what_is_tried_later_stands_where_it_would_have_stood(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first plan is given all at once, the other five of them and then one by one, over several blocks."""
    monkeypatch.setattr(candidate_blocks, "SIZE", 2)
    short = ("TTFT by 31 ms",)
    given = [
        replace(
            samples.candidate(3 + place, cost=50.0 + place * 7 % 4, shortfalls=short if place % 3 == 2 else ()),
            power=700.0 * (place * 5 % 4),
            pools=(samples.figures("short", ttft=0.1 * (place * 3 % 5)),),
        )
        for place in range(9)
    ]
    whole = replace(samples.answer(), answer=given[0], candidates=tuple(given))
    samples.add(store, whole)
    begun, _ = samples.begin(store, replace(samples.unproven(5), answer=given[0], candidates=tuple(given[:5])))
    for one in given[5:]:
        assert replace(store.add_candidate(begun.plan.id, one), candidate="", handle="") == one
        assert store.add_candidate(begun.plan.id, one).gpus == one.gpus
    for order in candidate_orders.ORDERS:
        at_once, one_by_one = (
            [replace(one, candidate="", handle="", evidence=None) for one in store.candidates(plan, order=order)]
            for plan in ("last~1", "last")
        )
        assert at_once == one_by_one, order


def test_a_plan_without_candidates_takes_its_first(store: Store) -> None:
    begun, _ = samples.begin(store, replace(samples.unproven(1), answer=None, candidates=()))
    assert (begun.candidates, store.candidates("last")) == ((), ())
    added = store.add_candidate(begun.plan.id, samples.candidate(4))
    assert store.candidates("last", order="power") == (added,)
