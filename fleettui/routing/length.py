"""Pools by length; inside a pool the replica with the fewest requests, ties at random, in constant time."""

from __future__ import annotations

from fleettui.routing.router import Router
from fleettui.routing.view import Coming, PoolSeen, Sights


def choose(state: Sights, pool: PoolSeen, request: Coming, /) -> int:
    """Return a replica of the pool's least load."""
    return int(state.order[pool.start + int(request.tie * state.ends[pool.levels + pool.least])])


ROUTER = Router(
    name="length",
    help="fewest requests",
    sends="to the replica with the fewest requests",
    choose=choose,
    one_queue=True,
    knows="requests",
)
