"""How a proven plan's times to the first token are spread over its requests, as its runs have seen them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from fleettui.domain.plan import Candidate
from fleettui.domain.simulation import CELL_RATIO, Replication
from fleettui.reports.chart import Point

METRIC = "ttft"
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Spread:
    """The share of the requests that have their first token within so many seconds: points (seconds, share)."""

    points: tuple[Point, ...]

    def quantile(self, share: float) -> float:
        """Return the seconds within which a share of the requests has its first token, known to 1 %."""
        return self.points[self.place(share - ROUNDING)][0]

    def place(self, share: float) -> int:
        """Return which point is the first to reach a share."""
        return next((n for n, (_, reached) in enumerate(self.points) if reached >= share), len(self.points) - 1)

    def within(self, seconds: float) -> float:
        """Return the share of the requests that are as fast as that."""
        return max((share for at, share in self.points if at <= seconds * (1 + ROUNDING)), default=0.0)


def spread(fleet: Candidate, runs: Sequence[Replication]) -> Spread | None:
    """Return how the requests of a fleet's runs, read with their histograms, are spread; None where there are none.

    The runs of a pool add up; of the fleet each pool has the weight of its arrivals, as in the verdict's own mixture.
    """
    rates = {pool.name: pool.arrival_rate for pool in fleet.pools}
    counts: dict[str, Counter[int]] = {name: Counter() for name in rates}
    for pool in (pool for run in runs for pool in run.pools if pool.name in counts):
        for histogram in pool.histograms:
            if histogram.metric == METRIC:
                counts[pool.name].update(dict(histogram.cells))
    seen = {name: own for name, own in counts.items() if own}
    whole = sum(rates[name] for name in seen)
    if not whole:
        return None
    shares: defaultdict[int, float] = defaultdict(float)
    for name, own in seen.items():
        for cell, count in own.items():
            shares[cell] += rates[name] / whole * count / own.total()
    reached, points = 0.0, []
    for cell in sorted(shares):
        reached += shares[cell]
        points.append((CELL_RATIO ** (cell + 1), min(reached, 1.0)))
    return Spread(tuple(points))
