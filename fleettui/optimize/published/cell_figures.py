"""A fleet that either method found, and the figure of it that a cell asks for: one reading for both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fleettui.optimize.published.cell_questions import FleetAsked, OfFleet

HOURS_PER_YEAR = 8760.0
PRECISION = 1e-3
"""Relative width to which the last rate of a fleet is found."""
CEILING = 64.0
"""Times the asked rate beyond which a fleet is not followed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolFound:
    """A pool as one method sizes it; `ttft` the P99 that it means, `claimed_ttft` what it says where a paper prints
    a P99 that is a mean; seconds, infinite in a pool that drowns.
    """

    gpus: int
    cost_per_hour: float
    utilization: float
    ttft: float
    claimed_ttft: float
    concurrency: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetFound:
    """The pools in order of length, and the factor of compression that they were sized for."""

    pools: tuple[PoolFound, ...]
    gamma: float = 1.0

    @property
    def gpus(self) -> int:
        """GPUs in all pools."""
        return sum(pool.gpus for pool in self.pools)

    @property
    def cost_per_hour(self) -> float:
        """US dollars per hour."""
        return sum(pool.cost_per_hour for pool in self.pools)


def figure(asked: OfFleet, find: Callable[[FleetAsked], FleetFound]) -> float:
    """Return the figure that `asked` names of the fleet that `find` gives; infinite where a pool drowns."""
    fleet = find(asked.fleet)
    if asked.figure == "saving":
        assert asked.against is not None, "a saving is against another fleet"
        return 1.0 - fleet.cost_per_hour / find(asked.against).cost_per_hour
    pools: Sequence[PoolFound] = fleet.pools if asked.pool is None else [fleet.pools[asked.pool]]
    read: dict[str, Callable[[], float]] = {
        "replicas": lambda: sum(pool.gpus for pool in pools),
        "cost": lambda: sum(pool.cost_per_hour for pool in pools) * HOURS_PER_YEAR,
        "utilization": lambda: max(pool.utilization for pool in pools),
        "gamma": lambda: fleet.gamma,
        "mean prefill": lambda: max(pool.claimed_ttft for pool in pools),
        "ttft": lambda: max(pool.ttft for pool in pools),
    }
    return read[asked.figure]()


def last_rate(gpus: Callable[[float], float], start: float) -> float:
    """Return the largest rate at which no more GPUs are needed than at `start`, within 0.1 %.

    `gpus` gives the GPUs that a rate needs and must not fall.
    """
    held = gpus(start)
    low, high = start, start * 2.0
    while gpus(high) <= held and high < start * CEILING:
        low, high = high, high * 2.0
    while high - low > PRECISION * low:
        middle = (low + high) / 2.0
        low, high = (middle, high) if gpus(middle) <= held else (low, middle)
    return low
