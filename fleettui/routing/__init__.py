"""Routers: how requests find their pool, and inside it their replica. A new one is a file here and its place below."""

from __future__ import annotations

from fleettui.domain.registry import Registry
from fleettui.routing import (
    least_loaded,
    least_tokens,
    length,
    power_of_two,
    prefix_aware,
    random,
    round_robin,
    session_affinity,
    session_bounded,
    spillover,
    vllm_dp,
)
from fleettui.routing.router import Router

ROUTERS: Registry[Router] = Registry(
    "router",
    length.ROUTER,
    random.ROUTER,
    round_robin.ROUTER,
    power_of_two.ROUTER,
    least_tokens.ROUTER,
    vllm_dp.ROUTER,
    prefix_aware.ROUTER,
    session_affinity.ROUTER,
    session_bounded.ROUTER,
    spillover.ROUTER,
    least_loaded.ROUTER,
)
"""The default first; compiled code knows each by its place."""


def pools_meet(router: str, pools: int) -> bool:
    """Return whether a router sends requests of one pool to another, of so many: then they are simulated together."""
    return pools > 1 and ROUTERS.named(router).across is not None
