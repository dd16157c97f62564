import os
from pathlib import Path

import pytest

from fleettui.errors import FullDiskError, InputError
from fleettui.planning.user_files import LARGEST, check_free, format_of, read_bytes, read_text, write_whole


def test_a_link_is_replaced_and_what_a_terminal_would_obey_is_written_out(tmp_path: Path) -> None:
    target, link = tmp_path / "victim", tmp_path / "out.md"
    target.write_text("mine")
    link.symlink_to(target)
    write_whole(link, "a\x1b[31mb\n", "--output")
    assert (link.read_text(), target.read_text(), link.is_symlink()) == ("a\\u001b[31mb\n", "mine", False)


def test_what_is_no_small_text_is_refused(tmp_path: Path) -> None:
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"\xff\xfe\x00\x9f")
    long = tmp_path / "long.yaml"
    long.write_text("#" * (LARGEST + 1), "utf-8")
    for path, what in (
        (str(tmp_path / "none.yaml"), "the fleet cannot be read: No such file"),
        (str(tmp_path), "the fleet cannot be read: Is a directory"),
        (str(binary), "this is no text"),
        (str(long), "this is too long for a fleet"),
        ("/dev/zero", "this is too long for a fleet"),
        ("a\0b", "the fleet cannot be read"),
    ):
        with pytest.raises(InputError, match=what):
            read_text(path, "fleet")


def test_a_file_that_cannot_be_read_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = str(tmp_path / "none")
    for read in (lambda: read_text(path, "bundle"), lambda: read_bytes(path, "bundle", LARGEST)):
        with pytest.raises(InputError) as caught:
            read()
        assert str(caught.value).splitlines() == [
            f"{path}: the bundle cannot be read: No such file or directory",
            "  do: give the path of a bundle that you may read",
        ]


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    file = tmp_path / "f.json"
    file.write_bytes(b"\xef\xbb\xbf{}")
    assert read_text(str(file), "fleet") == "{}"


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    target = tmp_path / "x.json"
    write_whole(target, "text", "path")
    write_whole(target, "newer", "path")
    assert target.read_text("utf-8") == "newer"
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_who_may_read_a_new_file_is_as_the_user_wants(mask: int, tmp_path: Path) -> None:
    before = os.umask(mask)
    try:
        write_whole(tmp_path / "x.json", "text", "path")
    finally:
        os.umask(before)
    assert (tmp_path / "x.json").stat().st_mode & 0o777 == 0o666 & ~mask


def test_a_failure_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "x.json"
    write_whole(target, "old", "path")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(FullDiskError, match="No space left") as refused:
        write_whole(target, "new", "path")
    assert refused.value.exit_code == 4
    assert target.read_text("utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]


def test_a_new_file_takes_the_place_of_none(tmp_path: Path) -> None:
    target = tmp_path / "x.json"
    write_whole(target, "first", "path", new=True)
    with pytest.raises(InputError, match="File exists"):
        write_whole(target, "second", "path", new=True)
    assert target.read_text("utf-8") == "first"
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
            check_free(path, "path", force=force)
    with pytest.raises(InputError, match="cannot be written: File name too long"):
        check_free(tmp_path / ("x" * 300), "path")
    check_free(taken, "path", force=True)
    check_free(tmp_path / "new", "path")


SUFFIXES = {".html": "html", ".md": "md", ".txt": "text"}


@pytest.mark.parametrize(
    ("path", "typed", "found"),
    [
        ("a.HTML", None, "html"),
        ("a.md", "html", "html"),
        (None, None, "text"),
        ("-", None, "text"),
        ("-", " MD ", "md"),
    ],
)
def test_the_format_is_typed_or_follows_the_name(path: str | None, typed: str | None, found: str) -> None:
    assert format_of(path, typed, SUFFIXES, "text") == found


def test_a_format_that_is_not_known_is_refused_with_those_that_are() -> None:
    for path, typed in (("a.doc", None), ("a", None), ("a.md", "doc"), (None, "doc")):
        with pytest.raises(InputError) as refused:
            format_of(path, typed, SUFFIXES, "text")
        assert refused.value.accepted == "html, md, text"
    with pytest.raises(InputError):
        format_of(None, None, SUFFIXES)
