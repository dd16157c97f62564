"""What the prefix caches of a fleet came to, in words."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.plan import PoolEvidence


def hits(pools: Sequence[PoolEvidence]) -> str:
    """Return the share of prompt tokens that each pool found in its caches; "" where none are kept."""
    told = [f"{pool.name} {100.0 * pool.hit:.3g} %" for pool in pools if pool.hit is not None]
    return f"prompt tokens found in the prefix cache: {', '.join(told)}" if told else ""
