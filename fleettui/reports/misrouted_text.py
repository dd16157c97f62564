"""Requests that outgrew the pool that a guess of their length had sent them to, in words."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.plan import PoolEvidence


def outgrown(pools: Sequence[PoolEvidence]) -> str:
    """Return the share of each pool's requests that it did not hold to their end; "" where no pool had any."""
    told = [f"{pool.name} {100.0 * pool.misrouted:.3g} %" for pool in pools if pool.misrouted]
    return f"guessed too short, and served on where they fit: {', '.join(told)} of a pool's requests" if told else ""
