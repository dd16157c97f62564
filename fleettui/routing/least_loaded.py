"""To whichever pool holds the request and has the largest share of its places free, its own where several do."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.routing.length import choose
from fleettui.routing.router import Router
from fleettui.routing.view import Coming, PoolSeen


def across(pools: Sequence[PoolSeen], request: Coming, /) -> int:
    """Return the pool, from the request's own on, whose least loaded replica has the least of what makes it full."""
    chosen = int(request.pool)
    for place in range(chosen + 1, len(pools)):
        if pools[place].least * pools[chosen].full < pools[chosen].least * pools[place].full:
            chosen = place
    return chosen


ROUTER = Router(
    name="least-loaded",
    help="least loaded of all pools it fits in",
    sends="to the least loaded replica, by requests over places, of all pools that hold it",
    choose=choose,
    across=across,
    one_queue=True,
    differs="long pools wait longer",
    knows="requests of every pool",
)
