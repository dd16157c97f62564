"""Compiled heaps: which replica wakes next, which sequence completes next, which client asks next.

`heap` holds busy replicas, `spot` where each stands in it (-1: idle), ordered by (wake, replica). `keys` are whole
numbers, smallest first. Both grow and shrink at their ends by the usual sift.
"""

from __future__ import annotations

from typing import Any

from fleettui.simulation.compiled import compiled, part


@compiled
def _earlier(replicas: Any, one: int, other: int) -> bool:
    a, b = replicas[one].wake, replicas[other].wake
    return bool((a < b) | ((a == b) & (one < other)))


@compiled
def rise(heap: Any, spot: Any, replicas: Any, at: int) -> None:
    """Move the replica at place `at`, whose wake came nearer, towards the top."""
    replica = heap[at]
    while at > 0:
        above = (at - 1) >> 1
        if not _earlier(replicas, replica, heap[above]):
            break
        heap[at] = heap[above]
        spot[heap[at]] = at
        at = above
    heap[at] = replica
    spot[replica] = at


@compiled
def sink(heap: Any, spot: Any, replicas: Any, size: int) -> None:
    """Move the top replica, whose wake went further away, down to its place among `size`."""
    replica, at = heap[0], 0
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size:
            below += int(_earlier(replicas, heap[below + 1], heap[below]))
        if not _earlier(replicas, heap[below], replica):
            break
        heap[at] = heap[below]
        spot[heap[at]] = at
        at = below
    heap[at] = replica
    spot[replica] = at


@compiled
def push_key(keys: Any, size: int, key: Any) -> None:
    """Add `key` to a heap of `size` keys."""
    at = size
    while at > 0:
        above = (at - 1) >> 1
        if keys[above] <= key:
            break
        keys[at] = keys[above]
        at = above
    keys[at] = key


@part
def _fall(keys: Any, size: int, key: Any, at: int) -> None:
    """Put `key` at place `at` of a heap of `size` keys or, where smaller ones are below, further down."""
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size:
            below += int(keys[below + 1] < keys[below])
        if keys[below] >= key:
            break
        keys[at] = keys[below]
        at = below
    keys[at] = key


@compiled
def pop_key(keys: Any, size: int) -> None:
    """Take the smallest key out of a heap of `size` keys."""
    _fall(keys, size - 1, keys[size - 1], 0)


@compiled
def remove_key(keys: Any, size: int, key: int) -> None:
    """Take `key`, which is somewhere in a heap of `size` keys, out of it."""
    at = 0
    while keys[at] != key:
        at += 1
    while at > 0:  # to the top, as if it were the smallest, and out
        above = (at - 1) >> 1
        keys[at] = keys[above]
        at = above
    pop_key(keys, size)


@compiled
def heapify(keys: Any, size: int) -> None:
    """Make `size` keys in any order a heap."""
    for first in range((size >> 1) - 1, -1, -1):
        _fall(keys, size, keys[first], first)
