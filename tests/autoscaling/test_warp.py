"""A steady stream laid over a day."""

import numpy as np
import pytest

from fleettui.autoscaling.warp import enough, warped
from fleettui.domain.day import Day, Window, steady


def test_at_a_constant_rate_nothing_changes() -> None:
    times = np.cumsum(np.random.default_rng(1).exponential(0.5, 400))
    found = warped(times, 2.0, steady(2.0, 100.0))
    assert found.tobytes() == times[times < 100.0].tobytes()


def test_a_window_with_twice_the_rate_runs_twice_as_fast_and_one_without_is_passed_over() -> None:
    windows = (
        Window(start=0.0, end=10.0, rate=2.0),
        Window(start=10.0, end=20.0, rate=0.0),
        Window(start=20.0, end=30.0, rate=4.0),
    )
    found = warped(np.arange(0.5, 61.0, 1.0), 1.0, Day(name="mine", windows=windows))
    assert len(found) == 60
    assert found[:20] == pytest.approx(np.arange(0.25, 10.0, 0.5))
    assert found[20:] == pytest.approx(np.arange(20.125, 30.0, 0.25))


def test_a_stream_that_ends_too_early_is_a_bug() -> None:
    with pytest.raises(AssertionError, match="do not fill the day"):
        warped(np.array([1.0, 2.0]), 1.0, steady(1.0, 100.0))
    assert enough(steady(1.0, 100.0)) > 150
    assert enough(steady(1.0, 100.0), excess=3.0) > enough(steady(1.0, 100.0))
