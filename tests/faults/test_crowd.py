"""Several programs that write to one store at once: each gets its turn, and nothing is lost."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from fleettui.errors import StoreError
from store import Store
from store.engine import connect
from tests.repeated import few
from tests.store import samples

WRITERS = ((2, 0.3), (8, 60.0))
"""How many programs write for how many seconds; those after the first are evidence."""
PATIENCE = 180
"""Seconds after which one of them is thought to hang."""


@pytest.mark.evidence
@pytest.mark.durable
@pytest.mark.parametrize(("programs", "seconds"), few(WRITERS, 1))
def test_every_writer_gets_its_turn_and_no_row_is_lost(
    file: Path, programs: int, seconds: float, record_property: Callable[[str, object], None]
) -> None:
    with Store.open(file):
        pass
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    crowd = [
        subprocess.Popen(
            (sys.executable, "-m", "tests.faults.crowd", str(file), str(seconds)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for _ in range(programs)
    ]
    heads = [one.stdout.readline().strip() for one in crowd if one.stdout]
    for one in crowd:
        assert one.stdin
        one.stdin.close()
        one.stdin = None
    told = [one.communicate(timeout=PATIENCE)[0].split() for one in crowd]
    assert [one.returncode for one in crowd] == [0] * programs
    with Store.open(file) as store:
        kept = [len(store.replications(candidate, 7)) for candidate in heads]
    assert kept == [len(one) for one in told]
    assert all(kept)
    took = sorted(float(one) for times in told for one in times)
    figures = f"median {took[len(took) // 2]:.0f} ms, 99 % {took[len(took) * 99 // 100]:.0f}, most {took[-1]:.0f}"
    record_property("figure", f"{programs} writers for {seconds:g} s: {len(took)} commits, {figures}")


@pytest.mark.durable
def test_others_may_write_while_the_disk_keeps_what_was_written(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(file) as store, Store.open(file, patience=0.0) as other:
        samples.add(store)
        sync, notes = os.fsync, list[str]()

        def slow(handle: int) -> None:
            monkeypatch.setattr(os, "fsync", sync)
            notes.append(other.set_note("last", "meanwhile").note)
            sync(handle)

        monkeypatch.setattr(os, "fsync", slow)
        assert store.set_name("last", "kept").note == "meanwhile"
        assert notes == ["meanwhile"]


@pytest.mark.durable
def test_a_disk_that_cannot_keep_what_was_written_says_so(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: int) -> None:
        raise OSError(5, "Input/output error")

    with Store.open(file) as store:
        samples.add(store)
        monkeypatch.setattr(os, "fsync", broken)
        with pytest.raises(StoreError, match=r"cannot be synced to its disk \(Input/output error\)"):
            store.set_name("last", "lost")


def test_who_waits_gets_the_lock_as_soon_as_it_is_free_and_waits_no_longer_than_its_patience(file: Path) -> None:
    with Store.open(file) as store:
        samples.add(store)
        with closing(connect(file, read_only=False)) as other:
            other.execute("BEGIN IMMEDIATE")
            release = threading.Timer(0.1, other.execute, ("ROLLBACK",))
            release.start()
            store.set_note("last", "waited")
            release.join(PATIENCE)
        assert store.row("last").note == "waited"
        with store._opened.engine.connect() as connection:
            assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 5000
