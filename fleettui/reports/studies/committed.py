"""How many GPUs are worth committing to, where committed ones cost less and are paid for all day."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fleettui.domain.autoscale import PolicyFigures, PoolSite


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """What a policy comes to with the best commitment: GPUs, US dollars an hour with it, and without any."""

    policy: str
    gpus: int
    cost: float
    on_demand: float

    @property
    def saved(self) -> float:
        """The share of the cost that it saves."""
        return 1.0 - self.cost / self.on_demand


def committed(one: PolicyFigures, pools: Sequence[PoolSite], share: float) -> Committed:
    """Return the best commitment under a policy, in whole replicas of each pool, by its first run.

    A committed GPU costs `share` of the price on demand, all day; what is needed beyond it is paid on demand: the first
    run's, as much more or less as the policy costs on average over all runs.
    """
    best = [
        best_replicas([gpus / pool.gpus for gpus in own], share) for pool, own in zip(pools, one.by_pool, strict=True)
    ]
    prices = [pool.gpus * pool.price for pool in pools]
    first = math.fsum(math.fsum(own) / len(own) * pool.price for pool, own in zip(pools, one.by_pool, strict=True))
    fixed = math.fsum(replicas * share * price for (replicas, _), price in zip(best, prices, strict=True))
    beyond = math.fsum(cost * price for (_, cost), price in zip(best, prices, strict=True)) - fixed
    on_demand = first if one.cost_per_hour.value is None else one.cost_per_hour.value
    return Committed(
        policy=one.policy,
        gpus=sum(replicas * pool.gpus for (replicas, _), pool in zip(best, pools, strict=True)),
        cost=fixed + (beyond * on_demand / first if first else 0.0),
        on_demand=on_demand,
    )


def best_replicas(needed: Sequence[float], share: float) -> tuple[int, float]:
    """Return the replicas to commit to of those `needed` over time, and the mean cost in replicas on demand.

    >>> best_replicas([1.0, 1.0, 3.0, 3.0], 0.6), best_replicas([1.0, 1.0, 3.0, 3.0], 0.4)
    ((1, 1.6), (3, 1.2))
    """

    def cost(replicas: int) -> float:
        return replicas * share + math.fsum(max(0.0, one - replicas) for one in needed) / len(needed)

    best = min(range(math.ceil(max(needed)) + 1), key=cost)
    return best, round(cost(best), 12)
