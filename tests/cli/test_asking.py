from collections.abc import Callable
from pathlib import Path

import pytest

from fleettui.cli import asking
from fleettui.errors import InputError


def test_a_missing_file_a_folder_and_no_text_are_refused(tmp_path: Path) -> None:
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"\xff\xfe\x00\x9f")
    long = tmp_path / "long.yaml"
    long.write_text("#" * (asking.LARGEST + 1), "utf-8")
    for path, what in (
        (str(tmp_path / "none.yaml"), "the question cannot be read: No such file"),
        (str(tmp_path), "the question cannot be read: Is a directory"),
        (str(binary), "this is no text"),
        (str(long), "this is too long for a question"),
        ("a\0b", "the question cannot be read"),
    ):
        with pytest.raises(InputError, match=what):
            asking.read_file(path)


def test_a_bad_line_is_refused_with_its_number(
    run: Callable[..., tuple[int, str, str]], refused: Callable[..., str], tmp_path: Path
) -> None:
    file = tmp_path / "q.yaml"
    file.write_text("workload: azure-2023-conv\nslo-ttft: 500\n", "utf-8")
    assert f"{file} line 2, slo-ttft: duration needs a unit" in refused(run("plan", "-f", str(file)))
    file.write_text("workload: [a\nslo-ttft", "utf-8")
    assert "this is no YAML" in refused(run("plan", "-f", str(file)))
