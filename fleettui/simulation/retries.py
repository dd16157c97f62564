"""Requests that come again, compiled: whether one does, and when; those that will stand in a heap by time and number.

Before attempt k + 1 a client waits about twice as long as before attempt k, from half of that time to half as much
again, so that those who were turned away together do not come back together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fleettui.simulation.compiled import inlined, part


@part
def gives_up(bounds: Any, requests: Any, index: int, now: float, rejected: bool) -> bool:
    """Note that an attempt came to nothing at `now`; return whether it was the last, and else let it come again."""
    request, stay = requests[index], bounds.stays[index]
    pool = bounds.pools[request.pool]
    stay.stay += now - request.arrival
    if stay.attempts > pool.retries:
        stay.left, stay.rejected = now, rejected
        return True
    tried = stay.attempts - 1
    stay.left, stay.away = np.nan, True
    request.arrival = now + pool.backoff * 2.0**tried * (0.5 + bounds.jitter[index, tried])
    request.admitted, request.generated = np.nan, 0
    _push(bounds.again, bounds.waiting[0], requests, index)
    bounds.waiting[0] += 1
    return False


@part
def next_again(bounds: Any, requests: Any) -> float:
    """Return when the next request comes again, infinite where none does."""
    return float(requests[bounds.again[0]].arrival) if bounds.waiting[0] > 0 else np.inf


@part
def take_next(bounds: Any, requests: Any) -> int:
    """Take the request that comes again next out of the heap."""
    heap = bounds.again
    found = int(heap[0])
    bounds.waiting[0] -= 1
    size = bounds.waiting[0]
    last, at = heap[size], 0
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size and _earlier(requests, heap[below + 1], heap[below]):
            below += 1
        if not _earlier(requests, heap[below], last):
            break
        heap[at] = heap[below]
        at = below
    heap[at] = last
    return found


@part
def _push(heap: Any, size: int, requests: Any, index: int) -> None:
    at = size
    while at > 0:
        above = (at - 1) >> 1
        if _earlier(requests, heap[above], index):
            break
        heap[at] = heap[above]
        at = above
    heap[at] = index


@part
def _earlier(requests: Any, one: int, other: int) -> bool:
    a, b = requests[one].arrival, requests[other].arrival
    return bool(a < b or (a == b and one < other))


@inlined
def comes_again(bounds: Any, requests: Any) -> float:
    """Return when a request comes again next, as where there are `bounds` that sent some away."""
    return np.inf if bounds is None else next_again(bounds, requests)


@inlined
def coming(bounds: Any, requests: Any, arrived: int, is_new: bool) -> int:
    """Return the request that comes now: the one that arrives next if it is a new one, or one that comes again."""
    if bounds is None:
        return arrived
    return arrived if is_new else int(take_next(bounds, requests))
