"""What a router knows of its replicas' loads, compiled: always as they are, or as they were when it last looked."""

from __future__ import annotations

import math
from typing import Any

from fleettui.routing import load_order
from fleettui.simulation import leaps
from fleettui.simulation.compiled import called, part
from fleettui.simulation.layout import Known, State

add_one = part(load_order.add_one)
take_one = part(load_order.take_one)


@part
def known(state: State) -> Known:
    """Return what a router decides by: the replicas as it saw them last."""
    return Known(state.seen, state.order, state.ends)


@part
def see_memory(state: State, pool: Any, now: float) -> None:
    """Let a router that asks for the memory in use see it, unless it looks from time to time and then sees that too."""
    if pool.sees_memory and not state.looks:
        _see_memory(state, pool, now)


@called
def _see_memory(state: State, pool: Any, now: float) -> None:
    for index in range(pool.start, pool.start + pool.replicas):
        replica = state.replicas[index]
        state.seen[index].used = pool.blocks - replica.free + leaps.filled(replica, state.phases[index], now)


@part
def note_sent(state: State, pool: Any, replica: Any, index: int, prompt: int) -> None:
    """Count a request at its replica, and for its router where that counts what it sends."""
    replica.tokens += prompt
    if state.looks:
        replica.load += 1
        if pool.counts:
            _add_one(state, pool, state.seen[index], index)
            state.seen[index].tokens += prompt
    else:
        _add_one(state, pool, replica, index)


@part
def note_served(state: State, pool: Any, replica: Any, index: int, prompt: int) -> None:
    """Count a request off its replica; a router that looks from time to time sees that when it next does."""
    replica.tokens -= prompt
    if state.looks:
        replica.load -= 1
    else:
        _take_one(state, pool, replica, index)


@part
def look_if_due(state: State, now: float, due: float) -> float:
    """Let the router look where that is due by now; return when it next is, never where it always sees."""
    return _look(state, now) if now >= due else due


@called
def _look(state: State, now: float) -> float:
    """Let the router see every replica as it is; return when it looks again, the first time after `now`.

    It looked at the last of its moments until now. Loads are since then what they were, but a leap's memory fills.
    """
    refresh = state.pools[0].refresh
    moments = math.floor(now / refresh)
    for place in range(len(state.pools)):
        pool = state.pools[place]
        for index in range(pool.start, pool.start + pool.replicas):
            replica, own = state.replicas[index], state.seen[index]
            while own.load < replica.load:
                _add_one(state, pool, own, index)
            while own.load > replica.load:
                _take_one(state, pool, own, index)
            own.running, own.tokens = replica.running, replica.tokens
        if pool.sees_memory:
            _see_memory(state, pool, moments * refresh)
    return float((moments + 1.0) * refresh)


@part
def _add_one(state: State, pool: Any, known: Any, index: int) -> None:
    """Let the router know one more request at a replica, and keep its pool's order by load."""
    add_one(state.order, state.rank, state.ends, pool.start, pool.levels, index, known.load)
    if known.load == pool.least and state.ends[pool.levels + pool.least] == 0:
        pool.least += 1
    known.load += 1


@part
def _take_one(state: State, pool: Any, known: Any, index: int) -> None:
    """Let the router know one request fewer at a replica, and keep its pool's order by load."""
    take_one(state.order, state.rank, state.ends, pool.start, pool.levels, index, known.load)
    known.load -= 1
    pool.least = min(pool.least, known.load)
