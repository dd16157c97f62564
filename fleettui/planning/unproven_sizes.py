"""Of how many GPUs fewer simulations do not tell whether a fleet holds: its latency is near a limit with them."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Look


def unproven_gpus(fleet: Fleet, looks: Sequence[Look], rate: float) -> tuple[int, ...] | None:
    """Return the GPUs of one replica of each pool that holds a rate, by `looks`, and is left open with one fewer.

    They are 0 for other pools; None where no pool is.
    """
    pairs = enumerate(fleet.pools)
    found = tuple(pool.gpus_per_replica * _is_open(looks, place, pool.replicas - 1, rate) for place, pool in pairs)
    return found if any(found) else None


def _is_open(looks: Sequence[Look], place: int, size: int, rate: float) -> bool:
    """Return whether a pool of this size was simulated at a rate, and no run tells whether it holds it."""
    there = [look.evidence.pools[place] for look in looks if (look.rate, look.sizes[place]) == (rate, size)]
    return {pool.verdict for pool in there} == {"unproven"}
