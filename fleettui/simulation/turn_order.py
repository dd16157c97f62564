"""The order in which prompts take turns, compiled: those that were cut and those that wait, and who is urgent."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fleettui.scheduling.scheduler import LOWER
from fleettui.simulation import batch
from fleettui.simulation.compiled import part


@part
def drop_vacated(row: Any, cuts: Any, slots: Any) -> None:
    """Forget the cut prompts that were preempted."""
    kept = 0
    for at in range(row.cut):
        if slots[cuts[at]].request >= 0:
            cuts[kept] = cuts[at]
            kept += 1
    row.cut = kept


@part
def take_first(row: Any, cuts: Any) -> None:
    """Take the first prompt out of the cut ones: it is complete."""
    row.cut -= 1
    for later in range(row.cut):
        cuts[later] = cuts[later + 1]


@part
def urgent_one(own: Any, replica: Any, slots: Any, requests: Any) -> int:
    """Return the request whose turn it is whatever its rank, -1 where there is none.

    That is the oldest that was cut and carries on, unless one of the upper queue is older; else after the quota of
    steps the oldest of the lower queue.
    """
    if own.rules[0].quota == 0:
        return -1
    oldest, carries, lower = np.inf, -1, -1
    for at in range(own.rows[0].cut):
        one = slots[own.cuts[at]].request
        if own.turns[one].rank < LOWER:
            oldest = min(oldest, requests[one].arrival)
        elif lower < 0 or came_first(requests, one, lower):
            lower = one
        if own.turns[one].carries and (carries < 0 or came_first(requests, one, carries)):
            carries = one
    one = replica.head
    while one >= 0:
        if own.turns[one].rank < LOWER:
            oldest = min(oldest, requests[one].arrival)
        elif lower < 0 or came_first(requests, one, lower):
            lower = one
        one = requests[one].next
    if carries >= 0 and requests[carries].arrival <= oldest:
        return int(carries)
    return int(lower) if own.rows[0].upper >= own.rules[0].quota else -1


@part
def came_first(requests: Any, one: int, other: int) -> bool:
    """Return whether `one` came before `other`."""
    if requests[one].arrival != requests[other].arrival:
        return bool(requests[one].arrival < requests[other].arrival)
    return one < other


@part
def _is_before(turns: Any, requests: Any, one: int, other: int, urgent: int) -> bool:
    """Return whether `one` has its turn before `other`: by class, what is urgent, rank, and coming."""
    if requests[one].batch != requests[other].batch:
        return bool(requests[other].batch)
    if (one == urgent) | (other == urgent):
        return bool(one == urgent)
    if turns[one].rank != turns[other].rank:
        return bool(turns[one].rank < turns[other].rank)
    return bool(came_first(requests, one, other))


@part
def goes_on(turns: Any, one: int, replica: Any, requests: Any, urgent: int) -> bool:
    """Return whether a cut prompt has its turn before the head of the queue, which is first if it was preempted."""
    head = replica.head
    alike = requests[one].batch == requests[head].batch and not ((one == urgent) | (head == urgent))
    if alike and not math.isnan(requests[head].admitted):
        return False
    return bool(_is_before(turns, requests, one, head, urgent))


@part
def sort(own: Any, count: int, slots: Any, requests: Any, urgent: int) -> None:
    """Sort the prompts that were cut by their turn; there are few."""
    for end in range(1, count):
        place, at = own.cuts[end], end
        one = slots[place].request
        while at > 0 and _is_before(own.turns, requests, one, slots[own.cuts[at - 1]].request, urgent):
            own.cuts[at] = own.cuts[at - 1]
            at -= 1
        own.cuts[at] = place


@part
def bring_forward(replica: Any, requests: Any, urgent: int) -> bool:
    """Move a waiting request to the head of its class in the queue; return whether it waits and was not there.

    One that was preempted stands there already, with others that were.
    """
    if urgent < 0 or replica.head < 0 or replica.head == urgent or not math.isnan(requests[urgent].admitted):
        return False
    first, before, one = -1, -1, replica.head
    while one >= 0 and requests[one].batch != requests[urgent].batch:
        first, one = one, requests[one].next
    before = first
    while one >= 0 and one != urgent:
        before, one = one, requests[one].next
    if one < 0 or before == first:
        return False
    batch.unqueue(replica, requests, before, urgent)
    batch.queue(replica, requests, urgent, first, replica.head if first < 0 else requests[first].next)
    return True


@part
def put_back(turns: Any, replica: Any, requests: Any, urgent: int) -> None:
    """Move a request that did not fit back to where its rank has it: before all of its rank, which came later."""
    before, one = -1, replica.head
    while one != urgent:
        before, one = one, requests[one].next
    batch.unqueue(replica, requests, before, urgent)
    one = replica.head if before < 0 else requests[before].next
    while (
        one >= 0
        and requests[one].batch == requests[urgent].batch
        and (not math.isnan(requests[one].admitted) or turns[one].rank < turns[urgent].rank)
    ):
        before, one = one, requests[one].next
    batch.queue(replica, requests, urgent, before, one)
