"""The event loop, compiled: requests reach a replica of their pool, replicas wake when their steps end.

Between two arrivals replicas know nothing of each other, so each has one event at a time: the end of its present
steps. An arrival that meets a step's end gets in before the next step; what a completion sets off comes after it.

What a run is asked for beyond the plain engine takes part at these places, in this order; each is a file of its own:

    a request comes                                 a replica wakes
      sessions, retries   which, and when             replica.end      speculation: tokens that the steps commit
      loads_seen          the router looks, if due                     handing_out: when clients have them
      routing             across pools, then                           prefix_cache: blocks that nobody uses now
                          prefix_index, choose        bounds           clients that leave; retries: and come again
      bounds              turned away                 loads_seen       what the router then knows
      turns               its queue at the start      sessions, turns  the round after an answer
      lockstep            an idle one begins:         lockstep         all lanes end and begin at once:

    replica.start, a step
      ranks               what waits in order, where that changes
      swap_in             what was moved out comes back
      turns, batch        prompts and classes that give way, then room for every decode: prefix_cache, of which
                          far_blocks keeps beside what is dropped; swap_out
      turns, batch        prompts: those begun, then new ones by scheduler, places, budget and blocks; prefix_tiers:
                          what is found of each, here or beside
      curve, speculation  the step's seconds, by kernels or affine; the pace of a slow replica; swap_out: of what moved
      leaps               as many such steps at once as nothing can happen in
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fleettui.simulation import bounds, leaps, lockstep, retries, sessions, turns
from fleettui.simulation import replica as engine
from fleettui.simulation.compiled import called, compiled, part
from fleettui.simulation.heaps import pop_key, push_key, rise, sink
from fleettui.simulation.layout import State
from fleettui.simulation.loads_seen import look_if_due, note_sent, note_served
from fleettui.simulation.prefix_cache import own_of
from fleettui.simulation.prefix_index import remember
from fleettui.simulation.records import Records
from fleettui.simulation.sending import chosen_by


def run(state: State, first: int, last: int, leaping: bool) -> tuple[tuple[Records, Records], NDArray[np.float64], int]:
    """Play the requests of `state` until requests [first, last), as they come, are complete, or all are.

    Returns the pools' records at the arrival of the first of them and at that of the last, the time of each, and how
    many requests arrived. Without `leaping` every step is an event of its own: slower, with the same result. So it is
    where there are stages.
    """
    finished = np.zeros(places_at_once(state) + len(state.requests) * int(state.bounds is not None), np.int32)
    marks, moments = (state.pools.copy(), state.pools.copy()), np.zeros(2)
    leaping = leaping and not (state.pools["lanes"] > 1).any()
    return marks, moments, play(state, first, last, leaping, finished, marks, moments)


def places_at_once(state: State) -> int:
    """Return how many requests one step may finish at most, those of all lanes that step together."""
    return int(state.fresh.shape[1] * state.pools["together"].max())


@compiled
def play(state: State, first: int, last: int, leaping: bool, finished: Any, marks: Any, moments: Any) -> int:
    """Play as `run` does; fill `marks` and `moments`, and return how many requests arrived."""
    requests, pools = state.requests, state.pools
    closed, clients = len(state.clients) > 0, len(state.clients)
    zero: Any = np.int64(0)  # of no literal: numba compiles a function that gets one once more, for that alone
    arrived, busy, open_ones = zero, zero, last - first
    due = pools[0].refresh if pools[0].refresh > 0.0 else np.inf
    while open_ones > 0:
        arrival = _arrival(state, arrived, clients)
        wake = state.replicas[state.heap[0]].wake if busy > 0 else np.inf
        known = min(arrival, retries.comes_again(state.bounds, requests))
        soonest = sessions.soonest(state.sessions, requests, known)
        if sessions.is_over(state.sessions, min(wake, soonest)):
            break
        due = look_if_due(state, min(wake, soonest), due)
        served, starting, ended = zero, zero - 1, wake < soonest
        if ended:
            starting = state.heap[0]
            served = finish(state.lockstep, state, starting, finished)
        else:
            if closed:
                pop_key(state.clients, clients)
                clients -= 1
                requests[arrived].arrival = arrival
            for place, at in enumerate((first, last - 1)):
                if sessions.count(state.sessions, arrived) == at:
                    _copy(pools, marks[place])
                    moments[place] = soonest
            new = arrived if soonest == arrival else -1
            index = sessions.coming(state.sessions, state.bounds, requests, new, soonest < known)
            sessions.note_coming(state.sessions, index)
            chosen = chosen_by(state, index)
            fate = turned_away(state, state.bounds, index, chosen)
            if fate == 0:
                starting = deliver(state, index, chosen)
            open_ones -= int(fate == 1 and first <= sessions.number(state.sessions, index) < last)
            arrived += int(soonest == arrival)
        if starting >= 0:
            busy += start_next(state, starting, ended, leaping, busy)
        for place in range(served):
            open_ones -= int(first <= sessions.number(state.sessions, finished[place]) < last)
            server = lockstep.server_of(state.lockstep, place, starting)
            sessions.go_on(state.sessions, requests, finished[place], server)
            turns.follow(state.turns, state.sessions, requests, finished[place])
            if closed:
                again = requests[finished[place]].finish + state.thinking[finished[place]]
                push_key(state.clients, clients, again)
                clients += 1
    return int(sessions.count(state.sessions, arrived))


@part
def _arrival(state: State, arrived: int, clients: int) -> float:
    """Return when the next new request comes, with so many `clients` of a closed loop that think; infinite without."""
    if arrived >= sessions.new_ones(state.sessions, state.requests):
        return np.inf
    if len(state.clients) == 0:
        return float(state.requests[arrived].arrival)
    return float(state.clients[0]) if clients > 0 else np.inf


@called
def _copy(pools: Any, marks: Any) -> None:
    """Copy the pools' records one by one: compiling an assignment of whole arrays takes numba seconds."""
    for place in range(len(pools)):
        marks[place] = pools[place]


@part
def deliver(state: State, index: int, chosen: int) -> int:
    """Put a request, as it arrives, at the replica that was chosen; return which is to start now, -1 if none is."""
    request = state.requests[index]
    pool = state.pools[request.pool]
    pool.arrived += 1
    note_presence(pool, request.arrival, 1)
    replica = state.replicas[chosen]
    note_sent(state, pool, replica, chosen, request.prompt)
    remember(state.sent, pool, chosen, index, request.prompt)
    turns.come(state.turns, request, index)
    engine.wait(pool, replica, state.requests, index, state.turns)
    set_due(state, state.bounds, request, index, chosen)
    first = lockstep.first_of(state.lockstep, state, chosen)
    if state.spot[first] < 0:
        state.replicas[first].clock = request.arrival
        return int(first)
    has_place = replica.running < pool.places or turns.takes_places(state.turns, request.pool)
    if replica.leap > 1 and replica.head == index and has_place:
        leaps.shorten(replica, request.arrival)
        rise(state.heap, state.spot, state.replicas, state.spot[chosen])
    return -1


@part
def turned_away(state: State, own: Any, index: int, chosen: int) -> int:
    """Return 0 unless `own` bounds let the chosen replica, if it works, turn a request away: 1 for good, 2 for now."""
    if own is None:
        return 0
    bounds.attempt(own, state.requests[index], index)
    if state.spot[lockstep.first_of(state.lockstep, state, chosen)] < 0:
        return 0
    pool = state.pools[state.requests[index].pool]
    return int(bounds.turn_away(own, pool, state.replicas[chosen], state.requests, index))


@part
def finish(own: Any, state: State, index: int, finished: Any) -> int:
    """End the present steps of a replica, of all lanes in `own` lockstep with it; return how many it finished."""
    return end(state, index, finished) if own is None else _finish_together(own, state, index, finished)


@called
def _finish_together(own: Any, state: State, first: int, finished: Any) -> int:
    served = 0
    for lane in range(first, first + lockstep.count_of(own, state, first)):
        count = end(state, lane, finished[served:])
        for place in range(served, served + count):
            own.served_by[place] = lane
        served += count
    return served


@part
def end(state: State, index: int, finished: Any) -> int:
    """End the present steps of a replica; return how many requests it finished, listed in `finished`."""
    replica = state.replicas[index]
    pool = state.pools[replica.pool]
    served = engine.end(
        pool,
        replica,
        state.slots[index],
        state.keys[index],
        state.fresh[index],
        state.phases[index],
        state.requests,
        own_of(state.cache, index),
        finished,
        state.bounds,
    )
    left, late = let_leave(state, state.bounds, replica, index, finished, served)
    for place in range(served + left):
        note_served(state, pool, replica, index, state.requests[finished[place]].prompt)
    note_presence(pool, replica.clock, -(served + left))
    pool.completed += served - late
    return settled(state, state.bounds, finished, served + left)


@part
def settled(state: State, own: Any, finished: Any, count: int) -> int:
    """Return how many of so many requests are done for good, the others taken out of `finished`."""
    return int(count if own is None else bounds.settle(own, state.requests, finished, count))


@part
def let_leave(state: State, own: Any, replica: Any, index: int, finished: Any, served: int) -> tuple[int, int]:
    """Let those leave whose clients waited too long, listed behind the `served`.

    Returns how many they are, and how many of the served only saw that their first token was late.
    """
    if own is None:
        return 0, 0
    late = bounds.forget_late(own, replica.pool, state.requests, finished, served)
    cache = own_of(state.cache, index)
    left = bounds.leave(own, replica, index, state.slots[index], state.requests, cache, finished, served)
    return int(left), int(late)


@part
def set_due(state: State, own: Any, request: Any, index: int, chosen: int) -> None:
    """Note when a request's client leaves, and let its replica's leap end by then."""
    if own is not None:
        replica = state.replicas[chosen]
        look = bounds.set_due(own, request.pool, chosen, request, index)
        if state.spot[chosen] >= 0 and replica.leap > 1 and look < replica.wake:
            leaps.shorten(replica, look)
            rise(state.heap, state.spot, state.replicas, state.spot[chosen])


@part
def start_next(state: State, index: int, ended: bool, leaping: bool, busy: int) -> int:
    """Let a replica start its next steps: an idle one, or that at the top of the heap of so many busy ones, whose steps
    `ended`. Return how many more are busy then.

    What follows steps that end and what follows an arrival is one place in the code: to start steps is most of it, and
    to compile that twice took nearly twice as long.
    """
    works = begin(state.lockstep, state, index, leaping)
    if not ended:
        state.heap[busy] = index
        rise(state.heap, state.spot, state.replicas, busy)
        return 1
    idle = int(not works)
    if idle:
        state.spot[index] = -1
        state.heap[0] = state.heap[busy - 1]
    if busy > idle:
        sink(state.heap, state.spot, state.replicas, busy - idle)
    return -idle


@part
def begin(own: Any, state: State, index: int, leaping: bool) -> bool:
    """Start the next steps of a replica, of all lanes in `own` lockstep with it; return whether there are any."""
    if own is None:
        replica = state.replicas[index]
        return start(state, state.bounds, state.pools[replica.pool], replica, index, leaping)
    return _begin_together(own, state, index, leaping)


@called
def _begin_together(own: Any, state: State, first: int, leaping: bool) -> bool:
    pool = state.pools[state.replicas[first].pool]
    if pool.together == 1:
        return start(state, state.bounds, pool, state.replicas[first], first, leaping)
    works, now = False, state.replicas[first].clock
    for lane in range(first, first + pool.together):
        replica = state.replicas[lane]
        replica.clock = replica.wake = now
        works = start(state, state.bounds, pool, replica, lane, False) or works
    if works:
        lockstep.meet(own, state, pool, first)
    return works


@part
def start(state: State, own: Any, pool: Any, replica: Any, index: int, leaping: bool) -> bool:
    """Start the next steps of a replica; return whether it has anything to do.

    With bounds of its `own` a leap ends when the replica is to look for clients that left.
    """
    started = engine.start(
        pool,
        replica,
        state.slots[index],
        state.keys[index],
        state.fresh[index],
        state.phases[index],
        state.requests,
        own_of(state.cache, index),
        state.curves.linear[replica.pool],
        state.curves.batches[replica.pool],
        state.curves.prompts[replica.pool],
        leaping,
        turns.own_turns(state.turns, replica.pool, index),
    )
    if own is not None and started and replica.leap > 1 and own.look[index] < replica.wake:
        leaps.shorten(replica, own.look[index])
    if started and pool.lanes > 1:
        engine.go_through(pool, replica, index, state.stages)
    return started


@part
def note_presence(pool: Any, now: float, change: int) -> None:
    """Count so many requests more in a pool from now on."""
    pool.presence += pool.present * (now - pool.since)
    pool.since = now
    pool.present += change
