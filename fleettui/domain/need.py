"""How many GPUs a fleet needs over years of days, by the rates up to which its sizes hold.

Years are of 8,760 hours in twelve equal months.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fleettui.domain.day import Day
from fleettui.domain.fleet import Fleet
from fleettui.domain.whatif import DAYS_PER_MONTH, months_until, rate_after, whole_days

HOURS, MONTHS = 8760.0, 12
NEAR = 1e-9
FIFTHS = 0.8, 1.2
"""The factors by which a price, or the load, is moved to see what that changes."""
Spans = tuple[tuple[float, int], ...]
"""(length, GPUs) of a stretch of time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """The GPUs by type of the fleet that serves rates up to `up_to` requests/s, spare ones and whole nodes' too."""

    up_to: float
    gpus: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """How many GPUs a `fleet` needs over `years` of days that grow by the share `growth` a month.

    More are needed from the days on that `whatif --growth` tells, whole ones from the start. The `levels` are its sizes
    from the smallest on, the last for the greatest rate; `load` moves all rates.
    """

    fleet: Fleet
    day: Day
    years: int
    growth: float = 0.0
    load: float = 1.0
    levels: tuple[Level, ...] = ()

    def factor(self, months: float) -> float:
        """Return the rate after so many months over that of the day."""
        return rate_after(self.load, self.growth, months)

    @property
    def rates(self) -> tuple[float, float]:
        """The least and the greatest rate in requests/s that comes, also where the load is a fifth less or more."""
        factors = [replace(self, load=load).factor(month) for load in FIFTHS for month in (0, self.years * MONTHS)]
        rates = [one.rate for one in self.day.windows]
        return min(rates) * min(factors), max(rates) * max(factors)

    def replica(self, gpu: str) -> int:
        """Return the GPUs of a type that come and go together: those of a replica or node, what several share."""
        counts = (dict(one.gpus)[gpu] for one in self.levels)
        return math.gcd(*(pool.gpus_per_replica for pool in self.fleet.pools if pool.gpu == gpu), *counts)

    def spans(self, gpu: str, start: int, end: int, *, peak: bool = False) -> Spans:
        """Return how long each number of GPUs of a type is needed from the month `start` to `end`, by the rate of then.

        With `peak` the number is that of the greatest rate of the day, all day long.
        """
        found: dict[int, float] = {}
        windows = [(one.rate, one.seconds) for one in self.day.windows]
        for rate, seconds in [(max(windows)[0], 1.0)] if peak else windows:
            for months, count in self._while(gpu, rate, start, end):
                found[count] = found.get(count, 0.0) + months * seconds
        return tuple((length, count) for count, length in sorted(found.items()))

    def _while(self, gpu: str, rate: float, start: int, end: int) -> Iterator[tuple[float, int]]:
        """Yield for how many months a growing rate of the day takes how many GPUs of a type."""
        at, first, last = float(start), rate * self.factor(start), rate * self.factor(end)
        for level in self.levels[bisect_left(self.levels, first, key=lambda one: one.up_to) :]:
            until = float(end)
            if last > level.up_to * (1.0 + NEAR):
                until = whole_days(months_until(rate * self.load, self.growth, level.up_to)) / DAYS_PER_MONTH
            if until > at:
                yield until - at, dict(level.gpus)[gpu]
                at = until
            if at >= end:
                return
        raise AssertionError(f"the levels reach {self.levels[-1].up_to:g}/s, and {last:g}/s comes")

    @property
    def requests(self) -> float:
        """The requests of all years."""
        grown = math.log1p(self.growth) * self.years * MONTHS
        mean = self.load * (math.expm1(grown) / grown if grown else 1.0)
        return self.day.mean * mean * self.years * HOURS * 3600.0
