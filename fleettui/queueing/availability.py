"""How many replicas to hold so that enough of them are up (model.md §5.7).

Kokolis et al. (2024) give failures per node and day; with the mean time to repair they make an availability.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy import special

from fleettui.errors import InputError

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
    if all_up(needed, needed, availability) >= target:
        return 0
    short, enough = 0, 1
    while all_up(needed, needed + enough, availability) < target:
        short, enough = enough, 2 * enough
        if needed + short > MOST_HELD:
            raise InputError(
                f"replicas are up too rarely: {MOST_HELD:,} of them do not keep {needed:,} up {target:.2%} of the time",
                where="availability",
                value=f"{availability:.2g}",
                remedy="a replica of fewer GPUs is up for longer; say of what the availability is: a node or a GPU",
            )
    while enough - short > 1:
        middle = (short + enough) // 2
        if all_up(needed, needed + middle, availability) < target:
            short = middle
        else:
            enough = middle
    return enough


def mean_count(needed: int, availability: float) -> int:
    """Return ceil(needed/A): as many as are up on average, the papers' rule; up together for far less of the time."""
    return math.ceil(needed / availability - 1e-12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Replicas that go down together, `replicas` of them, and the share of the time that they are `up`."""

    replicas: int
    up: float

    @classmethod
    def of(cls, up: float, together: int, gpus_per_replica: int) -> Group:
        """Return the replicas that fail together where so many GPUs do, which are `up` for a share of the time.

        A replica on more GPUs than fail together is up while all of them are, and they fail independently.

        >>> Group.of(0.9, 8, 2), Group.of(0.9, 8, 16), Group.of(0.9, 1, 2)
        (Group(replicas=4, up=0.9), Group(replicas=1, up=0.81), Group(replicas=1, up=0.81))
        """
        if gpus_per_replica <= together:
            return cls(replicas=together // gpus_per_replica, up=up)
        return cls(replicas=1, up=up ** math.ceil(gpus_per_replica / together))

    def all_up(self, needed: int, held: int) -> float:
        """Return the probability that at least `needed` of `held` replicas are up; the last group may be a part of one.

        >>> Group(replicas=4, up=0.9).all_up(5, 8), round(Group(replicas=4, up=0.9).all_up(5, 9), 6)
        (0.81, 0.891)
        """
        whole, rest = divmod(held, self.replicas)
        without = self._groups_up(needed, whole)
        return self.up * self._groups_up(needed - rest, whole) + (1.0 - self.up) * without if rest else without

    def spares(self, needed: int, target: float) -> int:
        """Return the fewest whole groups of replicas beyond `needed` that keep so many up, counted in replicas.

        Raises InputError where that takes more than MOST_HELD groups.

        >>> Group(replicas=4, up=0.987).spares(14, 0.99), Group(replicas=1, up=0.987).spares(7, 0.999)
        (4, 2)
        """
        return spares(math.ceil(needed / self.replicas), self.up, target) * self.replicas

    def _groups_up(self, needed: int, whole: int) -> float:
        """Return the probability that enough of so many whole groups are up for `needed` replicas."""
        groups = math.ceil(needed / self.replicas)
        if groups <= 0:
            return 1.0
        return all_up(groups, whole, self.up) if groups <= whole else 0.0
