"""Pools by length; inside a pool each replica in turn."""

from __future__ import annotations

from typing import Any

from fleettui.routing.router import Router


def choose(state: Any, pool: Any, request: Any, /) -> int:  # noqa: ARG001
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
