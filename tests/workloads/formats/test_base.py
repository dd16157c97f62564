from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fleettui.errors import InputError
from fleettui.workloads.formats.base import Chunk, in_order

FILE = Path("t.csv")


def chunk(times, first_line):
    tokens = np.ones(2, dtype=np.int32)
    return Chunk(None if times is None else np.array(times), tokens, tokens, range(first_line, first_line + 2))


def test_rising_and_equal_times_pass():
    chunks = [chunk([0.0, 0.0], 2), chunk([0.0, 3.0], 4)]
    assert list(in_order(iter(chunks), FILE)) == chunks


@pytest.mark.parametrize(("chunks", "line"), [([[1.0, 0.5]], 3), ([[0.0, 2.0], [1.0, 3.0]], 4)])
def test_times_that_run_backwards_are_refused(chunks, line):
    given = [chunk(times, 2 + 2 * index) for index, times in enumerate(chunks)]
    with pytest.raises(InputError, match=f"t.csv: line {line}: the time runs backwards"):
        list(in_order(iter(given), FILE))


def test_times_that_stop_are_refused():
    with pytest.raises(InputError, match=r"t.csv: line 4: some rows have an arrival time"):
        list(in_order(iter([chunk([0.0, 1.0], 2), chunk(None, 4)]), FILE))
