"""A stream of requests laid over a day: steady times become those at which the day's rate has brought as many."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.day import Day

Floats = NDArray[np.float64]
DEVIATIONS = 8.0
"""How many standard deviations more requests than expected are drawn, so that the day is full."""


def enough(day: Day, excess: float = 0.0) -> int:
    """Return how many requests of a stream fill `day` almost surely; `excess` is its variance over mean less 1."""
    expected = day.requests
    return math.ceil(expected + DEVIATIONS * math.sqrt(expected * (1.0 + excess)) + 16.0)


def rates(day: Day, moments: Floats) -> Floats:
    """Return the rate at each of the moments, after the end that of the last window."""
    place = np.searchsorted(np.array([one.start for one in day.windows]), moments, side="right") - 1
    found: Floats = np.array([one.rate for one in day.windows])[np.maximum(place, 0)]
    return found


def warped(times: Floats, rate: float, day: Day) -> Floats:
    """Return the times, seconds, rising, of a stream of `rate` per second as they come on `day`; later ones are cut.

    In a window with twice the rate the stream runs twice as fast: a Poisson stream becomes one with the day's rate. At
    a constant `rate` nothing changes. Raises AssertionError where the stream ends before the day does.
    """
    ends = np.array([0.0, *(one.end for one in day.windows)])
    steady = np.array([0.0, *day.expected()]) / rate
    assert times[-1] >= steady[-1], f"{len(times)} requests do not fill the day"
    keep = times[times < steady[-1]]
    rising = np.append(True, np.diff(steady) > 0.0)
    if rising.all():
        found: Floats = np.interp(keep, steady, ends)
        return found
    place = np.searchsorted(steady, keep, side="right") - 1
    pace = (ends[place + 1] - ends[place]) / (steady[place + 1] - steady[place])
    later: Floats = ends[place] + (keep - steady[place]) * pace
    return later
