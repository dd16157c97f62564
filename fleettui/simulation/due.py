"""Requests that come at times which only the run knows, compiled: a heap of them by time and number.

A heap is an array of requests, as long as there may be such ones, of which so many `waiting` stand in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fleettui.simulation.compiled import part


@part
def next_due(heap: Any, waiting: Any, requests: Any) -> float:
    """Return when the next of them comes, infinite where there is none."""
    return float(requests[heap[0]].arrival) if waiting[0] > 0 else np.inf


@part
def push_due(heap: Any, waiting: Any, requests: Any, index: int) -> None:
    """Put request `index`, whose time is set, among them."""
    at = waiting[0]
    while at > 0:
        above = (at - 1) >> 1
        if _earlier(requests, heap[above], index):
            break
        heap[at] = heap[above]
        at = above
    heap[at] = index
    waiting[0] += 1


@part
def take_due(heap: Any, waiting: Any, requests: Any) -> int:
    """Take the one that comes next out of the heap; return it."""
    found = int(heap[0])
    waiting[0] -= 1
    size = waiting[0]
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
def _earlier(requests: Any, one: int, other: int) -> bool:
    a, b = requests[one].arrival, requests[other].arrival
    return bool(a < b or (a == b and one < other))
