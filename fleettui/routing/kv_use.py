"""Pools by length; inside a pool the replica with the fewest cache blocks in use, ties at random.

As llm-d's endpoint picker with its kv-cache-utilization-scorer alone; that reads the share in use from each server's
metrics, now and then. A replica where much waits and little runs is empty by it.
"""

from __future__ import annotations

from fleettui.routing.router import Router
from fleettui.routing.view import Coming, PoolSeen, Sights


def choose(state: Sights, pool: PoolSeen, request: Coming, /) -> int:
    """Return a replica with the fewest blocks in use, of several the first from one at random on."""
    first, chosen, least = int(request.tie * pool.replicas), pool.start, pool.blocks + 1
    for turn in range(pool.replicas):
        index = pool.start + (first + turn) % pool.replicas
        if state.seen[index].used < least:
            chosen, least = index, state.seen[index].used
    return chosen


ROUTER = Router(
    name="kv-use",
    help="fewest cache blocks in use",
    sends="to the replica with the fewest cache blocks in use",
    choose=choose,
    one_queue=False,
    knows="cache blocks in use",
    differs="waits are shorter",
)
