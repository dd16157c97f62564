"""Traffic over a day, or over any other stretch of time: requests per second in windows that join."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from fleettui.domain import checks
from fleettui.domain.serialization import later
from fleettui.errors import InputError

LONGEST = 31 * 86_400.0
"""Seconds that traffic may last: beyond, a replay would take hours."""
ROUNDING = 1e-9
MOST_RATES = 100_000
"""Moments of the day, evenly spaced, at which rates are taken for a percentile of them."""
JOIN = 1e-6
"""Seconds by which the ends of two windows may differ and still join."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """`rate` requests per second from `start` to `end`, seconds, of the lengths of a `workload`, where one is named."""

    start: float
    end: float
    rate: float
    workload: str = later("")

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return self.end - self.start


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """Windows in order, from 0 on, each beginning where the one before it ends.

    `recorded` is when it begins in the record whose very times are its requests, None where these are drawn.
    Raises InputError for a gap, an overlap, a rate below 0, and traffic without a request.
    """

    name: str
    windows: tuple[Window, ...]
    source: str = ""
    recorded: float | None = None

    def __post_init__(self) -> None:
        if not self.windows:
            raise InputError("there is no traffic in it", where=self.name, accepted="at least one time and rate")
        for place, one in enumerate(self.windows, start=1):
            where = f"{self.name}: row {place}"
            checks.not_negative(f"{where}: the rate", one.rate)
            if not one.seconds > 0.0:
                raise InputError(
                    "it ends before it has begun",
                    where=where,
                    value=f"{one.start:g} s to {one.end:g} s",
                    remedy="let each row end after it starts",
                )
        for place, (before, after) in enumerate(pairwise(self.windows), start=2):
            if abs(after.start - before.end) > JOIN:
                raise _not_joined(f"{self.name}: row {place}", before.end, after.start)
        if abs(self.windows[0].start) > JOIN:
            raise InputError(
                "traffic starts at 0",
                where=f"{self.name}: row 1",
                value=f"{self.windows[0].start:g} s",
                remedy="count the times from the first row on",
            )
        if self.requests <= 0.0:
            raise InputError("no request comes", where=self.name, remedy="give at least one rate above 0")
        if self.end > LONGEST:
            raise InputError(
                "this is too long to replay",
                where=self.name,
                value=f"{self.end / 86_400.0:g} days",
                accepted="up to 31 days",
            )

    @property
    def end(self) -> float:
        """Seconds from the first window's start to the last one's end."""
        return self.windows[-1].end

    @property
    def hours(self) -> float:
        """How long it lasts."""
        return self.end / 3600.0

    @property
    def requests(self) -> float:
        """The requests that come on average."""
        return sum(one.rate * one.seconds for one in self.windows)

    @property
    def peak(self) -> float:
        """The highest rate."""
        return max(one.rate for one in self.windows)

    @property
    def mean(self) -> float:
        """The mean rate over time."""
        return self.requests / self.end

    @property
    def mean_share(self) -> float | None:
        """The mean rate over the highest; None where lengths change, as neither then says how much is asked for."""
        return None if self.workloads else self.mean / self.peak

    def at(self, moment: float) -> float:
        """Return the rate at a moment; after the end that of the last window."""
        place = bisect_right(self.windows, moment, key=lambda one: one.start) - 1
        return self.windows[max(place, 0)].rate

    @property
    def workloads(self) -> tuple[str, ...]:
        """The workloads whose lengths its windows name, in their order."""
        return tuple(dict.fromkeys(one.workload for one in self.windows if one.workload))

    def highest(self, start: float, end: float) -> float:
        """Return the highest rate between two moments, ends included."""
        first = max(bisect_right(self.windows, start, key=lambda one: one.start) - 1, 0)
        last = max(bisect_right(self.windows, end, key=lambda one: one.start), first + 1)
        return max(one.rate for one in self.windows[first:last])

    def expected(self) -> tuple[float, ...]:
        """Return how many requests come on average up to each window's end."""
        return tuple(accumulate(one.rate * one.seconds for one in self.windows))

    def perfect_share(self, every: float, percentile: float = 0.999) -> float:
        """Return what a perfect autoscaler pays of a static fleet for the rate that is not exceeded so often.

        It may change each `every` seconds, and holds what the highest rate until the next change needs: it knows
        all rates beforehand, and its replicas start at once. Between two of the rates the percentile lies on a line.

        >>> rates = [Window(start=at, end=at + 1.0, rate=rate) for at, rate in enumerate([1.0, 3.0, 2.0, 2.0])]
        >>> Day(name="short", windows=tuple(rates)).perfect_share(2.0, 1.0) == (3.0 + 2.0) / 2 / 3.0
        True
        """
        count = math.ceil(self.end / every - ROUNDING)
        edges = [min(place * every, self.end) for place in range(count + 1)]
        paid = sum(self._most(first, last) * (last - first) for first, last in pairwise(edges))
        count = max(min(round(self.end / min(one.seconds for one in self.windows)), MOST_RATES), 1)
        rates = sorted(self.at((place + 0.5) * self.end / count) for place in range(count))
        place = percentile * (count - 1)
        low, high = rates[math.floor(place)], rates[math.ceil(place)]
        return paid / self.end / (low + (high - low) * (place - math.floor(place)) or self.peak)

    def _most(self, start: float, end: float) -> float:
        """Return the highest rate from a moment on and before another."""
        first = max(bisect_right(self.windows, start + JOIN, key=lambda one: one.start) - 1, 0)
        last = max(bisect_left(self.windows, end - JOIN, key=lambda one: one.start), first + 1)
        return max(one.rate for one in self.windows[first:last])

    def scaled(self, peak: float) -> Day:
        """Return the same shape with its highest rate at `peak` requests per second."""
        factor = peak / self.peak
        return replace(self, windows=tuple(replace(one, rate=one.rate * factor) for one in self.windows))

    def part(self, start: float, end: float) -> Day:
        """Return what lies between two moments, counted from the first; raises InputError where no request comes."""
        windows = tuple(
            replace(one, start=max(one.start, start) - start, end=min(one.end, end) - start)
            for one in self.windows
            if one.end > start and one.start < end
        )
        return replace(self, windows=windows, recorded=None if self.recorded is None else self.recorded + start)

    def spiked(self, start: float, seconds: float, factor: float) -> Day:
        """Return the same with `factor` times the rate for so many seconds; raises InputError for a time outside."""
        if self.recorded is not None:
            raise InputError(
                "requests at recorded times cannot be multiplied",
                where=self.name,
                remedy="give --day FILE with the rates, or other events",
            )
        end = start + seconds
        if not 0.0 <= start < end <= self.end + JOIN:
            raise InputError(
                "it is not within the day",
                where=self.name,
                value=f"{start:g} s to {end:g} s",
                accepted=f"0 s to {self.end:g} s",
            )
        edges = sorted({one.start for one in self.windows} | {start, min(end, self.end), self.end})
        windows = tuple(
            Window(start=low, end=high, rate=self.at(low) * (factor if start <= low < end else 1.0))
            for low, high in pairwise(edges)
        )
        return replace(self, windows=windows)


def _not_joined(where: str, end: float, start: float) -> InputError:
    gap = start > end
    return InputError(
        "there is a gap before it" if gap else "it overlaps the one before it",
        where=where,
        value=f"starts at {start:g} s, the one before ends at {end:g} s",
        remedy="add the rows that are missing, with a rate of 0 where nothing came" if gap else "take one of them out",
    )


def steady(rate: float, seconds: float) -> Day:
    """Return traffic that stays as it is.

    >>> steady(2.0, 60.0).requests
    120.0
    """
    return Day(name="steady", windows=(Window(start=0.0, end=seconds, rate=rate),))


def clock(moment: float) -> str:
    """Return seconds from the start as hours and minutes, and seconds where there are any.

    >>> clock(50400.0), clock(90.0), clock(97200.0)
    ('14:00', '00:01:30', '27:00')
    """
    minutes, seconds = divmod(round(moment), 60)
    return f"{minutes // 60:02d}:{minutes % 60:02d}" + (f":{seconds:02d}" if seconds else "")
