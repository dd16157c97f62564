"""Pools by length; inside a pool any replica, each as likely as the others: what a router does that knows nothing."""

from __future__ import annotations

from fleettui.routing.router import Router
from fleettui.routing.view import Coming, PoolSeen, Sights


def choose(state: Sights, pool: PoolSeen, request: Coming, /) -> int:  # noqa: ARG001
    """Return a replica at random."""
    return int(pool.start + int(request.tie * pool.replicas))


ROUTER = Router(
    name="random",
    help="any",
    sends="to a replica at random",
    choose=choose,
    one_queue=False,
)
