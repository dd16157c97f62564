from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleettui.errors import InputError
from fleettui.workloads.formats.base import Chunk
from fleettui.workloads.merge import merged

TIMES = st.lists(st.integers(0, 20), min_size=1, max_size=12).map(sorted)


def chunks(times, source, size):
    for start in range(0, len(times), size):
        part = np.array(times[start : start + size], dtype=float)
        yield Chunk(
            part, np.full(len(part), source + 1, dtype=np.int32), np.arange(start, start + len(part), dtype=np.int32)
        )


@given(st.lists(TIMES, min_size=1, max_size=4), st.integers(1, 5))
def test_all_requests_come_out_in_order(sources, size):
    found = list(merged([chunks(times, index, size) for index, times in enumerate(sources)]))
    times = np.concatenate([chunk.arrivals for chunk in found]).tolist()
    prompt = np.concatenate([chunk.prompt for chunk in found]).tolist()
    assert times == sorted(time for one in sources for time in one)
    for index, one in enumerate(sources):
        assert [time for time, source in zip(times, prompt, strict=True) if source == index + 1] == one


def test_no_stream_gives_nothing():
    assert list(merged([iter(()), iter(())])) == []


def test_traces_of_different_clocks_are_refused():
    month = 31 * 86_400
    with pytest.raises(InputError, match="not on one clock"):
        next(merged([chunks([0, 5], 0, 5), chunks([month, month + 5], 1, 5)]))
