"""A block holds its candidates by column, and gives back each as it was."""

from __future__ import annotations

import json
import math
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic_core import PydanticSerializationError

from fleettui.domain.plan import Answer, Candidate
from store import Store, candidate_blocks
from store.candidate_blocks import Block
from tests.store import samples


def answer(*candidates: Candidate) -> Answer:
    return replace(samples.answer(), answer=candidates[0], candidates=candidates)


def kept(file: Path) -> list[tuple[int, dict[str, Any]]]:
    """Return where the blocks of a store begin, and their columns."""
    with closing(sqlite3.connect(file)) as raw:
        rows = raw.execute("SELECT first, body FROM candidate_block ORDER BY plan, first").fetchall()
    return [(first, json.loads(body)) for first, body in rows]


def test_what_all_have_in_common_stands_once(store: Store, file: Path) -> None:
    given = [samples.candidate(size, cost=50.0 + size) for size in (3, 4, 5)]
    samples.add(store, answer(*given))
    ((first, columns),) = kept(file)
    assert first == 1
    assert columns["cost_per_hour"] == [53.0, 54.0, 55.0]
    assert (columns["fleet.router"], columns["worst.ttft"], columns["shortfalls"]) == (["length"], [0.48], [[]])
    assert len(columns["parts"]) == 3
    assert not {"candidate", "handle", "pools", "fleet"} & set(columns)


def test_each_candidate_comes_back_with_all_that_is_its_own(store: Store) -> None:
    one = samples.candidate(3, cost=70.0)
    odd = replace(
        samples.candidate(4, cost=80.0, shortfalls=('"fleet":{"pools":[9]]],"',)),
        power=math.nan,
        gpus_range=(None, 40),
        evidence=samples.evidence(),
        band=(0.8, 1.25),
        speeds="é 中",
        compressor_cost=1.5,
        fleet=replace(samples.candidate(4).fleet, router="random", gamma=1.5, router_refresh=0.25),
    )
    samples.add(store, answer(one, odd, samples.candidate(5, cost=90.0)))
    first, last, told = (replace(found, candidate="", handle="") for found in store.candidates("last"))
    assert (first, last) == (one, samples.candidate(5, cost=90.0))
    assert math.isnan(told.power)
    assert replace(told, power=1.0) == replace(odd, power=1.0)


def test_a_plan_of_many_has_several_blocks(store: Store, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidate_blocks, "SIZE", 3)
    given = [samples.candidate(3 + size, cost=50.0 + size) for size in range(7)]
    stored = samples.add(store, replace(answer(*given[1:]), answer=given[0]))
    assert [(first, len(columns["parts"])) for first, columns in kept(file)] == [(0, 3), (3, 3), (6, 1)]
    assert stored.answer == store.candidate("last")
    assert [one.cost_per_hour for one in store.candidates("last", order="gpus", reverse=True, limit=4)] == [
        56,
        55,
        54,
        53,
    ]
    assert store.plan("last") == stored


def test_the_worst_pool_is_undefined_where_one_is(store: Store, file: Path) -> None:
    odd = replace(samples.candidate(4), pools=(samples.figures("a"), samples.figures("b", ttft=math.nan)))
    slow = replace(samples.candidate(5), pools=(samples.figures("a", ttft=0.7), samples.figures("b", ttft=0.2)))
    samples.add(store, answer(odd, slow))
    ((first, columns),) = kept(file)
    assert columns["worst.ttft"] == [None, 0.7]
    block = Block.read(first, json.dumps(columns))
    assert block.sorted_by["ttft"] == [math.inf, 0.7]
    assert (block.worst(1, "ttft"), block.worst(2, "e2e")) == (None, 9.1)


def test_costs_are_sorted_as_far_as_they_are_told_apart_and_kept_in_full(store: Store, file: Path) -> None:
    samples.add(store, answer(samples.candidate(5, cost=80.0 + 1e-12), samples.candidate(4, cost=80.0)))
    ((first, columns),) = kept(file)
    assert Block.read(first, json.dumps(columns)).sorted_by["cost_per_hour"] == [80.0, 80.0]
    assert [one.cost_per_hour > 80.0 for one in store.candidates("last")] == [False, True]


def test_nothing_is_written_that_could_not_be_read(store: Store) -> None:
    with pytest.raises(PydanticSerializationError):
        samples.add(store, answer(samples.candidate(), replace(samples.candidate(4), gpus="many")))  # type: ignore[arg-type]
    assert store.count() == 0
