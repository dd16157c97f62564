"""What a pool is held to: the latency limits after headroom, their percentiles, and the utilization cap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from fleettui.domain.anchor import NOTHING_SEEN, Anchor
from fleettui.domain.limit import Latency, Limit
from fleettui.domain.scenario import Question
from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.latency import PoolLoad
from fleettui.queueing.metric_formulas import FORMULAS

ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Limits with the wanted headroom taken off; `exceeded` = 1 − the SLO's percentile.

    Latencies are those of the formulas as the `anchor` corrects them, which knows simulations of the pool.
    """

    limits: tuple[Limit, ...]
    exceeded: float
    max_utilization: float
    anchor: Anchor = NOTHING_SEEN

    @classmethod
    def of(cls, question: Question) -> Terms:
        """Return the terms of a question."""
        return cls(
            limits=question.held_limits(),
            exceeded=1.0 - question.slo.percentile,
            max_utilization=question.max_utilization,
        )

    def without(self, limit: Limit) -> Terms:
        """Return the terms without one of their limits."""
        return replace(self, limits=tuple(one for one in self.limits if one != limit))

    def on(self, metric: str) -> Iterator[Limit]:
        """Yield the limits on a metric."""
        return (one for one in self.limits if one.metric == metric)

    def beyond(self, latency: Latency) -> float:
        """Return the share of requests that may exceed a latency."""
        return self.exceeded if latency.percentile is None else 1.0 - latency.percentile

    def percentile(self, load: PoolLoad, latency: Latency) -> FloatArray:
        """Return a latency by its metric's formula, corrected, seconds per row."""
        own = load.of_class(batch=latency.batch)
        return FORMULAS[latency.metric].percentile(own, self.beyond(latency)) * self._ratios(load, latency)

    def within(self, load: PoolLoad, limit: Limit) -> np.ndarray:
        """Return, per row, whether one of the limits holds; one of a class that has no request does."""
        own, seconds = load.of_class(batch=limit.batch), limit.seconds / self._ratios(load, limit)
        holds = FORMULAS[limit.metric].within(own, seconds, self.beyond(limit))
        return np.asarray(holds | ~load.has(batch=limit.batch))

    def _ratios(self, load: PoolLoad, latency: Latency) -> FloatArray | float:
        """Return what the formula of a latency is corrected by, per row where that differs."""
        if not self.anchor.seen:
            return 1.0
        busy = load.occupancy.utilization
        work = busy * load.replicas / load.arrival_rate
        pairs = zip(busy.tolist(), work.tolist(), strict=True)
        return np.array([self.anchor.ratio(latency.name, *pair) for pair in pairs])

    def has_room(self, load: PoolLoad) -> np.ndarray:
        """Return, per row, whether utilization is within its cap."""
        return np.asarray(load.occupancy.utilization <= self.max_utilization * (1.0 + ROUNDING))
