"""A disk that is full at any write keeps nothing of what is refused, and all of what was there."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from fleettui.cli import main
from fleettui.errors import StoreError
from store import Store
from tests.faults.disk import Disk, watched
from tests.repeated import few
from tests.store import samples

Act = Callable[[Store], object]
MOST = 400
"""Writes that no act below makes."""
FIRST = 3
"""How many of the writes of an act are refused in the suite, one at a time; evidence refuses each of them."""


def add_run(store: Store) -> None:
    store.add_replication(store.candidate("begun").candidate, 7, samples.replication(1))


def add_plan(store: Store) -> None:
    samples.add(store, samples.answer(60, name="refused"))


def set_note(store: Store) -> None:
    store.set_note("kept", "refused")


def end_job(store: Store) -> None:
    store.request_cancel("last")


ACTS: dict[str, Act] = {"plan": add_plan, "run": add_run, "note": set_note, "job": end_job}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a finished plan and one that is begun."""
    file = tmp_path_factory.mktemp("whole") / "fleettui.db"
    with Store.open(file) as store:
        samples.add(store, samples.answer(3, name="kept"))
        samples.begin(store, samples.unproven(2, name="begun"))
    return file


@pytest.fixture
def disk() -> Iterator[Disk]:
    with watched() as found:
        yield found


def content(file: Path) -> list[str]:
    """Return all that a sound file holds."""
    with closing(sqlite3.connect(file)) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return [*raw.iterdump()]


def refused_at(number: int, act: Act, whole: Path, folder: Path, disk: Disk) -> bool:
    """Refuse writes from this one on until the act ends, and check what is left; return whether there was one."""
    file = folder / f"{number}.db"
    shutil.copy(whole, file)
    before = content(file)
    with Store.open(file) as store:
        disk.room = number
        try:
            act(store)
        except StoreError as error:
            said = str(error)
        else:
            return False
        finally:
            disk.room = None
        assert re.search(r"nothing of this was kept.*\n  do: free space", said)
        assert content(file) == before
        act(store)
    assert content(file) != before
    return True


@pytest.mark.parametrize(("name", "most"), few(((name, most) for most in (FIRST, MOST) for name in ACTS), len(ACTS)))
def test_a_full_disk_refuses_in_words_and_keeps_what_was_there(
    whole: Path, tmp_path: Path, disk: Disk, name: str, most: int
) -> None:
    refused = 0
    while refused < most and refused_at(refused, ACTS[name], whole, tmp_path, disk):
        refused += 1
    assert 0 < refused < MOST


@pytest.mark.parametrize("write", few(range(12), 2))
def test_a_command_on_a_full_disk_leaves_with_4(
    whole: Path,
    tmp_path: Path,
    disk: Disk,
    write: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "full.db"
    shutil.copy(whole, file)
    monkeypatch.setenv("FLEETTUI_DB", str(file))
    before = content(file)
    disk.room = write
    code = main(("note", "kept", "refused"))
    disk.room = None
    said = capsys.readouterr().err
    assert (code, content(file) == before) in ((4, True), (0, False))
    assert ("do: free space on its disk" in said) == (code == 4)
