"""An older file is raised on opening, after a copy, whole or not at all."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from fleettui.errors import StoreError, StoreVersionError
from store import Store, opening
from store.migrations.upgrade import backup_path
from store.schema import APPLICATION_ID, SCHEMA, Schema

ROOT = Path(__file__).parents[3]
OLD = ROOT / "tests" / "databases" / "schema-1.db"
STEPS = Path(__file__).parents[1]


def schema_2(folder: str) -> Schema:
    return Schema(revision="0002", steps=(*SCHEMA.steps, STEPS / folder), tables=SCHEMA.tables)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A copy of the store that schema 1 left behind."""
    return Path(shutil.copy(OLD, tmp_path / "fleettui.db"))


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def query(path: Path, statement: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(statement).fetchall()


def test_every_past_schema_opens_and_reads(tmp_path: Path) -> None:
    past = sorted(OLD.parent.glob("schema-*.db"))
    assert len(past) == int(SCHEMA.revision)
    for database in past:
        with Store.open(Path(shutil.copy(database, tmp_path))) as store:
            row = store.row("chat in may")
            assert (row.handle, row.gpus, row.cost_per_hour, row.note, row.tags) == (
                "93b8",
                16,
                71.1,
                "as agreed",
                ("prod",),
            )
            plan = store.plan(row.handle)
            assert (plan.verdict, len(plan.candidates), plan.why[1]) == ("pass", 5, "λ × w")
            assert plan.answer == plan.candidates[0]
            assert store.question("last").slo.ttft == 0.5
            assert store.plan("last").answer is None


def test_an_older_file_is_raised_and_keeps_everything(old: Path) -> None:
    with Store.open(old) as store:
        before = [store.plan(row.id) for row in store.plans()]
    opened = opening.open_file(old, schema=schema_2("revisions"))
    opened.engine.dispose()
    assert query(old, "SELECT version_num FROM alembic_version") == [("0002",)]
    assert query(old, "SELECT DISTINCT owner FROM plan") == [("",)]
    assert query(old, "PRAGMA foreign_key_check") == []
    assert query(old, "PRAGMA integrity_check") == [("ok",)]
    after = opening.open_file(old, schema=schema_2("revisions"))
    assert after.refusal is None
    store = Store(after, clock=lambda: pytest.fail("no time is asked for"), entropy=lambda: 0)
    assert [store.plan(one.plan.id) for one in before] == before
    store.close()


def test_triggers_stand_again_after_an_upgrade(old: Path) -> None:
    triggers = "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
    before = query(old, triggers)
    opening.open_file(old, schema=schema_2("revisions")).engine.dispose()
    assert query(old, triggers) == before
    with pytest.raises(sqlite3.IntegrityError, match="does not change"):
        query(old, "UPDATE plan SET gpus = 1")


def test_a_copy_of_the_older_file_is_kept(old: Path) -> None:
    before = dump(old)
    opening.open_file(old, schema=schema_2("revisions")).engine.dispose()
    copy = backup_path(old, "0001")
    assert dump(copy) == before
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with Store.open(copy) as store:
        assert store.count() == 2


def test_a_step_that_breaks_references_changes_nothing(old: Path) -> None:
    before = dump(old)
    with pytest.raises(StoreError, match=r"references would break.*nothing was changed\n  do: report"):
        opening.open_file(old, schema=schema_2("broken_revisions"))
    assert dump(old) == before
    with Store.open(old) as store:
        assert store.count() == 2


def test_a_step_that_loses_strict_is_a_bug_and_changes_nothing(old: Path) -> None:
    before = dump(old)
    with pytest.raises(AssertionError, match=r"no longer STRICT.*excluded"):
        opening.open_file(old, schema=schema_2("loose_revisions"))
    assert dump(old) == before


def test_an_older_file_is_not_raised_when_it_may_only_be_read(old: Path) -> None:
    before = old.read_bytes()
    with pytest.raises(StoreError, match="written by an older fleettui"):
        opening.open_file(old, read_only=True, schema=schema_2("revisions"))
    assert old.read_bytes() == before
    assert not backup_path(old, "0001").exists()


def test_a_newer_file_is_read_and_not_written(old: Path) -> None:
    opening.open_file(old, schema=schema_2("revisions")).engine.dispose()
    before = dump(old)
    with Store.open(old) as store:
        assert "upgrade fleettui" in store.notice
        assert store.plan("chat in may").verdict == "pass"
        with pytest.raises(StoreVersionError, match=r"newer fleettui \(schema 0002, this one knows 0001\)"):
            store.set_name("last", "x")
    assert dump(old) == before


def test_a_newer_file_whose_tables_are_others_says_upgrade(tmp_path: Path) -> None:
    path = tmp_path / "future.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            f"PRAGMA application_id={APPLICATION_ID}; CREATE TABLE alembic_version (version_num);"
            "INSERT INTO alembic_version VALUES ('9f3c2ab1'); CREATE TABLE plan (other)"
        )
    with (
        Store.open(path) as store,
        pytest.raises(StoreVersionError, match=r"does not read here.*\n  do: upgrade fleettui"),
    ):
        store.plans()


def test_alembic_is_imported_only_for_an_older_file(old: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from store import Store\n"
        f"with Store.open(Path({str(old)!r})) as s: assert s.count() == 2\n"
        f"with Store.open(Path({str(old.with_name('fresh.db'))!r})) as s: assert s.count() == 0\n"
        "assert 'alembic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
