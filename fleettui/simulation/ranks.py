"""Ranks that change while requests wait, compiled: what waits is put in order anew as its replica composes a step.

Between two steps nothing is admitted, so no other moment counts. A leap has one step alone while something waits that
a place is free for: after it another may be first, and fit.
"""

from __future__ import annotations

import math
from typing import Any

from fleettui.scheduling import SCHEDULERS
from fleettui.scheduling.view import Moment
from fleettui.simulation import batch, turns
from fleettui.simulation.compiled import by_code, called, part
from fleettui.simulation.turn_order import came_first

rank = by_code([scheduler.at_moment for scheduler in SCHEDULERS])


@part
def renew(pool: Any, replica: Any, slots: Any, requests: Any, own: Any) -> None:
    """Put what waits in order by the ranks of now, where these vary; `own` are its turns, None without."""
    if pool.varies:
        _renew(pool, replica, slots, requests, own)


@part
def may_change(pool: Any, replica: Any) -> bool:
    """Return whether another request may be first after a step, and find a place."""
    return bool(pool.varies and replica.head >= 0 and replica.running + replica.coming < pool.places)


@called
def _renew(pool: Any, replica: Any, slots: Any, requests: Any, own: Any) -> None:
    moment = Moment(replica.clock, replica.free, pool.blocks, int(replica.running), pool.places, pool.budget)
    turns.rank_anew(own, replica, slots, requests, moment)
    if replica.head >= 0:
        _sort(pool, replica, requests, own, moment)


@part
def _sort(pool: Any, replica: Any, requests: Any, own: Any, moment: Moment) -> None:
    """Sort a queue of one or more, which is nearly in order as a rule."""
    last = int(replica.head)
    one = int(requests[last].next)
    while one >= 0:
        if _is_before(pool, requests, one, last, own, moment):
            batch.unqueue(replica, requests, last, one)
            before, after = -1, int(replica.head)
            while not _is_before(pool, requests, one, after, own, moment):
                before, after = after, int(requests[after].next)
            batch.queue(replica, requests, one, before, after)
        else:
            last = one
        one = int(requests[last].next)


@part
def _is_before(pool: Any, requests: Any, one: int, other: int, own: Any, moment: Moment) -> bool:
    """Return whether `one` is served before `other`, which stands before it: by class, preemption, rank, and coming."""
    if requests[one].batch != requests[other].batch:
        return bool(requests[other].batch)
    if not math.isnan(requests[other].admitted):
        return False
    if not math.isnan(requests[one].admitted):
        return True
    first, second = _rank(pool, requests, one, own, moment), _rank(pool, requests, other, own, moment)
    return bool(first < second or (first == second and came_first(requests, one, other)))


@part
def _rank(pool: Any, requests: Any, index: int, own: Any, moment: Moment) -> float:
    return rank(pool.scheduler, requests[index], moment) if own is None else own.turns[index].rank
