"""A first frame reads the last plan with sqlite3 alone."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from store import Store
from store.engine import connect
from store.peek import peek
from tests.store import samples

DATABASES = Path(__file__).parents[1] / "databases"


def test_the_last_plan_is_seen_as_a_list_shows_it(store: Store, file: Path) -> None:
    samples.add(store)
    second = samples.add(store)
    assert peek(file) == store.row("last")
    store.archive(second.plan.handle)
    assert peek(file) == store.row("last")


def test_a_plan_that_is_named_is_seen_though_it_is_not_the_last(store: Store, file: Path) -> None:
    first = samples.add(store).plan
    samples.add(store)
    for ref in (first.id, first.handle):
        assert peek(file, ref) == store.row(first.id) != peek(file)
    store.archive(first.id)
    assert peek(file, first.handle) == store.row(first.id)
    assert peek(file, "no such plan") is None


@pytest.mark.parametrize("past", sorted(DATABASES.glob("schema-*.db")), ids=lambda path: path.stem)
def test_a_store_that_is_not_upgraded_yet_shows_its_last_plan(past: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copy(past, tmp_path / "old.db"))
    row = peek(copy)
    assert row
    assert (row.name, row.verdict, row.parent, row.finished) == ("too fast", "infeasible", "", True)
    assert copy.read_bytes() == past.read_bytes()
    with Store.open(copy) as store:
        assert store.row("last").handle == row.handle


def test_tables_of_a_program_to_come_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "future.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("CREATE TABLE plan (id, archived); INSERT INTO plan VALUES (1, 0)")
    assert peek(path) is None


def test_the_default_store_is_meant(monkeypatch: pytest.MonkeyPatch, store: Store, file: Path) -> None:
    samples.add(store)
    monkeypatch.setenv("FLEETTUI_DB", str(file))
    assert peek() == store.row("last")


def test_nothing_is_seen_where_nothing_can_be(tmp_path: Path, store: Store, file: Path) -> None:
    assert peek(tmp_path / "none.db") is None
    assert not (tmp_path / "none.db").exists()
    assert peek(file) is None
    (tmp_path / "text.db").write_text("prompt,output\n" * 500)
    assert peek(tmp_path / "text.db") is None


def test_a_held_store_does_not_hold_a_frame(store: Store, file: Path) -> None:
    samples.add(store)
    with closing(connect(file, read_only=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert peek(file) == store.row("last")


def test_peeking_loads_no_library(store: Store, file: Path) -> None:
    samples.add(store)
    heavy = "{'sqlmodel', 'sqlalchemy', 'pydantic', 'alembic', 'numpy'}"
    program = (
        "import sys; from pathlib import Path; from store.peek import peek\n"
        f"assert peek(Path({str(file)!r})).gpus == 16\n"
        f"assert not {heavy} & set(sys.modules), {heavy} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).parents[2], check=True, timeout=60)
