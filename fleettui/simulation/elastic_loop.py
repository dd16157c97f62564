"""The event loop of a pool whose replicas come and go, compiled: from one moment to the next, and what is seen then."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from fleettui.simulation import bounds, kernel, leaps, lockstep, retries
from fleettui.simulation.compiled import compiled, part
from fleettui.simulation.heaps import rise
from fleettui.simulation.layout import State
from fleettui.simulation.loads_seen import look_if_due
from fleettui.simulation.sending import chosen_by

TALLY = np.dtype(
    [
        ("next", "i8"),  # the request that comes next for the first time
        ("busy", "i8"),  # replicas in the heap of wakes
        ("rejected", "i8"),  # requests that were turned away for good
        ("completed", "i8"),
        ("turned", "i8"),  # attempts that were turned away
        ("left", "i8"),  # requests whose clients left for good
        ("present", "i8"),  # as of the last look: requests at the replicas
        ("running", "i8"),  # those of them in a batch
        ("working", "i8"),  # rows that are sent requests and have some
        ("sojourn", "f8"),  # seconds from arrival to finish, summed over the completed
        ("due", "f8"),  # when the router looks next
    ],
    align=True,
)


class Tallied(NamedTuple):
    """The tally as plain numbers."""

    next: int = 0
    busy: int = 0
    rejected: int = 0
    completed: int = 0
    turned: int = 0
    left: int = 0
    present: int = 0
    running: int = 0
    working: int = 0
    sojourn: float = 0.0
    due: float = 0.0


@compiled
def advance(
    state: State, own: Any, tallies: Any, until: float, queue: int, away: int, rows: int, leaping: bool, finished: Any
) -> None:
    """Play all that happens before `until`; a request is turned away by a replica at work where `queue` others wait.

    It is never admitted, unless by its `own` bounds, those of the state, it comes again; by these a client may leave,
    too. Requests are sent to the first `rows`; where there are none of these, they wait. The one of `tallies` goes on
    from call to call, and has what is seen at the end; `finished` has room for all that one step may finish. A look of
    the router that is due by `until` is taken whether or not anything happened since, so that what changes then finds
    the same order with leaps and without.
    """
    requests, tally = state.requests, tallies[0]
    zero: Any = np.int64(0)  # of no literal, as in `kernel.play`
    while True:
        new = requests[tally.next].arrival if tally.next < len(requests) else np.inf
        arrival = min(new, retries.comes_again(own, requests)) if rows > 0 else np.inf
        wake = state.replicas[state.heap[0]].wake if tally.busy > 0 else np.inf
        if min(arrival, wake) >= until:
            break
        tally.due = look_if_due(state, min(wake, arrival), tally.due)
        served, starting, ended = zero, zero - 1, wake < arrival
        if ended:
            starting = state.heap[0]
            served = kernel.finish(state.lockstep, state, starting, finished)
        else:
            index = retries.coming(own, requests, tally.next if new == arrival else -1)
            tally.next += int(new == arrival)
            if own is not None:
                bounds.attempt(own, requests[index], index)
            chosen = chosen_by(state, index)
            if _is_shut(state, chosen, queue) or state.seen[chosen].load >= away - 1:
                state.pools[0].arrived += 1
                tally.turned += 1
                tally.rejected += int(own is None or retries.gives_up(own, requests, index, arrival, True))
            else:
                starting = kernel.deliver(state, index, chosen)
        if starting >= 0:
            tally.busy += kernel.start_next(state, starting, ended, leaping, tally.busy)
        _count_served(tally, requests, finished, served)
    if until < np.inf:
        tally.due = look_if_due(state, until, tally.due)
    tally.present, tally.running, tally.working = state.pools[0].present, 0, 0
    for index in range(len(state.replicas)):
        tally.running += state.replicas[index].running
        tally.working += int(index < rows and state.replicas[index].load > 0)


@part
def _count_served(tally: Any, requests: Any, finished: Any, served: int) -> None:
    """Count those that a step finished, and those that left."""
    for place in range(served):
        request = requests[finished[place]]
        if math.isnan(request.finish):
            tally.left += 1
        else:
            tally.completed += 1
            tally.sojourn += request.finish - request.arrival


@part
def _is_shut(state: State, chosen: int, queue: int) -> bool:
    """Return whether a replica is at work and has as many waiting as may wait."""
    if state.spot[lockstep.first_of(state.lockstep, state, chosen)] < 0:
        return False
    return bounds.is_full(state.replicas[chosen].load, state.replicas[chosen].running, queue)


@compiled
def cut_leaps(state: State, rows: Any, now: float) -> None:
    """End the leaps of the busy `rows` with the first step that is over at `now` or later."""
    for index in rows:
        if state.replicas[index].leap > 1:
            leaps.shorten(state.replicas[index], now)
            rise(state.heap, state.spot, state.replicas, state.spot[index])
