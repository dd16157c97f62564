"""How many replicas to hold so that enough of them are up (model.md §5.7).

Kokolis et al. (2024) give failures per node and day; with the mean time to repair they make an availability.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from scipy import special

from fleettui.errors import InputError
from fleettui.queueing.arrays import FloatArray, IntArray

DAY = 86400.0
MOST_HELD = 1_000_000
"""Replicas that no fleet has."""


def availability(failures_per_day: float, mean_time_to_repair: float) -> float:
    """Return the share of time that a thing is up which fails so often a day and is repaired in so many seconds.

    A = 1/(1 + r·MTTR), inference-fleet-sim's Eq. 6.

    >>> round(availability(0.0065, 4 * 3600.0), 4), round(availability(0.0065, 48 * 3600.0), 4)
    (0.9989, 0.9872)
    """
    return 1.0 / (1.0 + failures_per_day * mean_time_to_repair / DAY)


def all_up(needed: int, held: int, availability: float) -> float:
    """Return the probability that at least `needed` of `held` independent replicas are up.

    >>> round(all_up(2, 3, 0.9), 6)
    0.972
    """
    return float(special.bdtrc(needed - 1, held, availability))


def spares(needed: int, availability: float, target: float) -> int:
    """Return the fewest replicas beyond `needed` with which that many are up for a share `target` of the time.

    Raises InputError where that takes more than MOST_HELD replicas.

    >>> spares(20, 0.987, 0.99)
    2
    """
    return Group(replicas=1, up=availability).spares(needed, target)


def mean_count(needed: int, availability: float) -> int:
    """Return ceil(needed/A): as many as are up on average, the papers' rule; up together for far less of the time."""
    return math.ceil(needed / availability - 1e-12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Replicas that go down together, `replicas` of them, and the share of the time that they are `up`.

    `in_rack` such groups go down together, too, with what they share, which is up for a share `rack_up` of the time;
    0 where nothing is shared.
    """

    replicas: int
    up: float
    in_rack: int = 0
    rack_up: float = 1.0

    @classmethod
    def of(cls, up: float, together: int, gpus_per_replica: int) -> Group:
        """Return the replicas that fail together where so many GPUs do, which are `up` for a share of the time.

        A replica on more GPUs than fail together is up while all of them are, and they fail independently.

        >>> Group.of(0.9, 8, 2), Group.of(0.9, 1, 2).up
        (Group(replicas=4, up=0.9, in_rack=0, rack_up=1.0), 0.81)
        """
        if gpus_per_replica <= together:
            return cls(replicas=together // gpus_per_replica, up=up)
        return cls(replicas=1, up=up ** math.ceil(gpus_per_replica / together))

    def in_racks(self, nodes: int, up: float, nodes_per_group: int) -> Group:
        """Return the same in racks of so many nodes, each up for a share of the time; a group takes so many nodes.

        >>> Group(replicas=4, up=0.9).in_racks(4, 0.99, 1).in_rack
        4
        >>> Group(replicas=1, up=0.9).in_racks(4, 0.5, 8)
        Group(replicas=1, up=0.225, in_rack=0, rack_up=1.0)
        """
        if nodes_per_group <= nodes:
            return replace(self, in_rack=nodes // nodes_per_group, rack_up=up)
        return replace(self, up=self.up * up ** math.ceil(nodes_per_group / nodes))

    def all_up(self, needed: int, held: int) -> float:
        """Return the probability that at least `needed` of `held` replicas are up; the last group may be a part of one.

        >>> Group(replicas=4, up=0.9).all_up(5, 8), round(Group(replicas=4, up=0.9).all_up(5, 9), 6)
        (0.81, 0.972)
        >>> round(Group(replicas=1, up=0.9, in_rack=2, rack_up=0.5).all_up(1, 2), 6)  # 0.5 of the time 0.99
        0.495
        """
        whole, rest = divmod(held, self.replicas)
        if not self.in_rack:
            return float(self._up_of(needed, np.array([whole]), rest)[0])
        racks, beside = divmod(whole, self.in_rack)
        up = np.arange(racks + 1)
        groups, share = up * self.in_rack, _binomial(racks, up, self.rack_up)
        without = float(share @ self._up_of(needed, groups, 0))
        if not beside and not rest:
            return without
        return self.rack_up * float(share @ self._up_of(needed, groups + beside, rest)) + (1.0 - self.rack_up) * without

    def spares(self, needed: int, target: float) -> int:
        """Return the fewest whole groups of replicas beyond `needed` that keep so many up, counted in replicas.

        Raises InputError where that takes more than MOST_HELD replicas.

        >>> Group(replicas=4, up=0.987).spares(14, 0.99), Group(replicas=1, up=0.987).spares(7, 0.999)
        (4, 2)
        """
        return _spares(self, needed, target)

    def _up_of(self, needed: int, whole: IntArray, rest: int) -> FloatArray:
        """Return the probability that enough replicas are up of so many whole groups and a part of one.

        Shape (counts,), as `whole`.
        """
        without = self._groups_up(needed, whole)
        return self.up * self._groups_up(needed - rest, whole) + (1.0 - self.up) * without if rest else without

    def _groups_up(self, needed: int, whole: IntArray) -> FloatArray:
        groups = math.ceil(needed / self.replicas)
        if groups <= 0:
            return np.ones(len(whole))
        enough = np.maximum(whole, groups)
        return np.where(whole >= groups, special.bdtrc(groups - 1, enough, self.up), 0.0)


@lru_cache(maxsize=4096)
def _spares(group: Group, needed: int, target: float) -> int:
    def enough(groups: int) -> bool:
        return group.all_up(needed, needed + groups * group.replicas) >= target

    if enough(0):
        return 0
    low, high = 0, 1
    while not enough(high):
        low, high = high, 2 * high
        if needed + low * group.replicas > MOST_HELD:
            raise InputError(
                f"replicas are up too rarely: {MOST_HELD:,} of them do not keep {needed:,} up {target:.2%} of the time",
                where="availability",
                value=f"{group.up:.2g}",
                remedy="a replica of fewer GPUs is up for longer; say of what the availability is: a node or a GPU",
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high * group.replicas


def _binomial(count: int, up: IntArray, share: float) -> FloatArray:
    """Return the probabilities that so many of `count` are up, each for a share of the time between 0 and 1."""
    ways = special.gammaln(count + 1) - special.gammaln(up + 1) - special.gammaln(count - up + 1)
    return np.asarray(np.exp(ways + up * math.log(share) + (count - up) * math.log1p(-share)))
