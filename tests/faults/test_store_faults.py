"""Killed, crowded, full, locked: the file stays whole, and holds only whole plans."""

from __future__ import annotations

import os
import platform
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from datetime import datetime
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import event

from fleettui.domain.simulation import Replication
from fleettui.errors import StoreBusyError, StoreError
from store import Store
from store.engine import connect
from tests.repeated import few
from tests.store import samples

CANDIDATES = 100
KILLS = ((0, 1), *((seed, 2) for seed in range(10)))
"""Seeds, and how often a program is killed; those after the first are evidence."""
PATIENCE = 120
"""Seconds after which one of the programs is thought to hang; it ends itself then."""
NOBODY = f"{platform.node()}:{2**22 + 1}:1"
"""The owner of a job that nobody works on."""


def writer(file: Path, count: int, candidates: int = CANDIDATES) -> subprocess.Popen[str]:
    return program("writer", str(file), str(count), str(candidates))


def prover(file: Path, count: int) -> subprocess.Popen[str]:
    return program("prover", str(file), str(count))


def program(name: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", f"tests.faults.{name}", *arguments, str(PATIENCE)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def check_whole(file: Path) -> int:
    """Assert that the file is sound and each plan complete; return how many plans there are."""
    with closing(sqlite3.connect(file)) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert raw.execute("PRAGMA foreign_key_check").fetchall() == []
        counts = raw.execute(
            "SELECT (SELECT count(*) FROM candidate WHERE plan = plan.id),"
            " (SELECT count(*) FROM excluded WHERE plan = plan.id) FROM plan"
        ).fetchall()
    assert set(counts) <= {(CANDIDATES, 2)}
    return len(counts)


@pytest.mark.parametrize(("seed", "kills"), few(KILLS, 1))
def test_a_killed_writer_leaves_whole_plans_only(file: Path, seed: int, kills: int) -> None:
    chance = random.Random(seed)
    told = 0
    for _ in range(kills):
        process = writer(file, 1000)
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        assert process.stdout.readline()
        time.sleep(chance.uniform(0, 0.25))
        process.send_signal(signal.SIGKILL)
        told += 1 + len(process.stdout.read().splitlines())
        process.stdout.close()
        assert process.wait(PATIENCE) == -signal.SIGKILL
        assert check_whole(file) >= told
    with Store.open(file) as store:
        before = store.count()
        samples.add(store)
        assert store.count() == before + 1


def check_replications(file: Path) -> int:
    """Assert that the file is sound and each replication whole; return how many there are."""
    with closing(sqlite3.connect(file)) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert raw.execute("PRAGMA foreign_key_check").fetchall() == []
    with Store.open(file) as store:
        kept = store.replications(store.candidate("last").candidate, 7, histograms=True)
        assert store.job("last").state == "stopped"
    assert kept == tuple(samples.replication(one.index) for one in kept)
    return len(kept)


@pytest.mark.evidence
@pytest.mark.parametrize(("seed", "kills"), few(KILLS, 1))
def test_a_killed_job_leaves_whole_replications_only_and_is_taken_up(file: Path, seed: int, kills: int) -> None:
    with Store.open(file) as store:
        begun, job = samples.begin(store, owner=NOBODY)
    assert begun.answer
    chance = random.Random(seed)
    told = 0
    for _ in range(kills):
        process = prover(file, 10_000)
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        time.sleep(chance.uniform(0, 0.4))
        process.send_signal(signal.SIGKILL)
        told += len(process.stdout.read().splitlines())
        process.stdout.close()
        assert process.wait(PATIENCE) == -signal.SIGKILL
        assert told <= check_replications(file) <= told + 5
    count = check_replications(file) + 3
    process = prover(file, count)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    with Store.open(file) as store:
        assert [one.index for one in store.replications(begun.answer.candidate, 7)] == list(range(count))
        ended = store.job("last")
        assert (ended.id, ended.state, ended.done, ended.total) == (job.id, "done", count, count)


@pytest.mark.evidence
def test_two_programs_keep_the_same_replications_once(file: Path) -> None:
    with Store.open(file) as store:
        begun, _ = samples.begin(store, owner=NOBODY)
    assert begun.answer
    key = (begun.answer.candidate, 7)
    first = prover(file, 8)
    assert first.stdout
    assert first.stdout.readline() == "ready\n"
    with Store.open(file, patience=60) as store:
        for index in range(8):
            store.add_replication(*key, samples.replication(index))
    first.communicate(timeout=PATIENCE)
    assert first.returncode == 0
    with Store.open(file) as store:
        assert store.replications(*key, histograms=True) == tuple(map(samples.replication, range(8)))


def test_a_full_disk_keeps_nothing_of_a_replication(store: Store, file: Path) -> None:
    begun, _ = samples.begin(store)
    assert begun.answer
    key = (begun.answer.candidate, 7)
    fill_up(store, pages=20)
    kept: list[Replication] = []

    def keep_on() -> None:
        for index in range(1000):
            store.add_replication(*key, samples.replication(index))
            kept.append(samples.replication(index))

    with pytest.raises(StoreError, match="nothing of this was kept"):
        keep_on()
    assert kept
    assert store.replications(*key, histograms=True) == tuple(kept)
    with closing(sqlite3.connect(file)) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.evidence
def test_two_programs_make_one_store_and_add_plans_at_the_same_time(file: Path) -> None:
    processes = [writer(file, 4) for _ in range(2)]
    handles = [
        line
        for process in processes
        for line in process.communicate(timeout=PATIENCE)[0].splitlines()
        if line != "ready"
    ]
    assert [process.returncode for process in processes] == [0, 0]
    assert check_whole(file) == 8
    assert len(set(handles)) == 8
    with Store.open(file) as store:
        rows = store.plans()
        assert {row.handle for row in rows} == set(handles)
        assert all(store.plan(row.handle).plan.handle == row.handle for row in rows)


def fill_up(store: Store, *, pages: int) -> None:
    """Let the file grow by so many pages from now on, and not by more."""

    def limit(connection: sqlite3.Connection, _record: object) -> None:
        present = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count={present + pages}")

    store._opened.engine.dispose()
    event.listen(store._opened.engine, "connect", limit)


def test_a_full_disk_keeps_nothing_of_the_plan(store: Store, file: Path) -> None:
    samples.add(store, samples.answer(3))
    before = store.plan("last")
    fill_up(store, pages=20)
    with pytest.raises(StoreError, match=r"cannot grow: nothing of this was kept.*\n  do: free space"):
        samples.add(store, samples.answer(2000, name="too much"))
    assert store.count() == 1
    store.set_note("last", "still writable")
    assert store.plan("last") == before
    with closing(sqlite3.connect(file)) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert raw.execute("SELECT count(*) FROM candidate").fetchone() == (3,)


def test_a_store_locked_by_another_is_busy_and_readable(store: Store, file: Path) -> None:
    stored = samples.add(store)
    with closing(connect(file, read_only=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        with Store.open(file, patience=0.05) as mine:
            with pytest.raises(StoreBusyError, match="held by another program"):
                samples.add(mine)
            with pytest.raises(StoreBusyError, match="do: wait"):
                mine.set_note("last", "x")
            assert mine.plan("last") == stored
        other.execute("ROLLBACK")
    assert store.count() == 1


def test_a_store_held_alone_by_another_does_not_open(store: Store, file: Path) -> None:
    samples.add(store)
    store.close()
    with closing(connect(file, read_only=False)) as other:
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreBusyError):
            Store.open(file, patience=0.05)


def test_a_failing_clock_leaves_the_store_usable(file: Path) -> None:
    with Store.open(file, clock=partial(datetime.fromisoformat, "never")) as store:
        with pytest.raises(ValueError, match="never"):
            samples.add(store)
        store.put_workload(samples.workload())
