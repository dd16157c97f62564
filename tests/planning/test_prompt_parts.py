"""Parts of a file of prompts: every line begins in one of them, and what has no line is not read by a worker."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fleettui.compression.prompts import lines_of
from fleettui.domain.compression_procedure import LONGEST_LINE
from fleettui.errors import InputError
from fleettui.planning.prompt_parts import starts_of


def test_the_parts_in_which_lines_begin_have_all_lines_and_no_other_part_has_one(tmp_path: Path) -> None:
    chance, file = random.Random(5), tmp_path / "prompts"
    for _ in range(300):
        data = bytes(chance.choices(b"ab\n", (5, 5, chance.random()), k=chance.randint(1, 60)))
        file.write_bytes(data)
        step = chance.randint(2, 9)
        path, starts = starts_of(str(file), step)
        found = {start: [one.data for one in lines_of(Path(path), start, start + step)] for start in range(0, 60, step)}
        assert [line for start in starts for line in found[start]] == [line for each in found.values() for line in each]
        begin = {0, *(place + 1 for place, byte in enumerate(data[:-1]) if byte == ord("\n"))}
        assert starts == tuple(sorted({place // step * step for place in begin}))


def test_a_line_without_end_is_refused_by_its_length(tmp_path: Path) -> None:
    file = tmp_path / "endless"
    with file.open("wb") as opened:
        opened.truncate(3 * LONGEST_LINE)
    with pytest.raises(InputError, match="only line is longer than 8 MiB") as raised:
        starts_of(str(file), 1 << 22)
    assert raised.value.value == f"{3 * LONGEST_LINE} bytes"
    with file.open("ab") as opened:
        opened.write(b"\n")
    with pytest.raises(InputError, match="only line is longer than 8 MiB"):
        starts_of(str(file), 1 << 22)
    with file.open("ab") as opened:
        opened.write(b'{"prompt": "a"}')
    assert starts_of(str(file), 1 << 22)[1] == (0, 3 * LONGEST_LINE)
