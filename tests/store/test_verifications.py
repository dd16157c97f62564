"""Each time a candidate was judged is kept; the newest counts."""

from __future__ import annotations

import math
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from fleettui.domain.plan import Estimate
from store import Store
from tests.store import samples


@pytest.fixture
def candidate(store: Store) -> str:
    answer = samples.add(store).answer
    assert answer
    return answer.candidate


def test_verifications_come_back_oldest_first(store: Store, candidate: str) -> None:
    told = [samples.simulated("unproven"), samples.simulated("pass", replications=20)]
    for one in told:
        store.add_verification(candidate, one)
    assert store.verifications(candidate) == tuple(told)
    assert store.verifications(store.candidates("last")[1].candidate) == ()


def test_the_newest_counts_although_the_clock_is_set_back(file: Path) -> None:
    with Store.open(file, clock=samples.clock(timedelta(hours=-1)), entropy=lambda: 0) as store:
        answer = samples.add(store).answer
        assert answer
        for verdict in ("unproven", "fail", "pass"):
            store.add_verification(answer.candidate, samples.simulated(verdict))
        assert store.candidate("last").evidence == samples.simulated("pass")


def test_its_columns_tell_the_mixture_and_hold_no_nan(store: Store, candidate: str, file: Path) -> None:
    store.add_verification(candidate, samples.simulated())
    silent = replace(samples.simulated("unproven"), ttft=Estimate(value=math.nan), pools=())
    store.add_verification(candidate, silent)
    with closing(sqlite3.connect(file)) as raw:
        found = raw.execute(
            "SELECT seed, verdict, replications, ttft, ttft_low, ttft_high FROM verification ORDER BY id"
        )
        assert found.fetchall() == [(7, "pass", 10, 0.44, 0.43, 0.45), (7, "unproven", 10, None, None, None)]
    assert store.verifications(candidate)[1].ttft == Estimate(value=None)


def test_a_formula_verifies_nothing(store: Store, candidate: str) -> None:
    with pytest.raises(AssertionError, match="tells the root of its draws"):
        store.add_verification(candidate, samples.evidence())
    assert store.verifications(candidate) == ()
