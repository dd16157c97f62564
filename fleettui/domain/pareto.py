"""The trade between cost and latency: the best fleet for each objective, and the fleets that no other beats in both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fleettui.domain.fleet import Fleet, Pool
from fleettui.domain.scenario import Objective


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenFleet:
    """A fleet that was simulated under the question: its verdict for each pool, None where nothing was said of it.

    `ttft` and `tpot` are those of its worst pool in seconds, None where they are not known.
    """

    fleet: Fleet
    passed: tuple[bool | None, ...]
    ttft: float | None = None
    tpot: float | None = None

    @property
    def holds(self) -> bool:
        """Whether every pool passes."""
        return all(self.passed)

    def rules_out(self, other: Fleet, *, meeting: bool) -> bool:
        """Return whether another fleet has a pool that failed here, or a smaller one of that kind.

        Where the pools of a fleet are `meeting`, or its clients wait for it, only the same fleet is known to fail.
        """
        if meeting:
            return not self.holds and None not in self.passed and other == self.fleet
        small = {kind_of(pool, self.fleet): pool.replicas for pool in self._failing()}
        return any(pool.replicas <= small.get(kind_of(pool, other), 0) for pool in other.pools)

    def _failing(self) -> list[Pool]:
        return [pool for pool, passed in zip(self.fleet.pools, self.passed, strict=True) if passed is False]


def settled(seen: Sequence[SeenFleet]) -> tuple[SeenFleet, ...]:
    """Return what was seen of fleets whose pools do not meet, where a pool that is proven to hold holds in each.

    In another fleet's few runs the same pool, or a larger one, may have been left open.
    """
    held: dict[tuple[object, ...], int] = {}
    for one in seen:
        for pool, passed in zip(one.fleet.pools, one.passed, strict=True):
            if passed:
                kind = kind_of(pool, one.fleet)
                held[kind] = min(pool.replicas, held.get(kind, pool.replicas))

    def holds(pool: Pool, fleet: Fleet) -> bool:
        return pool.replicas >= held.get(kind_of(pool, fleet), math.inf)

    return tuple(
        replace(
            one,
            passed=tuple(
                holds(pool, one.fleet) or passed for pool, passed in zip(one.fleet.pools, one.passed, strict=True)
            ),
        )
        for one in seen
    )


def kind_of(pool: Pool, fleet: Fleet) -> tuple[object, ...]:
    """Return what a pool of a fleet is whatever its size: its replicas and the requests that it serves."""
    return pool.replica_key, pool.settings, pool.above, pool.up_to, fleet.gamma


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """A fleet with what it is weighed by: by formula as simulations correct it, latencies of one `simulated` as seen.

    `cost` is in US dollars an hour, `power` in watts, `ttft` and `tpot` in seconds at the SLO's percentile in the worst
    pool; `tokens_per_joule` are output tokens per second over watts.
    """

    fleet: Fleet
    cost: float
    power: float
    ttft: float
    tpot: float
    tokens_per_joule: float
    simulated: bool = False

    @property
    def gpus(self) -> int:
        """GPUs in the fleet."""
        return self.fleet.gpus


@dataclass(frozen=True, slots=True, kw_only=True)
class Tradeoff:
    """The best fleet for each objective that has one, and the front: no fleet is as good as one of it in cost and TTFT.

    The front is sorted by cost; `knee` is the place in it of the fleet that lies farthest below the line between its
    ends on logarithmic axes, None where none does. `weighed` fleets were looked at, of `found` kinds apart from size,
    and `standing` of them are on the front, of which the list may show fewer.
    """

    best: tuple[tuple[Objective, Weighed], ...]
    front: tuple[Weighed, ...]
    knee: int | None
    found: int
    weighed: int
    standing: int
