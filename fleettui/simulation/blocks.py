"""Blocks of the cache, compiled."""

from __future__ import annotations

from fleettui.simulation.compiled import compiled


@compiled
def blocks_of(tokens: int) -> int:
    """Return the blocks of 16 tokens that hold `tokens`."""
    return (tokens + 15) >> 4
