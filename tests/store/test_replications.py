"""Replications are kept whole, once, in the order of their index."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fleettui.domain.simulation import Replication
from store import Store
from tests.store import samples


def bare(replication: Replication) -> Replication:
    return replace(replication, pools=tuple(replace(pool, histograms=()) for pool in replication.pools))


@pytest.fixture
def candidate(store: Store) -> str:
    begun, _ = samples.begin(store)
    assert begun.answer
    return begun.answer.candidate


def test_replications_come_back_by_index_with_gaps(store: Store, candidate: str) -> None:
    for index in (4, 0, 11):
        store.add_replication(candidate, 7, samples.replication(index))
    expected = tuple(samples.replication(index) for index in (0, 4, 11))
    assert store.replications(candidate, 7, histograms=True) == expected
    assert store.replications(candidate, 7) == tuple(map(bare, expected))


def test_each_candidate_and_seed_has_its_own(store: Store, candidate: str) -> None:
    other = store.candidates("last")[1].candidate
    store.add_replication(candidate, 7, samples.replication(0))
    store.add_replication(candidate, 8, samples.replication(0, digest="8" * 64))
    store.add_replication(other, 7, samples.replication(1))
    assert [one.digest for one in store.replications(candidate, 8)] == ["8" * 64]
    assert store.replications(other, 7, histograms=True) == (samples.replication(1),)
    assert store.replications(other, 8) == ()


def test_the_same_replication_again_is_nothing(store: Store, candidate: str) -> None:
    given = samples.replication(3)
    for _ in range(2):
        store.add_replication(candidate, 7, given)
    assert store.replications(candidate, 7, histograms=True) == (given,)


def test_another_replication_in_its_place_is_a_bug(store: Store, candidate: str) -> None:
    store.add_replication(candidate, 7, samples.replication(3))
    with pytest.raises(AssertionError, match=r"position': 3.*is stored with digest 0+3, not f+"):
        store.add_replication(candidate, 7, samples.replication(3, digest="f" * 64))
    assert [one.digest for one in store.replications(candidate, 7)] == [f"{3:064x}"]


def test_pools_of_one_name_and_histograms_of_any_order_are_told_apart(store: Store, candidate: str) -> None:
    runs = (samples.run("same", 1), samples.run("same", 2), replace(samples.run("same", 3), histograms=()))
    backwards = replace(runs[0], histograms=runs[0].histograms[::-1])
    given = replace(samples.replication(0), pools=(backwards, *runs[1:]))
    store.add_replication(candidate, 7, given)
    assert store.replications(candidate, 7, histograms=True) == (given,)


def test_what_does_not_fit_keeps_nothing(store: Store, candidate: str) -> None:
    wrong = replace(samples.replication(0), requests=1.5)  # type: ignore[arg-type]
    with pytest.raises(Exception, match="Expected `int`"):
        store.add_replication(candidate, 7, wrong)
    assert store.replications(candidate, 7) == ()
