"""How a proven plan's times to the first token are spread over its requests, as its runs have seen them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from fleettui.domain.limit import TTFT
from fleettui.domain.pooled_histogram import Cells, percentile, pooled
from fleettui.domain.simulation import CELL_RATIO, Replication
from fleettui.reports.chart import Point

ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Spread:
    """How much weight the requests have whose first token comes at the times of each cell, the cells rising."""

    cells: Cells

    @property
    def points(self) -> tuple[Point, ...]:
        """The share of the requests that have their first token within so many seconds: (seconds, share)."""
        whole = sum(weight for _, weight in self.cells)
        reached = accumulate(weight for _, weight in self.cells)
        return tuple(
            (CELL_RATIO ** (cell + 1), min(one / whole, 1.0))
            for (cell, _), one in zip(self.cells, reached, strict=True)
        )

    def quantile(self, share: float) -> float:
        """Return the seconds within which a share of the requests has its first token."""
        return percentile(self.cells, share)

    def place(self, share: float) -> int:
        """Return which point is the first to reach a share."""
        points = self.points
        return next((n for n, (_, reached) in enumerate(points) if reached >= share), len(points) - 1)

    def within(self, seconds: float) -> float:
        """Return the share of the requests that are as fast as that."""
        return max((share for at, share in self.points if at <= seconds * (1 + ROUNDING)), default=0.0)


def spread(runs: Sequence[Replication]) -> Spread | None:
    """Return how the requests of a fleet's runs, read with their histograms, are spread; None where there are none."""
    cells = pooled((pool for run in runs for pool in run.pools), TTFT.name)
    return Spread(cells) if cells else None
