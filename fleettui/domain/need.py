"""How many GPUs a fleet needs over years of days, by the rates up to which its sizes hold.

Years are of 8,760 hours in twelve equal months.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fleettui.domain.day import Day
from fleettui.domain.fleet import Fleet

HOURS, MONTHS = 8760.0, 12
NEAR = 1e-9
FIFTHS = 0.8, 1.2
"""The factors by which a price, or the load, is moved to see what that changes."""
Spans = tuple[tuple[float, int], ...]
"""(seconds, GPUs) of a stretch of time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """The GPUs by type of the fleet that serves rates up to `up_to` requests/s, spare ones and whole nodes' too."""

    up_to: float
    gpus: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """How many GPUs a `fleet` needs over `years` of days that grow by the share `growth` a month.

    The `levels` are its sizes from the smallest on, the last for the greatest rate; `load` moves all rates.
    """

    fleet: Fleet
    day: Day
    years: int
    growth: float = 0.0
    load: float = 1.0
    levels: tuple[Level, ...] = ()

    def factor(self, month: int) -> float:
        """Return the rate of a month over that of the day."""
        return float(self.load * (1.0 + self.growth) ** month)

    @property
    def rates(self) -> tuple[float, float]:
        """The least and the greatest rate in requests/s that comes, also where the load is a fifth less or more."""
        factors = [replace(self, load=load).factor(month) for load in FIFTHS for month in (0, self.years * MONTHS - 1)]
        rates = [one.rate for one in self.day.windows]
        return min(rates) * min(factors), max(rates) * max(factors)

    def gpus(self, gpu: str, rate: float) -> int:
        """Return the GPUs of a type that a rate needs."""
        return self._counts(gpu, [rate])[0]

    def _counts(self, gpu: str, rates: Sequence[float]) -> list[int]:
        ends, counts = [one.up_to for one in self.levels], [dict(one.gpus)[gpu] for one in self.levels]
        assert max(rates) <= ends[-1], f"the levels reach {ends[-1]:g}/s, and {max(rates):g}/s comes"
        return [counts[bisect_left(ends, rate)] for rate in rates]

    def replica(self, gpu: str) -> int:
        """Return the GPUs of a type that come and go together: those of a replica or node, what several share."""
        counts = (dict(one.gpus)[gpu] for one in self.levels)
        return math.gcd(*(pool.gpus_per_replica for pool in self.fleet.pools if pool.gpu == gpu), *counts)

    def spans(self, gpu: str, start: int, end: int) -> Spans:
        """Return the seconds of each number of GPUs of a type, a day for each month from `start` on."""
        found: dict[int, float] = {}
        windows = [
            (one.rate * self.factor(month), one.seconds) for month in range(start, end) for one in self.day.windows
        ]
        counts = self._counts(gpu, [rate for rate, _ in windows])
        for count, (_, seconds) in zip(counts, windows, strict=True):
            found[count] = found.get(count, 0.0) + seconds
        return tuple((seconds, count) for count, seconds in sorted(found.items()))

    @property
    def requests(self) -> float:
        """The requests of all years."""
        mean = math.fsum(self.factor(month) for month in range(self.years * MONTHS)) / (self.years * MONTHS)
        return self.day.mean * mean * self.years * HOURS * 3600.0
