"""Candidates beyond the first of a plan have no row until something refers to them, and are told like the others."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from fleettui.domain.plan import Answer, Candidate
from fleettui.errors import InputError, UnreadableError
from store import Store, names
from tests.store import samples

COUNT = 6
"""Candidates of a plan below, of which the first two have rows."""


@pytest.fixture(autouse=True)
def few_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "NAMED", 2)


def answer(best: int = 0) -> Answer:
    """Return an answer with candidates that the search told from the cheapest on, of which one is the best."""
    told = tuple(samples.candidate(3 + size, cost=50.0 + size) for size in range(COUNT))
    return replace(samples.answer(), answer=told[best], candidates=told)


def rows(file: Path) -> dict[int, tuple[str, str]]:
    """Return by rank the ids and handles of the candidates with a row."""
    with closing(sqlite3.connect(file)) as raw:
        return {rank: (one, handle) for rank, one, handle in raw.execute("SELECT rank, id, handle FROM candidate")}


def last(store: Store) -> Candidate:
    return store.candidates("last", reverse=True, limit=1)[0]


def test_the_first_have_rows_and_all_others_are_called_by_plan_and_rank(store: Store, file: Path) -> None:
    stored = samples.add(store, answer())
    assert sorted(rows(file)) == [1, 2]
    assert [one.handle for one in stored.candidates[2:]] == [f"{stored.plan.handle}.{rank}" for rank in (3, 4, 5, 6)]
    assert len({one.candidate for one in stored.candidates}) == COUNT
    assert store.plan("last") == stored
    assert store.candidates("last", order="gpus", offset=1, limit=3) == stored.candidates[1:4]
    for one in stored.candidates:
        assert store.candidate(one.handle) == store.candidate(one.candidate) == one
        assert store.plan_of(one.handle) == store.plan_of(one.candidate) == stored.plan.id
        assert (store.replications(one.candidate, 7), store.verifications(one.candidate)) == ((), ())
    assert sorted(rows(file)) == [1, 2], "reading names nobody"


def test_any_candidate_is_called_by_plan_and_rank(store: Store) -> None:
    stored = samples.add(store, answer())
    assert store.candidate(f"{stored.plan.handle}.1") == stored.answer
    assert store.candidate(f"{stored.plan.handle.upper()}.2") == stored.candidates[1]
    handle = stored.plan.handle
    for wrong in ("", "-1", "1e0", "9999999999", "\u0661"):
        with pytest.raises(InputError, match="no candidate or plan matches"):
            store.candidate(f"{handle}.{wrong}")
    for wrong in ("0", "7", "999999999"):
        for read in (store.candidate, store.plan, store.kept):
            with pytest.raises(InputError, match=rf"of this rank, of {COUNT} in all.*\n.*{handle}.1 to {handle}.6\n"):
                read(f"{handle}.{wrong}")
    with pytest.raises(InputError, match=rf"names a candidate, not a plan.*\n.*its plan is {stored.plan.handle}"):
        store.plan(f"{stored.plan.handle}.5")


def test_ids_of_nobody_are_those_of_no_candidate(store: Store) -> None:
    stored = samples.add(store, answer())
    for beyond in (COUNT + 1, 10**9):
        with pytest.raises(InputError, match="no candidate or plan matches"):
            store.candidate(names.implied_id(stored.plan.id, beyond))
    with pytest.raises(InputError, match="no candidate or plan matches"):
        store.candidate("019ca6b1-dc00-7000-8000-000000000029")


@pytest.mark.parametrize("refer", ["verification", "replication", "job"])
def test_what_is_referred_to_takes_a_row_with_its_id(store: Store, file: Path, refer: str) -> None:
    samples.add(store, answer())
    before = last(store)
    if refer == "verification":
        store.add_verification(before.candidate, samples.simulated())
    elif refer == "replication":
        store.add_replication(before.candidate, 7, samples.replication(0))
    else:
        job = samples.job(store.plan("last").plan.id)
        store.create_job(replace(job, kind="verify", candidate=before.candidate))
    identifier, handle = rows(file)[COUNT]
    assert identifier == before.candidate
    evidence = samples.simulated() if refer == "verification" else None
    after = replace(before, handle=handle, evidence=evidence)
    assert last(store) == store.candidate(handle) == store.candidate(before.handle) == store.candidate(identifier)
    assert last(store) == after
    assert store.damage() == ()


def test_an_answer_far_behind_has_a_name(store: Store, file: Path) -> None:
    stored = samples.add(store, answer(best=4))
    assert stored.answer is not None
    assert rows(file)[5] == (stored.answer.candidate, stored.answer.handle)
    assert store.candidate("last") == stored.answer == store.plan("last").answer


def test_an_answer_that_is_found_later_takes_a_name(store: Store, file: Path) -> None:
    begun, _ = samples.begin(store, answer())
    chosen = begun.candidates[5]
    finished = store.finish_plan(begun.plan.id, replace(begun, answer=chosen))
    assert finished.answer == replace(chosen, handle=rows(file)[6][1])
    assert store.candidate("last") == finished.answer


def test_a_candidate_that_is_tried_later_comes_behind_those_without_a_row(store: Store, file: Path) -> None:
    begun, job = samples.begin(store, answer())
    added = store.add_candidate(begun.plan.id, samples.candidate(20, cost=10.0))
    assert rows(file)[COUNT + 1] == (added.candidate, added.handle)
    assert added.candidate > job.id > max(one.candidate for one in begun.candidates)
    assert store.add_candidate(begun.plan.id, samples.candidate(8)) == begun.candidates[5]
    assert store.plan("last").candidates == (added, *begun.candidates)


def test_later_acts_have_later_ids(store: Store) -> None:
    first, second = samples.add(store, answer()), samples.add(store, answer())
    assert second.plan.id > max(one.candidate for one in first.candidates)


def test_a_bundle_brings_those_without_a_row_too(store: Store, tmp_path: Path) -> None:
    stored = samples.add(store, answer())
    store.add_verification(stored.candidates[4].candidate, samples.simulated())
    bundle = store.bundle(["last"])
    with Store.open(tmp_path / "other.db", clock=samples.clock()) as other:
        other.take_in(bundle, "b.fleet")
        taken = other.plan("last").candidates
        assert [one.candidate for one in taken] == [one.candidate for one in stored.candidates]
        assert taken[4].evidence == samples.simulated()
        assert [one.handle.count(".") for one in taken] == [0, 0, 1, 1, 0, 1]
        assert other.bundle(["last"]) == bundle


def test_a_store_beside_is_read_alike(store: Store, file: Path, tmp_path: Path) -> None:
    stored = samples.add(store, answer())
    store.add_verification(stored.candidates[4].candidate, samples.simulated())
    store.publish(tmp_path / "published.db")
    with Store.open(tmp_path / "own.db", also=tmp_path / "published.db") as own:
        (row,) = own.plans()
        told = own.candidates(row.handle)
        assert [one.handle for one in told[2:4]] == [f"{row.handle}.{rank}" for rank in (3, 4)]
        assert told[4].evidence == samples.simulated()
        assert own.candidate(told[5].handle) == told[5]


def test_a_plan_that_both_stores_hold_is_ones_own(store: Store, tmp_path: Path) -> None:
    stored = samples.add(store, answer())
    store.back_up(tmp_path / "own.db")
    store.add_verification(stored.candidates[4].candidate, samples.simulated())
    store.publish(tmp_path / "published.db")
    with Store.open(tmp_path / "own.db", also=tmp_path / "published.db") as own:
        assert own.candidates("last") == stored.candidates
        assert own.verifications(stored.candidates[4].candidate) == ()


def test_a_row_that_is_gone_is_told(store: Store, file: Path) -> None:
    samples.add(store, answer())
    with closing(sqlite3.connect(file)) as raw, raw:
        raw.execute("DROP TRIGGER candidate_remains")
        raw.execute("DELETE FROM candidate WHERE rank = 2")
    with pytest.raises(UnreadableError, match="has no name"):
        store.candidates("last")


def test_a_plan_of_many_goes_with_all_its_candidates(store: Store) -> None:
    samples.add(store, answer())
    store.add_verification(last(store).candidate, samples.simulated())
    store.archive("last")
    gone = store.prune(older=timedelta(0), archived=True)
    assert gone.plans == 1
    assert store.damage() == ()
