"""Planning ahead: the probability of wait by Erlang C and by Halfin and Whitt."""

import pytest

from fleettui.autoscaling.estimator import Settings
from fleettui.autoscaling.staffing import halfin_whitt, staffing
from fleettui.domain.day import Day, Window
from fleettui.queueing.erlang import erlang_c


@pytest.mark.parametrize(
    ("servers", "load", "wait"),
    [
        (27, 20, 0.0961),
        (9, 5, 0.0805),
        (115, 100, 0.0954),
        (1048, 1000, 0.0849),
        (23, 20, 0.4157),
        (25, 20, 0.2091),
        (29, 20, 0.0401),
        (6, 4, 0.285),  # linear headroom of half as much again: short where the load is low
    ],
)
def test_the_probability_of_wait(servers: int, load: float, wait: float) -> None:
    assert float(erlang_c(servers, load)) == pytest.approx(wait, abs=5e-4 if wait > 0.2 else 5e-5)


def test_linear_headroom_is_short_at_low_load_and_wasteful_at_high_load() -> None:
    assert float(erlang_c(150, 100)) == pytest.approx(2e-6, rel=0.2)
    assert float(erlang_c(6, 4)) > 1e5 * float(erlang_c(150, 100))


def test_the_limit_of_large_fleets() -> None:
    assert halfin_whitt(1.5) == pytest.approx(0.0847, abs=5e-5)


def test_every_hour_is_staffed_for_its_highest_rate() -> None:
    rates = (0.5, 2.0, 1.0)
    windows = tuple(Window(start=1800.0 * at, end=1800.0 * (at + 1), rate=rate) for at, rate in enumerate(rates))
    first, second = staffing(Day(name="mine", windows=windows), Settings(), 10.0)
    assert (first.start, first.rate, first.load, first.replicas) == (0.0, 2.0, 20.0, 27)
    assert first.wait == pytest.approx(0.0961, abs=1e-4)
    assert first.halfin_whitt == pytest.approx(halfin_whitt(7 / 20**0.5))
    assert (second.start, second.rate, second.replicas) == (3600.0, 1.0, 15)


def test_an_hour_without_requests_needs_one_and_nobody_waits() -> None:
    windows = (Window(start=0.0, end=3600.0, rate=0.0), Window(start=3600.0, end=7200.0, rate=1.0))
    quiet, _ = staffing(Day(name="mine", windows=windows), Settings(), 10.0)
    assert (quiet.replicas, quiet.wait) == (1, 0.0)
    assert quiet.halfin_whitt < 1e-20
