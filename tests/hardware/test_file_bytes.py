"""What a user's file holds, and how one that cannot be read is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.hardware.acceptance import rates
from fleettui.hardware.expert_counts import load_of
from fleettui.hardware.file_bytes import read_bytes


def test_all_bytes_are_read(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"\xff\r\n1")
    assert read_bytes(path, remedy="") == b"\xff\r\n1"
    assert read_bytes(path, remedy="", largest=4) == b"\xff\r\n1"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("absent", "no such file"),
        (".", "cannot be read: Is a directory"),
        ("a\0b", "this is no path: embedded null byte"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_path(tmp_path, name, why):
    with pytest.raises(InputError) as caught:
        read_bytes(tmp_path / name, remedy="give another")
    assert caught.value.what == why
    assert caught.value.where == str(tmp_path / name)


def test_an_endless_file_is_refused_where_it_becomes_too_large() -> None:
    with pytest.raises(InputError, match=r"(?s)/dev/zero: it is larger than 1 MiB.*do: give a file"):
        read_bytes(Path("/dev/zero"), remedy="give a file")


@pytest.mark.parametrize("read", [rates, lambda path: load_of(path, None)])
def test_a_device_without_end_is_refused_as_too_long(read):
    """Found: its size is said to be 0, and all of it was read."""
    with pytest.raises(InputError, match="too long for") as found:
        read("/dev/zero")
    assert found.value.accepted == "up to 100 MB"
