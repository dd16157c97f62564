"""How many replicas to hold so that enough of them are up (model.md §5.7).

Kokolis et al. (2024) give failures per node and day; with the mean time to repair they make an availability.
"""

from __future__ import annotations

import math

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


def replica_availability(gpu_availability: float, gpus: int) -> float:
    """Return the share of time that a replica is up: all its GPUs must be, and they fail independently."""
    return gpu_availability**gpus


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
                remedy="the availability is that of one GPU; a replica of fewer GPUs is up for longer",
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
