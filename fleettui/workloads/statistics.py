"""What is said of lengths and arrivals over every original request, before anything is compressed."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from fleettui.domain.workload import MANY_MINUTES, ArrivalStatistics, BusyMinute, LengthStatistics, Timing
from fleettui.workloads.formats.base import Floats

WINDOWS = (1.0, 10.0, 60.0)
"""Seconds over which counts of arrivals are compared with a Poisson stream's."""

Whole = npt.NDArray[np.int64]


def length_statistics(values: Whole, counts: Whole) -> LengthStatistics:
    """Return the summary of `counts[i]` requests of `values[i]` tokens each; sums are exact.

    Percentiles lie evenly between the two requests around rank 1 + p·(n − 1); scv is variance / mean².
    """
    order = np.argsort(values, kind="stable")
    values, counts = values[order], counts[order]
    below = np.cumsum(counts)
    total = int(below[-1])
    first, second = int(values @ counts), _sum_of_squares(values, counts)

    def percentile(percent: int) -> float:
        rank, hundredths = divmod(percent * (total - 1), 100)
        around = (rank, min(rank + 1, total - 1))
        lower, upper = (int(values[np.searchsorted(below, at, side="right")]) for at in around)
        return (100 * lower + (upper - lower) * hundredths) / 100

    return LengthStatistics(
        mean=first / total,
        p50=percentile(50),
        p90=percentile(90),
        p95=percentile(95),
        p99=percentile(99),
        maximum=float(values[-1]),
        scv=float(Fraction(total * second - first * first, first * first)),
    )


def _sum_of_squares(values: Whole, counts: Whole) -> int:
    """Return Σ counts·values² exactly, in halves of 16 bits so that no product leaves 64 bits."""
    high, low = values >> 16, values & 0xFFFF
    parts = (int((counts * high) @ high), int((counts * high) @ low), int((counts * low) @ low))
    return (parts[0] << 32) + (parts[1] << 17) + parts[2]


class ArrivalTally:
    """Arrival times added in order, chunk by chunk, kept as sums only; memory does not grow with the trace."""

    def __init__(self) -> None:
        self.count = 0
        self.first: float | None = None
        self.last: float | None = None
        self._squared_gaps = 0.0
        self._windows = [_WindowTally(window) for window in WINDOWS]

    def add(self, arrivals: Floats) -> None:
        """Add times in seconds, none of them before the last that was added."""
        if self.first is None:
            self.first = self.last = float(arrivals[0])
        assert self.last is not None
        gaps = np.diff(arrivals, prepend=self.last)
        self._squared_gaps += float(gaps @ gaps)
        self.count += len(arrivals)
        self.last = float(arrivals[-1])
        for window in self._windows:
            window.add(arrivals - self.first)

    @property
    def duration(self) -> float:
        """Seconds from the first arrival to the last."""
        return 0.0 if self.first is None or self.last is None else self.last - self.first

    def statistics(self, timing: Timing, tick: float | None = None) -> ArrivalStatistics:
        """Return the figures to six digits. Times known to a `tick` give no interarrival CV and no window below it.

        The index of dispersion is the variance (n − 1) over the mean of the counts in all whole windows since the
        first arrival; the CV of interarrival times is their standard deviation over their mean.
        """
        duration = self.duration
        if self.count < 2 or duration <= 0:
            return ArrivalStatistics(timing=timing)
        gaps = self.count - 1
        squared_cv = self._squared_gaps * gaps / duration**2 - 1
        return ArrivalStatistics(
            timing=timing,
            mean_rate=six_digits(self.count / duration),
            duration=six_digits(duration),
            interarrival_cv=None if tick else six_digits(math.sqrt(max(squared_cv, 0.0))),
            dispersion=tuple(
                (one.window, None if tick and one.window < tick else one.dispersion(duration)) for one in self._windows
            ),
            busy=None if tick and self._windows[-1].window < tick else self._windows[-1].busiest(duration),
        )


class _WindowTally:
    """Sums over the counts of successive windows, and how many had which; the window still open is held back."""

    def __init__(self, window: float) -> None:
        self.window = window
        self._open, self._open_count = 0, 0
        self._sum, self._squares = 0, 0
        self._counts = Counter[int]()

    def add(self, since_first: Floats) -> None:
        bins, counts = np.unique(np.floor(since_first / self.window).astype(np.int64), return_counts=True)
        if bins[0] == self._open:
            counts[0] += self._open_count
        else:
            self._close(self._open_count)
        for count in counts[:-1].tolist():
            self._close(count)
        self._open, self._open_count = int(bins[-1]), int(counts[-1])

    def _close(self, count: int) -> None:
        self._sum += count
        self._squares += count * count
        self._counts[count] += 1

    def busiest(self, duration: float) -> BusyMinute | None:
        """Return the count of the busiest whole window over their mean, None where fewer than two are whole.

        Of MANY_MINUTES it is the count that 99 of 100 do not exceed.
        """
        whole = int(duration // self.window)
        if whole < 2 or not self._sum:
            return None
        left_out = whole // MANY_MINUTES
        for count in sorted(self._counts, reverse=True):
            left_out -= self._counts[count]
            if left_out < 0:
                return BusyMinute(minutes=whole, times=six_digits(count * whole / self._sum))
        return None

    def dispersion(self, duration: float) -> float | None:
        whole = int(duration // self.window)
        if whole < 2 or not self._sum:
            return None
        mean = Fraction(self._sum, whole)
        variance = (self._squares - whole * mean * mean) / (whole - 1)
        return six_digits(float(variance / mean))


def six_digits(value: float) -> float:
    """Return `value` to six significant digits, so that a last bit of arithmetic never shows in a file.

    >>> six_digits(5.530421987)
    5.53042
    """
    return float(f"{value:.6g}")
