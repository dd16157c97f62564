"""Requests that come again, compiled: whether one does, and when; those that will stand in a heap by time and number.

Before attempt k + 1 a client waits about twice as long as before attempt k, from half of that time to half as much
again, so that those who were turned away together do not come back together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fleettui.simulation.compiled import called, part
from fleettui.simulation.due import next_due, push_due, take_due


@called
def gives_up(bounds: Any, requests: Any, index: int, now: float, rejected: bool) -> bool:
    """Note that an attempt came to nothing at `now`; return whether it was the last, and else let it come again."""
    request, stay = requests[index], bounds.stays[index]
    pool = bounds.pools[request.pool]
    stay.stay += now - request.arrival
    if stay.attempts > pool.retries:
        stay.left, stay.rejected = now, rejected
        return True
    tried = stay.attempts - 1
    stay.left, stay.away, stay.held = np.nan, True, 0.0
    request.arrival = now + pool.backoff * 2.0**tried * (0.5 + bounds.jitter[index, tried])
    request.admitted, request.generated = np.nan, 0
    push_due(bounds.again, bounds.waiting, requests, index)
    return False


@part
def comes_again(bounds: Any, requests: Any) -> float:
    """Return when a request comes again next, as where there are `bounds` that sent some away."""
    return np.inf if bounds is None else next_due(bounds.again, bounds.waiting, requests)


@part
def coming(bounds: Any, requests: Any, new: int) -> int:
    """Return the request that comes now: the `new` one, or one that comes again if that is -1."""
    if bounds is None:
        return new
    return new if new >= 0 else int(take_due(bounds.again, bounds.waiting, requests))
