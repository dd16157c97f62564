"""The histograms of pools put together: (cell, weight) with the cells rising, its percentiles and its mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from fleettui.domain.simulation import CELL_RATIO, PoolRun

Cells = Sequence[tuple[int, float]]


def pooled(runs: Iterable[PoolRun], metric: str) -> Cells:
    """Return what the runs of pools, as many of each, show of a metric together; nothing where no request has it.

    Every pool counts by the requests that it is sent in a second, however long it was simulated.
    """
    cells: Counter[int] = Counter()
    for run in runs:
        for histogram in run.histograms:
            if histogram.metric == metric:
                cells.update({cell: count / run.duration for cell, count in histogram.cells})
    return tuple(sorted(cells.items()))


def percentile(cells: Cells, share: float) -> float:
    """Return the seconds that a `share` of the weight in `cells`, of which there are some, does not exceed.

    Within a cell the logarithms of the values are taken to lie evenly, so that the value moves smoothly.

    >>> round(percentile([(0, 1.0), (100, 1.0)], 0.5), 4), round(percentile([(0, 2.0)], 0.5), 6)
    (1.01, 1.004988)
    """
    left = share * sum(weight for _, weight in cells)
    for cell, weight in cells:
        if weight >= left:
            return float(CELL_RATIO ** (cell + left / weight))
        left -= weight
    return float(CELL_RATIO ** (cells[-1][0] + 1))


def mean(cells: Cells) -> float:
    """Return the mean of the values in `cells`, of which there are some, each taken to be the middle of its cell.

    >>> round(mean([(0, 3.0), (100, 1.0)]), 3)
    1.433
    """
    total = sum(weight * CELL_RATIO ** (cell + 0.5) for cell, weight in cells)
    return float(total / sum(weight for _, weight in cells))
