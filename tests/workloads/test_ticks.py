from __future__ import annotations

import numpy as np
import pytest

from fleettui.workloads.formats.base import Chunk
from fleettui.workloads.ticks import peeked, spread, tick_of


def chunk(times):
    tokens = np.arange(1, len(times) + 1, dtype=np.int32)
    return Chunk(np.array(times, dtype=float), tokens, tokens)


def test_a_ticking_clock_is_known_even_when_it_jitters():
    times = np.repeat(np.arange(50) * 3.0, 4)
    assert tick_of(times) == 3.0
    times[8:] -= 0.001
    assert tick_of(times) == 3.0


@pytest.mark.parametrize(
    "times",
    [
        np.arange(300) * 3.0,
        np.repeat(np.arange(10) * 3.0, 4),
        np.repeat(np.arange(100) * 0.25, 4),
        np.repeat(np.cumsum(np.linspace(3, 4, 100)), 4),
        np.zeros(500),
        np.repeat(np.arange(100) * 600.0, 4),
    ],
    ids=[
        "nobody shares an instant",
        "too few",
        "shorter than a second",
        "uneven",
        "one instant",
        "longer than a minute",
    ],
)
def test_other_clocks_do_not_tick(times):
    assert tick_of(times) is None


def test_requests_of_a_tick_are_spread_evenly_over_it():
    (found,) = list(spread(iter([chunk([0, 0, 0, 3, 9, 9])]), 3.0))[:1]
    assert found.arrivals is not None
    assert found.arrivals.tolist() == [0.5, 1.5, 2.5, 4.5]


def test_chunks_do_not_matter():
    times = np.repeat(np.arange(7) * 3.0, [1, 5, 2, 2, 8, 1, 3])
    whole = np.concatenate([part.arrivals for part in spread(iter([chunk(times)]), 3.0)])
    for size in (1, 2, 5, 22):
        parts = [chunk(times[start : start + size]) for start in range(0, len(times), size)]
        assert np.concatenate([part.arrivals for part in spread(iter(parts), 3.0)]).tolist() == whole.tolist()
    assert (np.diff(whole) >= 0).all()


def test_a_tick_that_comes_early_shortens_the_one_before():
    found = np.concatenate([part.arrivals for part in spread(iter([chunk([0, 0, 2, 2])]), 3.0)])
    assert found.tolist() == [0.5, 1.5, 2.75, 4.25]


def test_peeking_loses_nothing():
    tick, chunks = peeked(iter([chunk(np.repeat(np.arange(50) * 3.0, 4)), chunk([150.0])]))
    assert tick == 3.0
    assert [len(one.prompt) for one in chunks] == [200, 1]
    assert peeked(iter(()))[0] is None
