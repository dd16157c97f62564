"""Pools by length; inside a pool each replica in turn."""

from __future__ import annotations

from fleettui.routing.router import Router
from fleettui.routing.view import Coming, PoolSeen, Sights


def choose(state: Sights, pool: PoolSeen, request: Coming, /) -> int:  # noqa: ARG001
    """Return the replica whose turn it is."""
    return int(pool.start + pool.arrived % pool.replicas)


ROUTER = Router(
    name="round-robin",
    help="in turn",
    sends="to each replica in turn",
    choose=choose,
    one_queue=False,
    differs="waits are shorter",
)
