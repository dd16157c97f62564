"""Capacity held to measurements: at how many clients a latency reaches a limit, as measured and as predicted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fleettui.domain.uncertain import WAITS
from fleettui.domain.validation import Comparison

LEAST_POINTS = 3
"""Numbers of clients in a sweep that says anything."""
TPOT_LIMITS = (0.008, 0.012, 0.016, 0.02, 0.025, 0.03, 0.04, 0.05, 0.075)
TTFT_LIMITS = (0.1, 0.2, 0.5, 1.0, 2.0)
"""Limits in seconds at which sweeps are read."""
CLOSE = 1.25
"""Factor within which a capacity counts as found."""
ROUNDING = 1e-9

Row = tuple[int, float, tuple[float, float, float]]
"""Clients, measured seconds, and those predicted of the fastest, the middle and the slowest steps of the band, with the
waits that go with each.
"""
Sweep = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacityCell:
    """The clients at which one server's sweep over clients reaches `limit` seconds of `metric`.

    `predicted` is cut at the ends of the sweep, as are the `least` and the `most` that the band of its steps allows.
    """

    metric: str
    limit: float
    measured: float
    predicted: float
    least: float
    most: float

    @property
    def is_in_range(self) -> bool:
        """Whether the capacity is within what the band allows; rounding in a cut end is forgiven."""
        return self.least * (1.0 - ROUNDING) <= self.measured <= self.most * (1.0 + ROUNDING)

    @property
    def is_close(self) -> bool:
        """Whether the capacity is predicted within a factor of CLOSE."""
        return self.measured / CLOSE <= self.predicted <= self.measured * CLOSE


def capacity_cells(comparisons: Iterable[Comparison]) -> tuple[CapacityCell, ...]:
    """Return a cell for each limit that a measured sweep of unsaturated closed loops crosses."""
    sweeps: dict[tuple[object, ...], list[Comparison]] = {}
    for one in comparisons:
        point = one.point
        if one.state == "unsaturated" and point.protocol != "open":
            sweeps.setdefault(point.sweep, []).append(one)
    found = []
    for sweep in sweeps.values():
        if len({one.point.concurrency for one in sweep}) >= LEAST_POINTS:
            ttft, tpot = zip(*(_rows(one) for one in sweep), strict=True)
            found += [*_cells("TPOT", TPOT_LIMITS, tpot), *_cells("TTFT", TTFT_LIMITS, ttft)]
    return tuple(found)


def _rows(one: Comparison) -> tuple[Row, Row]:
    """Return the rows of a run's TTFT and TPOT."""
    (faster, slower), (shorter, longer) = one.band, WAITS
    ways = (faster, shorter), (1.0, 1.0), (slower, longer)
    ttft, tpot = zip(*(one.predicted_at(*way) for way in ways), strict=True)
    clients = one.point.concurrency
    return (clients, one.point.ttft, ttft), (clients, one.point.tpot, tpot)


def _cells(metric: str, limits: Sequence[float], sweep: Sequence[Row]) -> list[CapacityCell]:
    rows = sorted(sweep)
    measured = [(float(clients), seconds) for clients, seconds, _ in rows]
    ways = [[(float(clients), predicted[way]) for clients, _, predicted in rows] for way in range(3)]
    found = []
    for limit in limits:
        if measured[0][1] < limit <= measured[-1][1]:
            most, middle, least = (_reached(predicted, limit) for predicted in ways)
            cell = CapacityCell(
                metric=metric, limit=limit, measured=_reached(measured, limit), predicted=middle, least=least, most=most
            )
            found.append(cell)
    return found


def _reached(sweep: Sweep, limit: float) -> float:
    """Return the clients at which a sweep first reaches a limit, between two of its points straight in logarithms.

    >>> round(_reached([(1.0, 0.01), (4.0, 0.04)], 0.02), 6)
    2.0
    """
    if sweep[0][1] >= limit:
        return sweep[0][0]
    for (few, low), (many, high) in pairwise(sweep):
        if low < limit <= high:
            share = math.log(limit / low) / math.log(high / low)
            return float(few * (many / few) ** share)
    return sweep[-1][0]
