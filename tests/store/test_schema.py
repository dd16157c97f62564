"""Tables made new equal those that the steps make, and a file's age is told from its revision."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection

from fleettui.errors import StoreError
from store import Store, opening, schema
from store.engine import build, locked
from store.migrations.upgrade import _run_steps
from store.tables import TABLES
from tests.store import samples


def shape(path: Path) -> list[tuple[str, str]]:
    """Return name and SQL of everything in the file but triggers, spaces made equal."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql NOT NULL AND type != 'trigger'")
        return sorted(
            (name, re.sub(r"\s+", " ", sql).replace("( ", "(").replace(" )", ")").strip()) for name, sql in rows
        )


def test_the_steps_lead_to_the_tables_of_the_code(tmp_path: Path, file: Path, store: Store) -> None:
    samples.add(store)
    path = tmp_path / "stepped.db"
    path.touch()
    engine = build(path, read_only=False)
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
        with locked(connection):
            _run_steps(connection, schema.SCHEMA, "base")
    engine.dispose()
    mine, stepped = shape(file), shape(path)
    assert [one for one in mine if one[0] != "alembic_version"] == [
        one for one in stepped if one[0] != "alembic_version"
    ]
    assert {table.name for table in TABLES} < {name for name, _ in mine}


@pytest.mark.parametrize(
    ("revision", "expected"), [("0008", "current"), ("0007", "older"), ("0009", "newer"), ("a7b3", "newer")]
)
def test_age_follows_from_the_revision(file: Path, store: Store, revision: str, expected: str) -> None:
    with closing(sqlite3.connect(file)) as raw, raw:
        raw.execute("UPDATE alembic_version SET version_num = ?", (revision,))
    engine = build(file, read_only=True)
    with engine.connect() as connection:
        assert schema.age(connection, file) == expected
    engine.dispose()


def test_a_store_that_is_made_between_two_looks_is_no_other_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, looks = tmp_path / "new.db", list[str | None]()

    def look(connection: Connection) -> str | None:
        looks.append(read_revision(connection))
        if len(looks) == 1:
            Store.open(path).close()  # as another program does, whose first start is at the same moment
        return looks[-1]

    read_revision = schema.read_revision
    path.touch()
    engine = build(path, read_only=False)
    monkeypatch.setattr(schema, "read_revision", look)
    with engine.connect() as connection:
        assert schema.age(connection, path) == "current"
    engine.dispose()
    assert looks[0] is None


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE mine (x)",
        "CREATE TABLE alembic_version (version_num); INSERT INTO alembic_version VALUES ('0001')",
    ],
)
def test_another_programs_database_is_left_alone(tmp_path: Path, script: str) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as raw:
        raw.executescript(script)
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(StoreError, match="a database of another program"):
            opening.open_file(path, read_only=read_only)
    assert path.read_bytes() == before
