"""A store is made, opened, or refused with what to do."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from fleettui.errors import StoreError, StoreReadOnlyError
from store import Store, file_place
from tests.store import samples

ROOT = Path(__file__).parents[2]
STRANGER = """
import os, sys
from pathlib import Path
from fleettui.errors import StoreReadOnlyError
from store import Store
folder, opening = Path(sys.argv[1]), Store.open
if os.geteuid() == 0:
    os.setuid(65534)
with opening(folder / "copy.db") as store:
    print("plans:", store.count())
try:
    opening(folder / "theirs.db")
except StoreReadOnlyError as error:
    print(error)
"""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_store_is_private(file: Path, store: Store) -> None:
    samples.add(store)
    assert mode(file.parent) == 0o700
    assert {mode(one) for one in file.parent.iterdir()} == {0o600}
    assert {one.name for one in file.parent.iterdir()} == {"fleettui.db", "fleettui.db-wal", "fleettui.db-shm"}
    assert store.path == file
    assert store.notice == ""


def test_a_store_is_in_write_ahead_mode_and_keeps_its_references(store: Store, file: Path) -> None:
    with store._opened.engine.connect() as connection:
        values = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "foreign_keys", "synchronous", "busy_timeout", "recursive_triggers")
        }
    assert values == {
        "journal_mode": "wal",
        "foreign_keys": 1,
        "synchronous": 1,
        "busy_timeout": 5000,
        "recursive_triggers": 1,
    }
    assert file_place.uses_wal(file)


def test_a_folder_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with Store.open(tmp_path / "mine.db") as store:
        assert mode(tmp_path) == 0o755
        assert mode(store.path) == 0o600


def test_a_store_that_others_may_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "mine.db"
    Store.open(path).close()
    path.chmod(0o644)
    Store.open(path).close()
    assert mode(path) == 0o600


def test_the_default_is_named_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETTUI_DB", str(tmp_path / "named.db"))
    with Store.open() as store:
        assert store.path == tmp_path / "named.db"


def test_a_store_opens_again_with_what_it_held(file: Path) -> None:
    with Store.open(file) as store:
        stored = samples.add(store)
    with Store.open(file) as store:
        assert store.plan("last") == stored


def test_a_read_only_file_is_read_and_refuses_writes(file: Path) -> None:
    with Store.open(file) as store:
        stored = samples.add(store)
    file.chmod(0o400)
    before = file.read_bytes()
    with Store.open(file) as store:
        assert "may be read, not written" in store.notice
        assert store.plan("last") == stored
        for write in (lambda: samples.add(store), lambda: store.archive("last"), lambda: store.set_name("last", "x")):
            with pytest.raises(StoreReadOnlyError, match=r"may be read, not written\n  do: give yourself"):
                write()
    assert file.read_bytes() == before


def test_read_only_on_request_says_nothing_until_a_write(file: Path, store: Store) -> None:
    stored = samples.add(store)
    with Store.open(file, read_only=True) as reader:
        assert reader.notice == ""
        assert reader.plan("last") == stored
        with pytest.raises(StoreReadOnlyError):
            reader.add_tag("last", "x")


def test_read_only_makes_nothing(file: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no store at .*\n  do: fleettui plan makes one"):
        Store.open(file, read_only=True)
    assert not file.parent.exists()


def test_an_empty_file_cannot_be_read_but_can_be_filled(tmp_path: Path) -> None:
    path = tmp_path / "mine.db"
    path.touch()
    with pytest.raises(StoreError, match="is empty"):
        Store.open(path, read_only=True)
    with Store.open(path) as store:
        assert store.plans() == ()


@pytest.mark.parametrize("content", [b"prompt,output\n1,2\n", b"\x00" * 4096, b"SQLite format 2\x00" + b"x" * 200])
def test_what_is_not_a_database_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mine.db"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"is not a database\n  do: move it away"):
        Store.open(path)
    assert path.read_bytes() == content


def test_a_damaged_file_says_what_to_do(file: Path) -> None:
    with Store.open(file) as store:
        samples.add(store, samples.answer(200))
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    file.write_bytes(content)
    with (
        pytest.raises(StoreError, match=r"is damaged.*\n  do: move it away and restore a backup"),
        Store.open(file) as s,
    ):
        s.plan("last")


def test_a_row_that_does_not_read_is_told(file: Path, store: Store) -> None:
    samples.add(store)
    with closing(sqlite3.connect(file)) as raw, raw:
        raw.execute("DROP TRIGGER candidate_block_stays")
        raw.execute('UPDATE candidate_block SET body = replace(body, \'"gpus":[16\', \'"gpus":["many"\')')
    with pytest.raises(StoreError, match=r"a stored candidate does not read.*\n  do: "):
        store.plan("last")


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"cannot be made: .*\n  do: set FLEETTUI_DB"):
        Store.open(tmp_path / "file" / "mine.db")
    with pytest.raises(StoreError, match="cannot be read"):
        Store.open(tmp_path, read_only=True)


def test_a_network_file_system_is_refused_before_anything_is_made(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Store.open(tmp_path / "there" / "mine.db").close()
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/sda / ext4 rw 0 0\nserver:/home {tmp_path} nfs4 rw 0 0\n")
    monkeypatch.setattr(file_place, "MOUNTS", mounts)
    with pytest.raises(StoreError, match=r"network file system \(nfs4 at .*write-ahead log.*\n  do: set FLEETTUI_DB"):
        Store.open(file)
    assert not file.parent.exists()
    for read_only in (False, True):
        with pytest.raises(StoreError, match="network file system"):
            Store.open(tmp_path / "there" / "mine.db", read_only=read_only)


def test_a_published_copy_is_read_on_a_network_file_system(
    file: Path, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = samples.add(store)
    copy = tmp_path / "copy.db"
    with closing(sqlite3.connect(file)) as raw:
        raw.execute("VACUUM INTO ?", (str(copy),))
    mounts = tmp_path / "mounts"
    mounts.write_text(f"server:/home {tmp_path} nfs4 rw 0 0\n")
    monkeypatch.setattr(file_place, "MOUNTS", mounts)
    with Store.open(copy, read_only=True) as reader:
        assert reader.plan("last") == stored


def test_anothers_store_with_a_log_does_not_open_but_its_copy_does() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Store.open(folder / "theirs.db") as store:
            samples.add(store)
        with closing(sqlite3.connect(folder / "theirs.db")) as raw:
            raw.execute("VACUUM INTO ?", (str(folder / "copy.db"),))
        for one in folder.iterdir():
            one.chmod(0o444)
        folder.chmod(0o555)
        answer = subprocess.run(
            [sys.executable, "-c", STRANGER, name], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
        ).stdout
        folder.chmod(0o755)
    assert answer.startswith("plans: 1\nthe store")
    assert "has a write-ahead log" in answer
    assert "do: ask its owner for a finished copy" in answer


def test_a_folder_in_the_files_place_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "plans"
    folder.mkdir()
    folder.chmod(0o755)
    with pytest.raises(StoreError, match="is no file but a folder"):
        Store.open(folder)
    with pytest.raises(StoreError):
        Store.open(folder, read_only=True)
    assert mode(folder) == 0o755
    assert list(folder.iterdir()) == []


def test_an_old_sqlite_is_refused() -> None:
    with pytest.raises(StoreError, match=r"SQLite 3\.36\.0 is too old.*\n  accepted: SQLite 3\.37\.0.*\n  do: "):
        file_place.check_sqlite((3, 36, 0))
