"""A first frame reads the last plan with sqlite3 alone."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from store import Store
from store.engine import connect
from store.peek import peek
from tests.store import samples


def test_the_last_plan_is_seen_as_a_list_shows_it(store: Store, file: Path) -> None:
    samples.add(store)
    second = samples.add(store)
    assert peek(file) == store.row("last")
    store.archive(second.plan.handle)
    assert peek(file) == store.row("last")


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
    subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).parents[2], check=True)
