"""Routers: how requests find their pool, and inside it their replica. A new one is a file here and its place below."""

from __future__ import annotations

from fleettui.domain.engine_settings import SEARCHED
from fleettui.domain.registry import Registry
from fleettui.errors import InputError
from fleettui.routing import (
    class_pools,
    compress,
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
    compress.ROUTER,
    class_pools.ROUTER,
)
"""The default first; compiled code knows each by its place."""


def named(name: str, where: str | None = None) -> Router:
    """Return the router called `name`; raises InputError for none, and where the choice is left to a search."""
    if name == SEARCHED:
        raise InputError(
            "only a plan by itself searches for a router, which then has a name",
            where=where,
            value=name,
            accepted=", ".join(ROUTERS.names),
        )
    return ROUTERS.named(name, where)


def formula_kind(router: Router) -> tuple[bool, bool, bool, bool]:
    """Return what the formulas know of a router: those of one kind are sized alike."""
    return router.one_queue, router.together, bool(router.knows), router.of_classes


def pools_meet(router: str, pools: int) -> bool:
    """Return whether a router sends requests of one pool to another, of so many: then they are simulated together."""
    return pools > 1 and ROUTERS.named(router).meets
