"""To its own pool; where requests queue at its least loaded replica, to the next longer pool where they do not.

A replica's queue is long from 5 waiting requests on, as for the saturation detector of llm-d's endpoint picker.
"""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.routing.length import choose
from fleettui.routing.router import Router
from fleettui.routing.view import Coming, PoolSeen

LONG = 5
"""Waiting requests at which a queue is long."""


def across(pools: Sequence[PoolSeen], request: Coming, /) -> int:
    """Return the first pool, from the request's own on, without a long queue; its own where all have one."""
    for place in range(request.pool, len(pools)):
        if pools[place].waiting < LONG:
            return place
    return int(request.pool)


ROUTER = Router(
    name="spillover",
    help="a longer pool where its own queues",
    sends=f"to the replica with the fewest requests, in the next longer pool where {LONG} wait at that of its own",
    choose=choose,
    across=across,
    one_queue=True,
    differs="pools that help out wait longer",
    knows="requests, waiting, of every pool",
)
