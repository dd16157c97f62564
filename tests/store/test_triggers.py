"""Finished things do not change, whoever asks; strict columns take only their own type."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from store import Store
from store.engine import connect
from store.tables import TABLES
from store.triggers import LABELS
from tests.store import samples


@pytest.fixture
def raw(store: Store, file: Path) -> Iterator[sqlite3.Connection]:
    samples.add(store)
    with closing(connect(file, read_only=False)) as connection:
        yield connection


COLUMNS = [(table.name, column.name) for table in TABLES for column in table.columns]


@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_only_labels_can_be_updated(raw: sqlite3.Connection, table: str, column: str) -> None:
    statement = f'UPDATE "{table}" SET "{column}" = "{column}"'
    if table == "plan" and column in LABELS:
        assert raw.execute(statement).rowcount == 1
    else:
        with pytest.raises(sqlite3.IntegrityError, match=f"a stored {table} does not change"):
            raw.execute(statement)


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
