"""What the prefix caches of a fleet and the memory beside its GPUs came to, in words."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.plan import PoolEvidence
from fleettui.reports import units


def told(pools: Sequence[PoolEvidence]) -> str:
    """Return what was found and what went over the links; "" where neither is kept."""
    return "; ".join(filter(None, (hits(pools), links(pools))))


def hits(pools: Sequence[PoolEvidence]) -> str:
    """Return the share of prompt tokens that each pool found in its caches; "" where none are kept."""
    shares = [f"{pool.name} {_share(pool.hit)}{_beside(pool)}" for pool in pools if pool.hit is not None]
    return f"prompt tokens found in the prefix cache: {', '.join(shares)}" if shares else ""


def links(pools: Sequence[PoolEvidence]) -> str:
    """Return what went over each GPU's way to the memory beside it and back; "" where there is none."""
    ways = [
        f"{pool.name} {units.bytes_per_second(pool.link.read)} in, {units.bytes_per_second(pool.link.written)} out"
        for pool in pools
        if pool.link is not None
    ]
    return f"over each GPU's link: {', '.join(ways)}" if ways else ""


def _beside(pool: PoolEvidence) -> str:
    """Return what came of it from the memory beside, and what was there besides and computed sooner, in brackets."""
    if pool.link is None:
        return ""
    if pool.link.recomputed:
        return f" ({_share(pool.link.recomputed)} more beside the GPUs, sooner computed)"
    return f" ({_share(pool.link.fetched)} fetched from beside the GPUs)"


def _share(value: float) -> str:
    return f"{100.0 * value:.3g} %"
