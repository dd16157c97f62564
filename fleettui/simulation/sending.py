"""Where a request goes, compiled: the router's rules with what they see."""

from __future__ import annotations

from typing import Any

from fleettui.routing import ROUTERS
from fleettui.routing.router import stay
from fleettui.simulation import sessions
from fleettui.simulation.compiled import by_code, called, part
from fleettui.simulation.layout import Known, State
from fleettui.simulation.loads_seen import known, see_memory
from fleettui.simulation.prefix_index import recall

choose = by_code([router.choose for router in ROUTERS])
choose_pool = by_code([router.across or stay for router in ROUTERS])


@part
def chosen_by(state: State, index: int) -> int:
    """Return the replica to which the router sends a request."""
    request = state.requests[index]
    if state.across:
        send_across(state, known(state), request, index)
    pool, view = state.pools[request.pool], known(state)
    sessions.see_home(state.sessions, pool, index)
    recall(state.sent, view.seen, pool, index, request.prompt)
    see_memory(state, pool, request.arrival)
    chosen = int(choose(pool.router, view, pool, request))
    state.seen[chosen].latest = request.arrival
    return chosen


@called
def send_across(state: State, view: Known, request: Any, number: int) -> None:
    """Give a request the pool that the router chooses by the present loads.

    It knows of each pool how many requests wait at the replica that is next, a least loaded one.
    """
    for place in range(len(state.pools)):
        pool = state.pools[place]
        index = view.order[pool.start + int(request.tie * view.ends[pool.levels + pool.least])]
        pool.waiting = view.seen[index].load - view.seen[index].running
        sessions.see_home(state.sessions, pool, number)
    request.pool = choose_pool(state.pools[0].router, state.pools, request)
