"""Pools that candidates share are written once, and come back with each of them as they were."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.plan import Answer, Candidate
from fleettui.errors import UnreadableError
from store import Store, candidate_blocks, parts
from tests.store import samples


def sweep(sizes: int) -> Answer:
    """Return an answer with `sizes` short pools beside as many long ones, in all pairs; texts look like JSON."""
    base = samples.candidate()
    short, long_ = base.fleet.pools
    first = [(replace(short, replicas=n), samples.figures("short", ttft=0.5 / n)) for n in range(1, sizes + 1)]
    second = [(replace(long_, replicas=n), samples.figures("long", ttft=0.7 / n)) for n in range(1, sizes + 1)]
    made: list[Candidate] = []
    for pool, figures in first:
        for other, others in second:
            fleet = replace(base.fleet, pools=(pool, other))
            said = () if len(made) % 3 else ('"fleet":{"pools":[9]]],"',)
            gpus = fleet.gpus
            made.append(
                replace(
                    base, gpus=gpus, cost_per_hour=2.0 * gpus, fleet=fleet, pools=(figures, others), shortfalls=said
                )
            )
    return replace(samples.answer(), answer=made[1], candidates=tuple(made))


def bodies(file: Path, table: str) -> list[str]:
    with closing(sqlite3.connect(file)) as raw:
        return [body for (body,) in raw.execute(f"SELECT body FROM {table}")]


def test_a_pool_of_many_fleets_is_written_once_and_all_are_read_whole(store: Store, file: Path) -> None:
    given = sweep(6)
    stored = samples.add(store, given)
    assert len(bodies(file, "part")) == 4 * 6
    (block,) = bodies(file, "candidate_block")
    assert {one for pair in json.loads(block)["parts"] for group in pair for one in group} == set(range(1, 25))
    assert {replace(one, candidate="", handle="") for one in stored.candidates} == set(given.candidates)
    assert store.plan("last") == stored
    assert store.candidates("last", order="ttft", offset=5, limit=9) == store.candidates("last", order="ttft")[5:14]
    assert store.candidate(stored.candidates[7].candidate) == stored.candidates[7]


def test_equal_pools_that_are_other_objects_are_written_once(store: Store, file: Path) -> None:
    one, other = samples.candidate(3), samples.candidate(3, cost=90.0)
    assert one.fleet.pools[0] is not other.fleet.pools[0]
    samples.add(store, replace(samples.answer(), answer=one, candidates=(one, other)))
    assert len(bodies(file, "part")) == len(set(bodies(file, "part"))) == 4


def test_more_parts_than_are_remembered_are_written_again(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "REMEMBERED", 3)
    monkeypatch.setattr(candidate_blocks, "SIZE", 5)
    stored = samples.add(store, sweep(6))
    assert len(bodies(file, "part")) > len(set(bodies(file, "part"))) == 24
    assert store.plan("last") == stored


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"parts":[[[1,2]', '"parts":[[[1,77]', "lacks its part 77"),
        ('"parts":[[[1,2],', '"parts":[[["one"],', "does not say which parts it has"),
        ('"parts":[[[1,2],', '"parts":[[', "does not say which parts it has"),
        ('"parts":[', '"parts":[[],', "does not read"),
        ('"parts":', '"others":', "does not read"),
        ('"fleet.router":[', '"fleet.router":', "does not read"),
        ('"gpus":[', '"gpus":{"a":[', "does not read"),
    ],
)
def test_a_block_that_is_not_as_it_was_written_is_told(store: Store, file: Path, old: str, new: str, told: str) -> None:
    samples.add(store, sweep(2))
    with closing(sqlite3.connect(file)) as raw, raw:
        raw.execute("DROP TRIGGER candidate_block_stays")
        (body,) = raw.execute("SELECT body FROM candidate_block").fetchone()
        assert old in body
        raw.execute("UPDATE candidate_block SET body = ?", (body.replace(old, new, 1),))
    with pytest.raises(UnreadableError, match=told) as refused:
        store.plan("last")
    assert len(str(refused.value).splitlines()) == 2
