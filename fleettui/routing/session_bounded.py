"""Pools by length; inside a pool the replica of the session's round before, unless that has too much to do.

Too much are more requests than 1.25 times what the pool's replicas have on average, the new one counted, as in
consistent hashing with bounded loads (Mirrokni, Thorup and Zadimoghaddam, SODA 2018; kubeai's default factor).
"""

from __future__ import annotations

import math

from fleettui.routing.router import Router
from fleettui.routing.view import Coming, PoolSeen, Sights

FACTOR = 1.25


def choose(state: Sights, pool: PoolSeen, request: Coming, /) -> int:
    """Return the replica of the round before where that is one of the pool's and has room, else one of least load."""
    if pool.start <= pool.home < pool.start + pool.replicas:
        load = 1
        for index in range(pool.start, pool.start + pool.replicas):
            load += state.seen[index].load
        if state.seen[pool.home].load < math.ceil(FACTOR * load / pool.replicas):
            return int(pool.home)
    return int(state.order[pool.start + int(request.tie * state.ends[pool.levels + pool.least])])


ROUTER = Router(
    name="session-bounded",
    help="the same, within 1.25 x the mean load",
    sends=(
        "to the replica that served the session's round before, to the least loaded for a first one and where that has "
        f"over {FACTOR} times the average requests"
    ),
    choose=choose,
    one_queue=True,
    knows="session, requests",
    of_sessions=True,
    together=True,
    differs="waits are longer",
)
