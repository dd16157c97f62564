"""What a replication shows of a whole fleet: a latency over all its requests, or how many sequences it runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from fleettui.domain.backtest import Figure
from fleettui.domain.fleet import Fleet
from fleettui.domain.simulation import Replication
from fleettui.simulation.histogram import WIDTH


def figure(replication: Replication, fleet: Fleet, wanted: Figure) -> float | None:
    """Return what `wanted` is in a replication of `fleet`, seconds or sequences; None where no request shows it.

    Every pool counts by the requests that it is sent in a second, however long each was simulated.
    """
    if wanted.metric == "running":
        return sum(run.batch * pool.replicas for run, pool in zip(replication.pools, fleet.pools, strict=True))
    cells: Counter[int] = Counter()
    for run in replication.pools:
        for histogram in run.histograms:
            if histogram.metric == wanted.metric:
                cells.update({cell: count / run.duration for cell, count in histogram.cells})
    if not cells:
        return None
    return _mean(cells) if wanted.share is None else percentile(sorted(cells.items()), wanted.share)


def percentile(cells: Sequence[tuple[int, float]], share: float) -> float:
    """Return the value that a `share` of the weight in `cells`, rising, does not exceed.

    Within a cell of a histogram the logarithms of the values are taken to lie evenly, so that the value moves smoothly.

    >>> round(percentile([(0, 1.0), (100, 1.0)], 0.5), 4), round(percentile([(0, 2.0)], 0.5), 6)
    (1.01, 1.004988)
    """
    left = share * sum(weight for _, weight in cells)
    for cell, weight in cells:
        if weight >= left:
            return float(WIDTH ** (cell + left / weight))
        left -= weight
    return float(WIDTH ** (cells[-1][0] + 1))


def _mean(cells: Mapping[int, float]) -> float:
    total = sum(weight * WIDTH ** (cell + 0.5) for cell, weight in cells.items())
    return float(total / sum(cells.values()))
