from pathlib import Path

import pytest

from fleettui.cli.writing import check_free, write_whole
from fleettui.errors import InputError


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    target = tmp_path / "x.json"
    write_whole(target, "text")
    write_whole(target, "newer")
    assert target.read_text("utf-8") == "newer"
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]


def test_a_failure_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "x.json"
    write_whole(target, "old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(InputError, match="No space left"):
        write_whole(target, "new")
    assert target.read_text("utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]


def test_places_that_cannot_take_a_file(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("", "utf-8")
    for path, force, what in (
        (tmp_path, True, "this is a folder"),
        (tmp_path / "none" / "x", True, "the folder does not exist"),
        (taken, False, "the file exists"),
    ):
        with pytest.raises(InputError, match=what):
            check_free(path, force=force)
    check_free(taken, force=True)
    check_free(tmp_path / "new", force=False)
