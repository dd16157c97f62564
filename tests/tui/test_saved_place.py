"""The session that is kept, against files that are missing, broken or another's, and folders that take none."""

import errno
import json
import os
from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.tui.saved_place import Session, load, save, state_folder, write_private

USED = Session(
    plan="0199-41a7",
    view="plans",
    marks=("0199-41a7", "0199-40f2"),
    words="azure cost<150",
    sort="cost",
    theme="nord",
)


def full_disk(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    file = tmp_path / "new" / "folder" / "state.json"
    assert save(file, USED)
    assert load(file) == USED
    assert [one.name for one in file.parent.iterdir()] == ["state.json"]
    assert file.stat().st_mode & 0o777 == 0o600
    assert save(file, Session())
    assert load(file) == Session()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '"text"',
        "\x00\x01",
        "[" * 100_000,
        '{"view": 6}',
        '{"view": "cat"}',
        '{"marks": [1], "plan": 5}',
    ],
)
def test_a_file_without_sense_is_a_fresh_session(tmp_path: Path, text: str) -> None:
    file = tmp_path / "state.json"
    file.write_text(text)
    assert load(file) == Session()


def test_bytes_that_are_no_text_are_a_fresh_session(tmp_path: Path) -> None:
    (tmp_path / "state.json").write_bytes(b"\xff\xfe\x80")
    assert load(tmp_path / "state.json") == Session()
    assert load(tmp_path) == load(tmp_path / "none") == Session()


def test_what_makes_sense_in_a_foreign_file_is_taken(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    file.write_text(
        json.dumps({"plan": "41a7", "view": True, "marks": "41a7", "later": {"unknown": 1}, "sort": "cost"})
    )
    assert load(file) == Session(plan="41a7", sort="cost")


def test_a_folder_that_takes_nothing_is_told_not_raised(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    assert not save(in_the_way / "state.json", USED)
    assert write_private(in_the_way / "state.json", "text")


def test_a_full_disk_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "state.json"
    assert save(file, USED)
    monkeypatch.setattr(Path, "replace", full_disk)
    assert write_private(file, "text") == "No space left on device"
    assert not save(file, Session())
    assert load(file) == USED
    assert [one.name for one in tmp_path.iterdir()] == ["state.json"]


def test_a_disk_that_fills_while_writing_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fdopen", full_disk)
    assert write_private(tmp_path / "state.json", "text") == "No space left on device"
    assert list(tmp_path.iterdir()) == []


def test_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert state_folder({"FLEETTUI_STATE": str(tmp_path)}) == tmp_path
    assert state_folder({"FLEETTUI_STATE": "~/x"}) == Path.home() / "x"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert state_folder({}).name == "fleettui"
    with pytest.raises(InputError, match="FLEETTUI_STATE: this path cannot be used"):
        state_folder({"FLEETTUI_STATE": "~nobody-x/state"})
