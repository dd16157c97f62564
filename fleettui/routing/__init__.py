"""Routers: how requests find their pool, and inside it their replica.

A new one is a file here, its import and its place below, and its test in `tests/routing`: nothing else. All that its
rule may read stands in `view`, and what it declares in `router`. It is written in the subset of Python that numba
compiles and calls no other function of ours. The file may be no more than this:

>>> from fleettui.routing.router import Router
>>> from fleettui.routing.view import Coming, PoolSeen, Sights
>>> def choose(state: Sights, pool: PoolSeen, request: Coming, /) -> int:
...     chosen = pool.start
...     for index in range(pool.start + 1, pool.start + pool.replicas):
...         if state.seen[index].latest < state.seen[chosen].latest:
...             chosen = index
...     return chosen
>>> ROUTER = Router(
...     name="least-recent",
...     help="last request longest ago",
...     sends="to the replica whose last request is longest ago",
...     choose=choose,
...     one_queue=False,
...     differs="waits are shorter",
... )

The compiled engine is held to the plain one with every router of the registry, by requests of one class, and waits to
what the formulas assume: they are no longer than if each replica had a Poisson stream of its own, so that the first of
equals must not get all that waits. So its own test may be short: what the rule is for, on a few requests (`finished` of
`tests/simulation/samples.py`), or its choice alone. One that reads `request.batch` is held so by its own test, as
`test_class_pools.py` is.

>>> from types import SimpleNamespace
>>> from fleettui.routing.view import Seen
>>> state = SimpleNamespace(seen=[Seen(latest=3.0), Seen(latest=1.5), Seen(latest=2.0)])
>>> ROUTER.choose(state, SimpleNamespace(start=0, replicas=3), SimpleNamespace(arrival=4.0))
1
"""

from __future__ import annotations

from fleettui.domain.engine_settings import SEARCHED
from fleettui.domain.registry import Registry
from fleettui.errors import InputError
from fleettui.routing import (
    class_pools,
    compress,
    kv_use,
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
    kv_use.ROUTER,
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
