"""Interactive requests to the pool of their length, those of class batch to the longest one, which holds them all.

So the shorter pools are left to who waits for an answer. It is what a router by class does (semantic routers tell the
class by the request's text); their other use, a model for each class, has no place in a fleet that serves one model.
"""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.routing.length import choose
from fleettui.routing.router import Router
from fleettui.routing.view import Coming, PoolSeen


def across(pools: Sequence[PoolSeen], request: Coming, /) -> int:
    """Return the longest pool for a request of class batch, its own for another."""
    return len(pools) - 1 if request.batch else int(request.pool)


ROUTER = Router(
    name="class",
    help="batch to the longest pool",
    sends="to the replica with the fewest requests, those of class batch to the longest pool",
    choose=choose,
    across=across,
    of_classes=True,
    one_queue=True,
    knows="class, requests",
)
