"""A pool whose requests hold a slot for a time fixed beforehand: the papers' simulation, its slots held properly.

Poisson arrivals, first come, first served, by replicas x slots equal servers (`fixed_service`). The papers' own code
frees a slot n times too early; here it is held for its whole wall-clock time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fleettui.simulation.draws import Floats, stream
from fleettui.simulation.fixed_service import waits


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotPool:
    """Requests of weighted kinds, arrays of one shape (kinds,): seconds in a slot, and seconds from there to the first
    token; `arrival_rate` per second; `servers` slots in all.
    """

    weight: Floats
    service: Floats
    prefill: Floats
    arrival_rate: float
    servers: int

    @property
    def in_service(self) -> float:
        """The requests that are in a slot on average, if there are slots enough."""
        return self.arrival_rate * float(self.weight @ self.service / self.weight.sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotRun:
    """What one run showed: a percentile of wait plus prefill in seconds, and the share of slot time that was busy."""

    ttft: float
    utilization: float


def play_slots(
    pool: SlotPool, *, warm_up: int, measured: int, seed: int, index: int, percentile: float = 0.99
) -> SlotRun:
    """Return what `measured` requests after `warm_up` others see, from empty slots on."""
    requests = warm_up + measured
    ends = np.cumsum(pool.weight)
    drawn = stream(seed, index, 0, "lengths").random(requests) * ends[-1]
    kind = np.minimum(np.searchsorted(ends, drawn, side="right"), len(ends) - 1)
    arrivals = np.cumsum(stream(seed, index, 0, "arrivals").standard_exponential(requests)) / pool.arrival_rate
    service = pool.service[kind]
    waited = waits(arrivals, service, pool.servers)
    begin, end = float(arrivals[warm_up]), float(arrivals[-1])
    started = arrivals + waited
    busy = np.minimum(started + service, end) - np.maximum(started, begin)
    return SlotRun(
        ttft=float(np.quantile((waited + pool.prefill[kind])[warm_up:], percentile, method="inverted_cdf")),
        utilization=float(np.maximum(busy, 0.0).sum() / (pool.servers * (end - begin))),
    )
