"""What bursts do to the wait by formula: nothing where there are none, and what theory knows of one server."""

from __future__ import annotations

import numpy as np
import pytest

from fleettui.queueing.bursts import Bursts, peakedness, stretch
from fleettui.queueing.waiting import WaitTail


def test_arrivals_that_vary_as_poisson_s_wait_as_poisson_s() -> None:
    plain = WaitTail.of(np.array([1.0, 40.0]), 0.8, 2.0, 3.0)
    same = WaitTail.of(np.array([1.0, 40.0]), 0.8, 2.0, 3.0, Bursts(1.0, 0.0, 0.0).of_part(np.ones(2)))
    assert np.array_equal(plain.percentile(0.01), same.percentile(0.01))


def test_a_part_has_its_part_of_the_excess_and_short_windows_do_not_see_a_slow_rate() -> None:
    seconds = np.array([0.0, 1.0, 100.0, 1e6, np.inf])
    excess = Bursts(10.0, 8.0, 100.0).of_part(np.array(5.0))(seconds)
    assert excess == pytest.approx([0.0, 4.0 * 0.00498, 4.0 * np.exp(-1.0), 4.0, 4.0], rel=1e-2)
    assert Bursts(10.0, 8.0, 0.0).of_part(np.array(20.0))(seconds) == 8.0


def test_one_server_in_heavy_traffic_waits_as_kingman_says() -> None:
    excess = Bursts(1.0, 3.0, 0.0).of_part(np.array(1.0))
    assert stretch(excess, np.array(0.01), np.array(1.0), 1.0) == pytest.approx(2.5)
    assert stretch(excess, np.array(0.0), np.array(1.0), 1.0) == pytest.approx(2.5)
    assert peakedness(excess, np.array(1.0)) == 4.0


@pytest.mark.parametrize("memory", [0.0, 5.0, 500.0])
def test_waits_grow_with_the_excess_and_with_the_load(memory: float) -> None:
    servers, found = 20.0, []
    for long_run in (-0.5, 0.0, 1.0, 10.0):
        excess = Bursts(1.0, long_run, memory).of_part(np.array(1.0))
        tails = [WaitTail.of(servers, load, 1.0, 2.0, excess) for load in (0.5, 0.8, 0.95)]
        found.append([float(one.percentile(0.01)) for one in tails])
    assert (np.diff(found, axis=0) >= 0).all()
    assert (np.diff(found, axis=1) >= 0).all()
