"""Pools by length; inside a pool two replicas at random, and of them the one with fewer requests."""

from __future__ import annotations

from fleettui.routing.router import Router
from fleettui.routing.view import Coming, PoolSeen, Sights


def choose(state: Sights, pool: PoolSeen, request: Coming, /) -> int:
    """Return the less loaded of two different replicas drawn at random, the first of them where they are equal."""
    others = pool.replicas - 1
    if others == 0:
        return int(pool.start)
    drawn = int(request.tie * (pool.replicas * others))
    first, second = drawn // others, drawn % others
    if second >= first:
        second += 1
    fewer = state.seen[pool.start + second].load < state.seen[pool.start + first].load
    return int(pool.start + (second if fewer else first))


ROUTER = Router(
    name="power-of-two",
    help="fewer requests of two at random",
    sends="to the less loaded of two replicas at random",
    choose=choose,
    one_queue=True,
    knows="requests",
    differs="waits are longer",
)
