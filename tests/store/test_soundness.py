"""Bytes that are written over within a page are found by checksum or digest, what can be spared set aside."""

from __future__ import annotations

import json
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from store import Store
from store.engine import connect
from tests.store import samples


def write_over(file: Path, old: bytes, new: bytes) -> None:
    """Replace bytes in the file itself, as a failing disk would; they must stand in it once or more."""
    with closing(connect(file, read_only=False)) as raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = file.read_bytes()
    assert len(old) == len(new)
    assert old in content
    file.write_bytes(content.replace(old, new, 1))


def test_a_sound_store_has_nothing_altered(store: Store) -> None:
    samples.prove(store)
    store.add_study(samples.study())
    samples.begin(store)
    store.tell_so_far(store.row("last").id, "so far so good")
    assert store.altered() == ()
    assert store.set_aside() == ((), None)
    assert list(store.path.parent.glob("*set-aside*")) == []


CASES = {
    "workload": (b"spread each tick evenly", b"spread each tick oddly."),
    "part": (b'"bandwidth_use":0.51', b'"bandwidth_use":0.61'),
    "candidate_block": (b'"cost_per_million_output_tokens":[0.31', b'"cost_per_million_output_tokens":[0.13'),
    "candidate_order": (bytes((3, 0, 0, 0, 4, 0, 0, 0)), bytes((4, 0, 0, 0, 3, 0, 0, 0))),
    "plan": ("λ × w".encode(), "λ × v".encode()),
}


@pytest.mark.parametrize("table", CASES)
def test_what_a_plan_rests_on_is_told_and_stays(store: Store, file: Path, table: str) -> None:
    samples.add(store)
    store.close()
    write_over(file, *CASES[table])
    with Store.open(file) as again:
        assert again.damage() == ()
        ((one,), kept) = again.set_aside()
        assert (one.key.table.name, one.spared, kept) == (table, False, None)
        assert one.owner == (again.row("last").handle if table != "workload" else one.owner)
        assert one.said.startswith(f"a {table.replace('_', ' ')} of ")


def test_runs_studies_and_verifications_are_set_aside_with_what_they_were(store: Store, file: Path) -> None:
    plan = samples.prove(store)
    study = store.add_study(samples.study(plan.plan.id))
    candidate = plan.candidates[1].candidate
    runs = len(store.replications(candidate, 7))
    store.close()
    with closing(sqlite3.connect(file)) as raw:
        (digest,) = raw.execute("SELECT digest FROM replication ORDER BY candidate DESC LIMIT 1").fetchone()
        (cells,) = raw.execute("SELECT cells FROM histogram ORDER BY candidate, position, place LIMIT 1").fetchone()
    write_over(file, f'"digest":"{digest}"'.encode(), b'"digest":"' + b"\xff" * 64 + b'"')
    write_over(file, cells, cells[:-4] + bytes(4))
    with Store.open(file) as again:
        assert again.damage() == ()
        found, kept = again.set_aside()
        assert {(one.key.table.name, one.owner, one.spared) for one in found} == {
            ("replication", plan.plan.handle, True)
        }
        assert kept is not None
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        lines = [json.loads(line) for line in kept.read_text().splitlines()]
        assert {table for table, _ in lines} == {"replication", "histogram"}
        assert sum(table == "replication" for table, _ in lines) == len(found) == 2
        assert any("\\xff" in row["body"] for table, row in lines if table == "replication")
        assert (again.altered(), again.damage()) == ((), ())
        assert again.study(study.id) == study
        assert again.plan(plan.plan.id).verdict == plan.verdict
        left = sum(len(again.replications(one.candidate, 7)) for one in plan.candidates)
        assert left < runs * 2
    with (
        closing(sqlite3.connect(file)) as raw,
        pytest.raises(sqlite3.IntegrityError, match="does not change"),
    ):
        raw.execute("UPDATE replication SET seed = 9")


def test_a_run_whose_digest_is_another_than_its_own_is_set_aside(store: Store, file: Path) -> None:
    plan = samples.prove(store)
    store.close()
    with closing(sqlite3.connect(file)) as raw:
        (digest,) = raw.execute("SELECT digest FROM replication ORDER BY candidate DESC LIMIT 1").fetchone()
    changed = digest[:-1] + ("0" if digest[-1] != "0" else "1")
    write_over(file, digest.encode() + b"{", changed.encode() + b"{")  # the column, which the body follows
    with Store.open(file) as again:
        assert again.damage() == ()
        ((one,), kept) = again.set_aside()
        assert (one.key.table.name, one.owner, one.spared) == ("replication", plan.plan.handle, True)
        assert kept is not None
        assert again.altered() == ()


def test_a_read_only_store_is_told_of_and_kept(store: Store, file: Path) -> None:
    samples.add(store)
    store.close()
    write_over(file, *CASES["plan"])
    with Store.open(file, read_only=True) as again:
        assert len(again.altered()) == 1
