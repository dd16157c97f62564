"""The formula of each latency metric: its percentile in a pool, whether a limit holds, and who exceeds it.

A new one is a line of FORMULAS, whose `delay` is made of those of `latency`: `WaitsAndDelay`, without `place` or
`prefill` where it has no such wait, or the same `PerToken`. On a way through two pools it is a tail made of the way's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from fleettui.domain.limit import E2E, METRICS, NORMALIZED, TPOT, TTFT
from fleettui.queueing import latency, tails, token_times
from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.latency import Delay, PoolLoad
from fleettui.queueing.ranges import output_tokens
from fleettui.queueing.tails import Tail

TOLERANCE = 1e-9
FEW_ROWS, FEW_ROWS_BY_ATOM = 256, 32
"""Rows that take hardly longer than one, and those of a metric that looks at each of a row's atoms."""


class Way(Protocol):
    """A request's way through a pool that prefills and one that decodes, or the latter alone."""

    @property
    def decode(self) -> PoolLoad:
        """The load of the pool that decodes, of one row."""

    @property
    def output(self) -> FloatArray:
        """The output tokens of each atom."""

    def ttft(self) -> Tail:
        """Return the tail of the time to the first token."""

    def e2e(self) -> Tail:
        """Return the tail of the time to the last token."""


Ways = Sequence[tuple[Way, float]]
"""The ways that requests go, with the share of them on each."""


class MetricFormula(Protocol):
    """What is asked of a metric's formula; arrays have one value per row of the load."""

    @property
    def cheap(self) -> bool:
        """Whether all rows are evaluated as fast as some; else those that something else rules out are left out."""

    @property
    def rows_at_once(self) -> int:
        """About how many rows take hardly longer than one."""

    def percentile(self, load: PoolLoad, exceeded: float) -> FloatArray:
        """Return the seconds that a share `exceeded` of requests exceeds, infinite where the pool is overloaded."""

    def within(self, load: PoolLoad, limit: float | FloatArray, exceeded: float) -> np.ndarray:
        """Return whether at most a share `exceeded` of requests takes longer than `limit` seconds, one or a row's."""

    def exceeded(self, load: PoolLoad, limit: float) -> FloatArray:
        """Return the share of requests that takes longer than `limit` seconds."""

    def holds_on(self, ways: Ways, limit: float, exceeded: float) -> bool:
        """Return whether at most a share `exceeded` of requests takes longer on its way than `limit` seconds."""


@dataclass(frozen=True, slots=True)
class WaitsAndDelay:
    """A metric that is a request's own delay plus its waits, evaluated over the atoms of its pool (model.md §5.2).

    `on_way` is the tail of the same through two pools. Its waits are those for a `place` and for `prefill`, unless one
    of them, or both, are no part of it.
    """

    delay: Delay
    on_way: Callable[[Way], Tail]
    rows_at_once: int
    cheap: bool = False
    place: bool = True
    prefill: bool = True

    def percentile(self, load: PoolLoad, exceeded: float) -> FloatArray:
        """Return the percentile per row."""
        return tails.percentile(load, self.delay, exceeded, place=self.place, prefill=self.prefill)

    def within(self, load: PoolLoad, limit: float | FloatArray, exceeded: float) -> np.ndarray:
        """Return whether the limit holds per row."""
        delay, most = self.late(limit)
        return tails.within(load, delay, most, exceeded, place=self.place, prefill=self.prefill)

    def exceeded(self, load: PoolLoad, limit: float) -> FloatArray:
        """Return the share of requests above the limit per row."""
        delay, most = self.late(limit)
        found = tails.tails_of(load, delay, place=self.place, prefill=self.prefill)
        return np.array([tail(float(most)) for tail in found])

    def holds_on(self, ways: Ways, limit: float, exceeded: float) -> bool:
        """Return whether the limit holds."""
        return sum(share * self.late_on_way(way, limit) for way, share in ways) <= exceeded

    def late(self, limit: float | FloatArray) -> tuple[Delay, float | FloatArray]:
        """Return the delay and the seconds above which it and the waits are above the limit."""
        return self.delay, limit

    def late_on_way(self, way: Way, limit: float) -> float:
        """Return the share of requests above the limit on a way."""
        return self.on_way(way)(limit)


@dataclass(frozen=True, slots=True)
class PerToken(WaitsAndDelay):
    """A metric that is a request's own delay plus its waits, over its output tokens.

    It is above a limit where delay and waits are above that many seconds for each token, which are taken off the delay:
    both are linear in a request's features.
    """

    def percentile(self, load: PoolLoad, exceeded: float) -> FloatArray:
        """Return the percentile per row, by bisection from that of the whole time down, as there is one token or more.

        Solved to a relative 1e-9.
        """
        high = WaitsAndDelay.percentile(self, load, exceeded)
        low = np.where(np.isfinite(high), 0.0, high)
        while (low < high * (1.0 - TOLERANCE)).any():
            middle = (low + high) / 2.0
            holds = self.within(load, middle, exceeded)
            low, high = np.where(holds, low, middle), np.where(holds, middle, high)
        return high

    def late(self, limit: float | FloatArray) -> tuple[Delay, float | FloatArray]:
        """Return the delay beyond what the limit, one or a row's, leaves each request for its tokens, and none."""

        def beyond(load: PoolLoad) -> FloatArray:
            each, most = output_tokens(load.service.drafting), np.broadcast_to(limit, len(load.rows))
            return np.asarray(self.delay(load) - np.multiply.outer(most, each))

        return beyond, 0.0

    def late_on_way(self, way: Way, limit: float) -> float:
        """Return the share of requests above the limit on a way."""
        tail = self.on_way(way)
        return replace(tail, delays=tail.delays - limit * way.output)(0.0)


@dataclass(frozen=True, slots=True)
class StepTime:
    """The time per output token, over the later steps that requests have."""

    rows_at_once: int = FEW_ROWS
    cheap: bool = True

    def percentile(self, load: PoolLoad, exceeded: float) -> FloatArray:
        """Return the percentile per row."""
        return token_times.tpot_percentile(load, exceeded)

    def within(self, load: PoolLoad, limit: float | FloatArray, exceeded: float) -> np.ndarray:
        """Return whether the limit holds per row."""
        return np.asarray(self.percentile(load, exceeded) <= limit)

    def exceeded(self, load: PoolLoad, limit: float) -> FloatArray:
        """Return the share of requests above the limit per row."""
        return token_times.tpot_exceeded(load, limit)

    def holds_on(self, ways: Ways, limit: float, exceeded: float) -> bool:
        """Return whether the limit holds where requests are decoded, which is one pool for all of them."""
        return bool(self.within(ways[0][0].decode, limit, exceeded)[0])


FORMULAS: Mapping[str, MetricFormula] = {
    TTFT.name: WaitsAndDelay(latency.ttft_delay, lambda way: way.ttft(), FEW_ROWS),
    TPOT.name: StepTime(),
    E2E.name: WaitsAndDelay(latency.e2e_delay, lambda way: way.e2e(), FEW_ROWS_BY_ATOM),
    NORMALIZED.name: PerToken(latency.e2e_delay, lambda way: way.e2e(), FEW_ROWS_BY_ATOM),
}
assert FORMULAS.keys() == set(METRICS.names), "every metric has one formula"
