"""Finished things do not change, whoever asks; strict columns take only their own type."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from store import Store
from store.engine import connect
from store.tables import TABLES
from store.triggers import ANSWER, LABELS, PLACES, PROGRESS
from tests.repeated import few
from tests.store import samples


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a store of two ended plans and a study, made once and copied for each test."""
    file = tmp_path_factory.mktemp("filled") / "fleettui.db"
    with Store.open(file, clock=samples.clock(), entropy=lambda: 12_345) as store:
        samples.add(store)
        samples.prove(store, replications=1)
        store.add_study(samples.study("last"))
    return file


@pytest.fixture
def raw(filled: Path, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(connect(Path(shutil.copy(filled, tmp_path)), read_only=False)) as connection:
        yield connection


COLUMNS = [(table.name, column.name) for table in TABLES for column in table.columns]


def passing(table: str) -> frozenset[str]:
    """Return the columns of a table that change until something ends."""
    return {"plan": ANSWER, "job": PROGRESS, "candidate_order": PLACES}.get(table, frozenset())


@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_only_labels_can_be_updated(raw: sqlite3.Connection, table: str, column: str) -> None:
    statement = f'UPDATE "{table}" SET "{column}" = "{column}"'
    if table == "plan" and column in LABELS:
        assert raw.execute(statement).rowcount == 2
    else:
        kind = "an ended" if column in passing(table) else "a stored"
        with pytest.raises(sqlite3.IntegrityError, match=f"{kind} {table} does not change"):
            raw.execute(statement)


@pytest.mark.parametrize(
    ("table", "column"), few([one for one in COLUMNS if one[0] in ("plan", "job", "candidate_order")], 9)
)
def test_what_is_under_way_may_change_in_its_findings_only(store: Store, file: Path, table: str, column: str) -> None:
    samples.begin(store)
    statement = f'UPDATE "{table}" SET "{column}" = "{column}"'
    with closing(connect(file, read_only=False)) as raw:
        if column in passing(table) or (table == "plan" and column in LABELS):
            assert raw.execute(statement).rowcount >= 1
        else:
            with pytest.raises(sqlite3.IntegrityError, match=f"a stored {table} does not change"):
                raw.execute(statement)


@pytest.mark.parametrize(
    ("before", "after", "allowed"),
    [
        ("done", "running", False),
        ("done", "failed", False),
        ("failed", "running", True),
        ("failed", "done", False),
        ("cancelled", "running", True),
        ("cancelled", "cancelled", False),
        ("stopped", "running", True),
        ("stopped", "cancelled", True),
        ("running", "done", True),
    ],
)
def test_an_ended_job_can_only_run_again(store: Store, file: Path, before: str, after: str, allowed: bool) -> None:
    samples.begin(store)
    with closing(connect(file, read_only=False)) as raw:
        raw.execute("UPDATE job SET state = ?", (before,))
        if allowed:
            raw.execute("UPDATE job SET state = ?, message = 'x'", (after,))
        else:
            with pytest.raises(sqlite3.IntegrityError, match="an ended job does not change"):
                raw.execute("UPDATE job SET state = ?, message = 'x'", (after,))


@pytest.mark.parametrize("table", [table.name for table in TABLES])
def test_nothing_is_deleted_or_replaced(raw: sqlite3.Connection, table: str) -> None:
    with pytest.raises(sqlite3.IntegrityError, match=f"a stored {table} is not deleted"):
        raw.execute(f'DELETE FROM "{table}"')
    with pytest.raises(sqlite3.IntegrityError, match=f"a stored {table} is not deleted"):
        raw.execute(f'REPLACE INTO "{table}" SELECT * FROM "{table}"')


@pytest.mark.parametrize(
    ("statement", "refusal"),
    [
        ("INSERT INTO excluded VALUES ((SELECT id FROM plan), 9, 't', 'r', 'many')", "cannot store TEXT value"),
        ("INSERT INTO excluded VALUES ((SELECT id FROM plan), 9, 't', 'r', -1)", "excluded_count_is_count"),
        ("INSERT INTO excluded VALUES ('nobody', 9, 't', 'r', 1)", "FOREIGN KEY"),
        ("INSERT INTO provenance VALUES ('short', '{}')", "provenance_digest_is_sha256"),
        ("INSERT INTO provenance VALUES (hex(zeroblob(32)), '{')", "provenance_body_is_json"),
        ("UPDATE plan SET archived = 2", "plan_archived_is_flag"),
        (
            "INSERT INTO replication SELECT candidate, 8, 0, created, 1, 'nan', 1, digest, body, 0 FROM replication",
            "REAL",
        ),
        (
            "INSERT INTO replication SELECT candidate, 8, 0, created, 1, 1, 1, 'short', body, 0 FROM replication",
            "replication_digest_is_sha256",
        ),
        ("INSERT INTO histogram SELECT candidate, 8, 0, 0, 0, metric, cells FROM histogram LIMIT 1", "FOREIGN KEY"),
        (
            "INSERT INTO study SELECT 'a', 'a', '', title, '', plan, 1, 1, created, body, 0 FROM study",
            "study_has_a_kind",
        ),
        (
            "INSERT INTO study SELECT 'a', 'a', kind, title, '', plan, 1, 1, created, '{', 0 FROM study",
            "study_body_is_json",
        ),
        (
            "INSERT INTO study SELECT 'a', 'a', kind, title, '', 'nobody', 1, 1, created, body, 0 FROM study",
            "FOREIGN KEY",
        ),
        (
            "INSERT INTO study SELECT 'a', handle, kind, title, '', plan, 1, 1, created, body, 0 FROM study",
            "study.handle",
        ),
        ("INSERT INTO histogram SELECT candidate, 7, 0, 9, 9, metric, 'text' FROM histogram", "cannot store TEXT"),
    ],
)
def test_the_file_itself_refuses_wrong_rows(raw: sqlite3.Connection, statement: str, refusal: str) -> None:
    with pytest.raises(sqlite3.IntegrityError, match=refusal):
        raw.execute(statement)


def test_every_table_is_strict_and_none_cascades(raw: sqlite3.Connection) -> None:
    ours = {table.name for table in TABLES}
    strict = {row[1] for row in raw.execute("PRAGMA table_list") if row[5] == 1}
    assert strict == ours
    for table in ours:
        assert {row[6] for row in raw.execute(f'PRAGMA foreign_key_list("{table}")')} <= {"NO ACTION"}
