"""Which format a file is of, and how its skipped rows are told."""

from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.hardware.measured import FORMATS, counted, read_points
from fleettui.hardware.measured.base import Skipped


def test_each_format_has_a_name_of_its_own() -> None:
    assert len({one.name for one in FORMATS}) == len(FORMATS) == 6


@pytest.mark.parametrize("text", ['{"hello": 1}', "a,b\n1,2\n", '{"benchmarks": 5}'])
def test_another_file_is_refused_with_what_is_known(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match="is of no known format") as caught:
        read_points(path)
    assert "GuideLLM" in str(caught.value)


def test_reasons_are_counted_with_their_first_lines() -> None:
    many = [Skipped(line=line, why="TPOT is no time") for line in range(2, 10)]
    assert counted([Skipped(line=1, why="x"), *many]) == (
        ("TPOT is no time: lines 2, 3, 4, 5, 6 and 3 more", 8),
        ("x: line 1", 1),
    )
