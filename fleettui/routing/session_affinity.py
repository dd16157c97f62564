"""Pools by length; inside a pool the replica that served the session's round before, the least loaded for a first one.

As by a header that names the server (llm-d's session-affinity scorer, sticky sessions of gateways), whatever its load.
"""

from __future__ import annotations

from fleettui.routing.router import Router
from fleettui.routing.view import Coming, PoolSeen, Sights


def choose(state: Sights, pool: PoolSeen, request: Coming, /) -> int:
    """Return the replica of the round before where that is one of the pool's, else one of the pool's least load."""
    if pool.start <= pool.home < pool.start + pool.replicas:
        return int(pool.home)
    return int(state.order[pool.start + int(request.tie * state.ends[pool.levels + pool.least])])


ROUTER = Router(
    name="session-affinity",
    help="where the session's round before was",
    sends="to the replica that served the session's round before, the least loaded for a first one",
    choose=choose,
    one_queue=True,
    knows="session, requests",
    of_sessions=True,
    together=True,
    differs="waits are longer",
)
