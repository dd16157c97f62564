"""Rates that are looked at together come to what one after the other does."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from fleettui.optimize import bisection
from fleettui.optimize.bisection import MOST_DOUBLINGS, ends_of
from fleettui.queueing.arrays import FloatArray

LIMITS = np.array([1.0, 1.5, 3.999, 4.0, 126.9, 7e5])


def one_by_one(limits: FloatArray, low: float, close: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends that doubling and halving come to, one rate of each row after the other."""
    found = []
    for limit in limits:
        holds, fails = low, low
        for _ in range(MOST_DOUBLINGS):
            if fails > limit:
                break
            holds, fails = fails, 2.0 * fails
        while fails > holds * (1.0 + close):
            middle = np.sqrt(holds * fails)
            holds, fails = (middle, fails) if middle <= limit else (holds, middle)
        found.append((holds, fails))
    low_ends, high_ends = zip(*found, strict=True)
    return np.array(low_ends), np.array(high_ends)


def together(limits: FloatArray, low: float, close: float) -> tuple[FloatArray, FloatArray, list[int]]:
    """Return the ends that are found, and how many rates were looked at each time."""
    looks = list[int]()

    def hold(rows: NDArray[np.intp], rates: FloatArray) -> NDArray[np.bool_]:
        assert len(rows) == len(rates)
        looks.append(rates.size)
        found: NDArray[np.bool_] = rates <= limits[rows][:, None]
        return found

    return *ends_of(len(limits), low, close, hold), looks


@pytest.mark.parametrize("close", [1e-6, 1e-3, 0.4])
@pytest.mark.parametrize("rows", [1, 2, 3, 4, 6])
def test_the_ends_are_those_of_one_rate_after_the_other(rows: int, close: float) -> None:
    for first in range(len(LIMITS) - rows + 1):
        limits = LIMITS[first : first + rows]
        for low in (1.0, 0.3):
            found = together(limits, low, close)[:2]
            assert all(map(np.array_equal, found, one_by_one(limits, low, close)))


def test_one_row_takes_few_looks() -> None:
    _, _, looks = together(np.array([126.9]), 1.0, 1e-6)
    assert len(looks) == 8, "1 for seven doublings, 7 for twenty turns of halving; one by one it took 28"
    assert max(looks) == bisection.AT_ONCE


def test_many_rows_are_looked_at_once_each() -> None:
    limits = np.linspace(1.0, 900.0, 200)
    _, _, looks = together(limits, 1.0, 1e-3)
    assert max(looks) == 200


def test_what_always_holds_ends_where_it_doubled_to() -> None:
    holds, fails, _ = together(np.array([np.inf, 5.0]), 1.0, 1e9)
    assert (holds[0], fails[0]) == (2.0 ** (MOST_DOUBLINGS - 1), 2.0**MOST_DOUBLINGS)
