"""The formula of each latency metric: its percentile in a pool, whether a limit holds, and who exceeds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fleettui.domain.limit import E2E, METRICS, TPOT, TTFT
from fleettui.queueing import latency, tails
from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.latency import Delay, PoolLoad


class MetricFormula(Protocol):
    """What is asked of a metric's formula; arrays have one value per row of the load."""

    @property
    def cheap(self) -> bool:
        """Whether all rows are evaluated as fast as some; else those that something else rules out are left out."""

    def percentile(self, load: PoolLoad, exceeded: float) -> FloatArray:
        """Return the seconds that a share `exceeded` of requests exceeds, infinite where the pool is overloaded."""

    def within(self, load: PoolLoad, limit: float | FloatArray, exceeded: float) -> np.ndarray:
        """Return whether at most a share `exceeded` of requests takes longer than `limit` seconds, one or a row's."""

    def exceeded(self, load: PoolLoad, limit: float) -> FloatArray:
        """Return the share of requests that takes longer than `limit` seconds."""


@dataclass(frozen=True, slots=True)
class WaitsAndDelay:
    """A metric that is a request's own delay plus its waits, evaluated over the atoms of its pool (model.md §5.2)."""

    delay: Delay
    cheap: bool = False

    def percentile(self, load: PoolLoad, exceeded: float) -> FloatArray:
        """Return the percentile per row."""
        return tails.percentile(load, self.delay, exceeded)

    def within(self, load: PoolLoad, limit: float | FloatArray, exceeded: float) -> np.ndarray:
        """Return whether the limit holds per row."""
        return tails.within(load, self.delay, limit, exceeded)

    def exceeded(self, load: PoolLoad, limit: float) -> FloatArray:
        """Return the share of requests above the limit per row."""
        return np.array([tail(limit) for tail in tails.tails_of(load, self.delay)])


@dataclass(frozen=True, slots=True)
class StepTime:
    """The time per output token, by the spread of a pool's steps (model.md §5.3)."""

    cheap: bool = True

    def percentile(self, load: PoolLoad, exceeded: float) -> FloatArray:
        """Return the percentile per row."""
        return latency.tpot_percentile(load, exceeded)

    def within(self, load: PoolLoad, limit: float | FloatArray, exceeded: float) -> np.ndarray:
        """Return whether the limit holds per row."""
        return np.asarray(self.percentile(load, exceeded) <= limit)

    def exceeded(self, load: PoolLoad, limit: float) -> FloatArray:
        """Return the share of requests above the limit per row."""
        return latency.tpot_exceeded(load, limit)


FORMULAS: Mapping[str, MetricFormula] = {
    TTFT.name: WaitsAndDelay(latency.ttft_delay),
    TPOT.name: StepTime(),
    E2E.name: WaitsAndDelay(latency.e2e_delay),
}
assert FORMULAS.keys() == set(METRICS.names), "every metric has one formula"
