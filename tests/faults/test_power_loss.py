"""Power that is lost at any moment leaves a store that opens, with all that its user was told is kept."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from store import Store
from tests.faults.disk import Disk, Note, after_power_loss, watched
from tests.repeated import few
from tests.store import samples

pytestmark = pytest.mark.durable

LOSSES = 200
"""Moments at which power is lost, half of them with some unsynced sectors written all the same."""
SHORT = 6
CANDIDATES, PLANS, RUNS = 60, 4, 20
"""What is written: enough that SQLite carries the log over into the file several times."""
LOG = 40
"""Pages of log after which it does so; its own figure, 1,000, would be reached once."""


def work(file: Path, disk: Disk) -> None:
    """Write plans and the replications of a job, each told once its transaction is over."""
    with Store.open(file) as store:
        begun, _ = samples.begin(store)
        assert begun.answer
        disk.tell(f"plan {begun.plan.handle}")
        with store._opened.engine.connect() as connection:
            connection.exec_driver_sql(f"PRAGMA wal_autocheckpoint={LOG}")
        for index in range(RUNS):
            store.add_replication(begun.answer.candidate, 7, samples.replication(index))
            disk.tell(f"run {begun.answer.candidate} {index}")
            if index % (RUNS // PLANS) == 0:
                given = samples.add(store, samples.answer(CANDIDATES, name=f"n{index}"))
                disk.tell(f"plan {given.plan.handle}")


@cache
def recorded() -> list[Note]:
    """Return what such work does to the disk, which is the same for all tests."""
    with TemporaryDirectory() as folder, watched() as disk:
        work(Path(folder) / "data" / "fleettui.db", disk)
    return disk.notes


def check(file: Path, told: set[str]) -> None:
    """Assert that the store is sound, holds what was told, and goes on."""
    with Store.open(file) as store:
        runs = {line.split()[1] for line in told if line.startswith("run")}
        kept = {f"run {one} {run.index}": run for one in runs for run in store.replications(one, 7, histograms=True)}
        for line in told:
            kind, name, *index = line.split()
            if kind == "plan":
                assert len(store.plan(name).candidates) in (5, CANDIDATES), line
            else:
                assert kept.get(line) == samples.replication(int(index[0])), line
        handle = samples.add(store).plan.handle
        assert store.plan(handle).candidates
    with closing(sqlite3.connect(file)) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert raw.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.parametrize("seed", few(range(LOSSES), 2, more=3))
def test_a_power_loss_keeps_what_was_told(tmp_path: Path, seed: int) -> None:
    notes, chance = recorded(), random.Random(seed)
    cut = chance.randrange(len(notes) + 1)
    told = after_power_loss(notes[:cut], tmp_path / "left", chance if seed % 2 else None)
    check(tmp_path / "left" / "fleettui.db", told)


def test_the_work_is_told_and_is_carried_over_into_the_file_meanwhile() -> None:
    notes = recorded()
    assert sum(note.kind == "told" for note in notes) == 1 + RUNS + PLANS
    synced = [note.name for note in notes if note.kind == "sync"]
    assert sum(name.endswith(".db") for name in synced) > 3


def test_the_harness_notices_a_log_that_is_not_synced(tmp_path: Path) -> None:
    notes = [note for note in recorded() if not (note.kind == "sync" and note.name.endswith("-wal"))]
    last = max(at for at, note in enumerate(notes) if note.kind == "told")
    begun = next(at for at, note in enumerate(notes[last::-1]) if note.kind == "sync")
    told = after_power_loss(notes[: last + 1 - begun], tmp_path / "sound", None)
    assert told
    lost = after_power_loss(notes[: last + 1], tmp_path / "left", None)
    assert lost > told
    with pytest.raises(AssertionError, match="run"):
        check(tmp_path / "left" / "fleettui.db", lost)
