from pathlib import Path

import pytest

from fleettui.cli.reading import LARGEST, read_text
from fleettui.errors import InputError


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


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    file = tmp_path / "f.json"
    file.write_bytes(b"\xef\xbb\xbf{}")
    assert read_text(str(file), "fleet") == "{}"
