"""What bounds a request's stay, compiled: replicas whose queue is full, clients that wait for so long and no longer.

A request that finds as many waiting at its replica as may wait there is turned away. A client whose first token has
not come in time leaves: the replica notices that at the end of a step, and until then the request keeps its place in
the queue or, while its prompt is worked at, in the batch. Whoever has a first token stays. Whoever is turned away or
leaves may come again (`retries`): it is the same request, at another time. A run without bounds has none of these
arrays, which the compiled loop is then made without.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fleettui.simulation import batch
from fleettui.simulation.compiled import part
from fleettui.simulation.retries import gives_up

UNBOUNDED = 2**60
"""Requests that may wait where no number is given."""

STAY = np.dtype(
    [
        ("asked", "f8"),  # when it came for the first time; its record has when it came last
        ("due", "f8"),  # when its client leaves unless its first token has come
        ("left", "f8"),  # when it was turned away or its client left for good; NaN before
        ("stay", "f8"),  # seconds at replicas in attempts that came to nothing
        ("held", "f8"),  # seconds that it waited before it came, in this attempt, for a replica to be there
        ("attempts", "i4"),
        ("rejected", "b1"),  # whether it was turned away when it left for good
        ("away", "b1"),  # whether it will come again
    ],
    align=True,
)
"""What a request has beside its record."""
POOL = np.dtype(
    [
        ("queue", "i8"),  # requests that may wait at each replica
        ("patience", "f8"),  # seconds in which a first token must come
        ("retries", "i8"),  # how often a request comes again at most
        ("backoff", "f8"),  # mean seconds before it does for the first time
        ("rejected", "i8"),  # attempts that were turned away
        ("timed_out", "i8"),  # attempts whose clients left
    ],
    align=True,
)
"""What a pool has beside its record."""


class BoundState(NamedTuple):
    """The bounds of a run: a row per request and per pool, and for each replica when to look for clients that left.

    None of those that wait there leaves before `look`, seconds from the start; it may be too early. `again` is a heap
    of the requests that will come again, as many as `waiting`, and `jitter` has numbers in [0, 1), of shape (requests,
    retries).
    """

    stays: NDArray[Any]
    pools: NDArray[Any]
    look: NDArray[np.float64]
    again: NDArray[np.int32]
    waiting: NDArray[np.int64]
    jitter: NDArray[np.float64]


class Limits(NamedTuple):
    """What bounds a pool's requests: how many may wait at a replica, and how their clients behave, in seconds."""

    queue: int | None
    patience: float
    retries: int
    backoff: float


def bounds_of(
    limits: Sequence[Limits], requests: int, replicas: int, jitter: NDArray[np.float64] | None
) -> BoundState | None:
    """Return the bounds of pools, None without any; `jitter` is that of requests that come again, if any do."""
    if all(one.queue is None and math.isinf(one.patience) for one in limits):
        return None
    most = max(one.retries for one in limits)
    assert most == 0 or (jitter is not None and jitter.shape == (requests, most)), "each coming again has its jitter"
    pools = np.zeros(len(limits), POOL)
    for name in ("patience", "retries", "backoff"):
        pools[name] = [getattr(one, name) for one in limits]
    pools["queue"] = [UNBOUNDED if one.queue is None else one.queue for one in limits]
    stays = np.zeros(requests, STAY)
    stays["due"], stays["left"], stays["asked"] = np.inf, np.nan, np.nan
    return BoundState(
        stays=stays,
        pools=pools,
        look=np.full(replicas, np.inf),
        again=np.zeros(requests if most else 0, np.int32),
        waiting=np.zeros(1, np.int64),
        jitter=np.zeros((requests, 0)) if jitter is None else jitter,
    )


@part
def is_full(load: int, served: int, queue: int) -> bool:
    """Return whether as many requests wait as may: those of `load` beyond the ones that are `served`."""
    return load - served >= queue


@part
def attempt(bounds: BoundState, request: Any, index: int) -> None:
    """Note that a request comes, for the first time or again."""
    stay = bounds.stays[index]
    if stay.attempts == 0:
        stay.asked = request.arrival
    stay.attempts += 1
    stay.away = False


@part
def turn_away(bounds: BoundState, pool: Any, replica: Any, requests: Any, index: int) -> int:
    """Turn a request away if it comes to a full replica: return 1 if it is gone for good, 2 if not, else 0."""
    place = requests[index].pool
    if not is_full(replica.load, replica.running, bounds.pools[place].queue):
        return 0
    bounds.pools[place].rejected += 1
    pool.arrived += 1
    return 1 if gives_up(bounds, requests, index, requests[index].arrival, True) else 2


@part
def set_due(bounds: BoundState, place: int, replica: int, request: Any, index: int) -> float:
    """Note when a request's client leaves; return when its replica is to look for such."""
    due = request.arrival - bounds.stays[index].held + bounds.pools[place].patience
    bounds.stays[index].due = due
    bounds.look[replica] = min(bounds.look[replica], due)
    return float(bounds.look[replica])


@part
def came_late(bounds: Any, request: Any, index: int) -> bool:
    """Return whether a request's first token, which is noted, came after its client had left."""
    if bounds is None:
        return False
    return bool(request.first > bounds.stays[index].due)


@part
def forget_late(bounds: BoundState, place: int, requests: Any, finished: Any, served: int) -> int:
    """Note which of the `served` requests that finished left at their late first token; return how many they are."""
    late = 0
    for at in range(served):
        request, stay = requests[finished[at]], bounds.stays[finished[at]]
        if request.first > stay.due:
            stay.left = request.finish
            request.first, request.finish = np.nan, np.nan
            late += 1
    bounds.pools[place].timed_out += late
    return late


@part
def settle(bounds: BoundState, requests: Any, finished: Any, count: int) -> int:
    """Take those of the `count` requests in `finished` out that will come again; return how many are left there."""
    kept = 0
    for at in range(count):
        one = finished[at]
        if math.isnan(bounds.stays[one].left) or gives_up(bounds, requests, one, bounds.stays[one].left, False):
            finished[kept] = one
            kept += 1
    return kept


@part
def leave(
    bounds: BoundState, replica: Any, index: int, slots: Any, requests: Any, cache: Any, gone: Any, at: int
) -> int:
    """Let those at a replica leave whose time is over by its clock; list them in `gone` from place `at` on.

    Returns how many they are. Their blocks and their place are free.
    """
    now = replica.clock
    if now < bounds.look[index]:
        return 0
    count, look = 0, np.inf
    before, one = -1, replica.head
    while one >= 0:
        behind = requests[one].next
        due = bounds.stays[one].due
        if math.isnan(requests[one].first) and due <= now:
            batch.unqueue(replica, requests, before, one)
            gone[at + count] = one
            count += 1
        else:
            if math.isnan(requests[one].first):
                look = min(look, due)
            before = one
        one = behind
    if replica.partial >= 0:
        one = slots[replica.partial].request
        due = bounds.stays[one].due
        if math.isnan(requests[one].first) and due <= now:
            batch.give_back(replica, cache, one, slots[replica.partial].computed, replica.width - 1)
            batch.vacate(replica, slots, replica.partial)
            replica.partial = -1
            gone[at + count] = one
            count += 1
        elif math.isnan(requests[one].first):
            look = min(look, due)
    bounds.look[index] = look
    for place in range(at, at + count):
        bounds.stays[gone[place]].left = now
    bounds.pools[replica.pool].timed_out += count
    return count
