"""What a replication shows of a whole fleet: a latency over all its requests, or how many sequences it runs."""

from __future__ import annotations

from fleettui.domain.backtest import Figure
from fleettui.domain.fleet import Fleet
from fleettui.domain.pooled_histogram import mean, percentile, pooled
from fleettui.domain.simulation import Replication


def figure(replication: Replication, fleet: Fleet, wanted: Figure) -> float | None:
    """Return what `wanted` is in a replication of `fleet`, seconds or sequences; None where no request shows it."""
    if wanted.metric == "running":
        return sum(run.batch * pool.lanes for run, pool in zip(replication.pools, fleet.pools, strict=True))
    cells = pooled(replication.pools, wanted.metric)
    if not cells:
        return None
    return mean(cells) if wanted.share is None else percentile(cells, wanted.share)
