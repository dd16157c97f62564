"""A pool whose requests hold a slot for a time fixed beforehand: the papers' simulation, its slots held properly.

Poisson arrivals, first come, first served, by replicas x slots equal servers (`fixed_service`). The papers' own code
frees a slot n times too early; here it is held for its whole wall-clock time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fleettui.simulation.draws import Floats, stream
from fleettui.simulation.fixed_service import waits

TINY = 1e-12


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
    found = _play(pool, warm_up=warm_up, measured=measured, seed=seed, index=index, place=0)
    return SlotRun(
        ttft=float(np.quantile(found.waited + found.prefill, percentile, method="inverted_cdf")),
        utilization=found.busy / (pool.servers * found.seconds),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotFleetRun:
    """What one run of a fleet showed: a percentile of TTFT over all requests, and what made the later ones late.

    `within` is the share of requests whose TTFT kept the limit, `utilization` that of slot time that was busy;
    `tail_wait` the share of the wait in the TTFT of requests beyond the percentile, `blocked` that of all requests that
    found every slot taken, and `longest_tenth` that of slot time which the longest tenth of the requests held.
    """

    ttft: float
    within: float
    utilization: float
    tail_wait: float
    blocked: float
    longest_tenth: float


def play_fleet(
    pools: Sequence[SlotPool],
    *,
    warm_up: int,
    measured: int,
    limit: float,
    seed: int,
    index: int,
    percentile: float = 0.99,
) -> SlotFleetRun:
    """Return what requests of several pools that do not meet see, each measured for its share of `measured`."""
    rate = sum(pool.arrival_rate for pool in pools)
    shares = [pool.arrival_rate / rate for pool in pools]
    played = [
        _play(
            pool,
            warm_up=math.ceil(warm_up * share),
            measured=math.ceil(measured * share),
            seed=seed,
            index=index,
            place=place,
        )
        for place, (pool, share) in enumerate(zip(pools, shares, strict=True))
    ]
    waited, prefill, service = (
        np.concatenate([getattr(one, name) for one in played]) for name in ("waited", "prefill", "service")
    )
    ttft = waited + prefill
    edge = float(np.quantile(ttft, percentile, method="inverted_cdf"))
    late, longest = ttft >= edge, np.sort(service)[-max(len(service) // 10, 1) :]
    held = sum(pool.servers * one.seconds for pool, one in zip(pools, played, strict=True))
    return SlotFleetRun(
        ttft=edge,
        within=float(np.mean(ttft <= limit)),
        utilization=sum(one.busy for one in played) / held,
        tail_wait=float(waited[late].sum() / max(ttft[late].sum(), TINY)),
        blocked=float(np.mean(waited > 0.0)),
        longest_tenth=float(longest.sum() / service.sum()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Played:
    """Of the measured requests the seconds that each waited, of its prefill and in its slot; arrays of one shape.

    Slots were `busy` for so many seconds in all, of `seconds` that were measured.
    """

    waited: Floats
    prefill: Floats
    service: Floats
    busy: float
    seconds: float


def _play(pool: SlotPool, *, warm_up: int, measured: int, seed: int, index: int, place: int) -> _Played:
    requests = warm_up + measured
    ends = np.cumsum(pool.weight)
    drawn = stream(seed, index, place, "lengths").random(requests) * ends[-1]
    kind = np.minimum(np.searchsorted(ends, drawn, side="right"), len(ends) - 1)
    arrivals = np.cumsum(stream(seed, index, place, "arrivals").standard_exponential(requests)) / pool.arrival_rate
    service = pool.service[kind]
    waited = waits(arrivals, service, pool.servers)
    begin, end = float(arrivals[warm_up]), float(arrivals[-1])
    started = arrivals + waited
    busy = np.minimum(started + service, end) - np.maximum(started, begin)
    return _Played(
        waited=waited[warm_up:],
        prefill=pool.prefill[kind][warm_up:],
        service=service[warm_up:],
        busy=float(np.maximum(busy, 0.0).sum()),
        seconds=end - begin,
    )
