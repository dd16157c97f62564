import math
from itertools import pairwise

import pytest

from fleettui.reports import units
from fleettui.reports.chart import Axis
from fleettui.reports.ticks import Scale, Tick, scale, ticks

VALUES = [0.0, 1.0, -3.0, 7.25, 1e-12, 1e12, 1e300, -1e300, 1e-300, math.nan, math.inf, 0.3]


def axis(*, log: bool = False, base: int = 10, low: float | None = None, high: float | None = None) -> Axis:
    return Axis(label="", write=lambda value: f"{value:g}", log=log, base=2 if base == 2 else 10, low=low, high=high)


def labels(one: Axis, low: float, high: float, most: int) -> list[str]:
    return [tick.label for tick in ticks(one, Scale(low=low, high=high, log=one.log), most)]


@pytest.mark.parametrize(
    ("low", "high", "most", "expected"),
    [
        (0.0, 1.0, 5, ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        (0.0, 1.0, 2, ["0", "0.5", "1"]),
        (59.0, 97.0, 4, ["60", "70", "80", "90"]),
        (-3.0, 3.0, 3, ["-2", "0", "2"]),
        (0.0, 250_000.0, 5, ["0", "50000", "100000", "150000", "200000", "250000"]),
    ],
)
def test_linear_ticks_are_round(low: float, high: float, most: int, expected: list[str]) -> None:
    assert labels(axis(), low, high, most) == expected


@pytest.mark.parametrize(
    ("base", "low", "high", "most", "expected"),
    [
        (10, 1.0, 100.0, 8, ["1", "2", "5", "10", "20", "50", "100"]),
        (10, 1.0, 1000.0, 4, ["1", "10", "100", "1000"]),
        (10, 1.0, 1e8, 4, ["1", "100", "10000", "1e+06", "1e+08"]),
        (2, 16.0, 64.0, 6, ["16", "32", "64"]),
        (2, 16.0, 16_384.0, 6, ["16", "64", "256", "1024", "4096", "16384"]),
        (2, 16.0, 16_384.0, 3, ["16", "256", "4096"]),
    ],
)
def test_log_ticks_are_decades_or_powers(base: int, low: float, high: float, most: int, expected: list[str]) -> None:
    assert labels(axis(log=True, base=base), low, high, most) == expected


def test_a_log_axis_of_less_than_a_decade_has_linear_ticks_where_it_needs_them() -> None:
    assert labels(axis(log=True), 1.1, 1.9, 4) == ["1.2", "1.4", "1.6", "1.8"]


def test_no_label_comes_twice() -> None:
    coarse = Axis(label="", write=lambda value: f"{value:.0f}")
    found = ticks(coarse, Scale(low=0.0, high=1.0), 10)
    assert [tick.label for tick in found] == ["0", "1"]
    assert found[0] == Tick(0.0, "0")


def test_a_label_stands_at_its_own_value() -> None:
    dollars = Axis(label="", write=units.dollars_per_hour)
    found = ticks(dollars, Scale(low=71.5, high=74.0), 6)
    assert found == (Tick(72.0, "$72/h"), Tick(73.0, "$73/h"), Tick(74.0, "$74/h"))


def test_ends_hold_the_values_and_are_rounded_outwards() -> None:
    found = scale(axis(), [0.33, 0.52], 3)
    assert found.low == pytest.approx(0.32)
    assert found.high == pytest.approx(0.52)
    assert scale(axis(log=True), [0.023, 3.1], 3) == Scale(low=0.02, high=4.0, log=True)
    assert scale(axis(log=True, base=2), [17.0, 14_089.0], 3) == Scale(low=16.0, high=16_384.0, log=True)


def test_an_end_that_the_axis_sets_stays() -> None:
    assert scale(axis(low=0.0, high=1.0), [0.2, 7.0], 4) == Scale(low=0.0, high=1.0)
    assert scale(axis(low=0.0), [3.3, 7.9], 4).low == 0.0
    assert scale(axis(log=True, low=-1.0), [2.0, 20.0], 4).low == 2.0


@pytest.mark.parametrize("value", [0.0, 5.0, -5.0, 1e-12])
def test_equal_values_get_room_around_them(value: float) -> None:
    found = scale(axis(), [value, value], 4)
    assert found.low <= value <= found.high
    assert found.low < found.high


def test_places() -> None:
    assert [Scale(low=10.0, high=20.0).place(value) for value in (10.0, 15.0, 20.0, 30.0)] == [0, 0.5, 1, 2]
    assert Scale(low=1.0, high=100.0, log=True).place(10.0) == pytest.approx(0.5)


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("base", [2, 10])
@pytest.mark.parametrize("low", [None, 0.0, 5.0])
@pytest.mark.parametrize("high", [None, 1.0])
def test_any_values_make_an_axis(log: bool, base: int, low: float | None, high: float | None) -> None:
    one = axis(log=log, base=base, low=low, high=high)
    for first in VALUES:
        for second in VALUES:
            for most in (0, 5):
                ends = scale(one, [first, second], most)
                found = [tick.value for tick in ticks(one, ends, most)]
                assert ends.low < ends.high
                assert all(before < after for before, after in pairwise(found))
                assert len(found) <= max(most, 1) + 12
                assert all(math.isfinite(ends.place(value)) for value in found)
