"""Blocks of the cache, compiled: a power of two of tokens each, so that none is divided by it."""

from __future__ import annotations

from typing import Any

from fleettui.simulation.compiled import compiled


@compiled
def blocks_of(replica: Any, tokens: int) -> int:
    """Return the blocks of a replica that hold `tokens`."""
    return int((tokens + replica.mask) >> replica.bits)
