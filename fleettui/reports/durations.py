"""Durations as they are written: all in one unit where they stand together, or as on a stop watch."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from fleettui.reports import units

LONGEST = 10 * units.MINUTE
"""Seconds from which on a duration is in minutes, whatever stands beside it."""
_UNITS = ((0.1, "s", 1.0), (1e-4, "ms", 1e-3), (-math.inf, "us", 1e-6))
"""From which duration on it is written in which unit, and its seconds."""


def seconds_alike(values: Iterable[float | None]) -> Callable[[float | None], str]:
    """Return how durations that stand together are written: all in the unit of the longest; from 10 minutes as alone.

    >>> write = seconds_alike([0.41, 0.082, 900.0, None])
    >>> write(0.41), write(0.082), write(900.0), write(None), seconds_alike([0.041])(0.0006)
    ('0.41 s', '0.082 s', '15 min', '-', '0.60 ms')
    """
    short = [abs(one) for one in values if one is not None and abs(one) < LONGEST]
    unit, size = next((unit, size) for least, unit, size in _UNITS if max(short, default=1.0) >= least)

    def write(value: float | None) -> str:
        if value is None or not abs(value) < LONGEST:
            return units.seconds(value)
        return f"{units.significant(value / size, 2)} {unit}"

    return write


def clock(seconds: float) -> str:
    """Return a duration as on a stop watch.

    >>> clock(26.2), clock(3725)
    ('0:26', '1:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
