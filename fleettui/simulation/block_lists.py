"""The list of a cache's free blocks in the order in which they are forgotten, and how those of a span stand there.

A node of the list has blocks that hold nothing, or those of one span that came there together: the deepest of them is
forgotten first. Free blocks of a span may stand at several places; those that come first in it came last.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fleettui.simulation.compiled import part

NODE = np.dtype(
    [
        ("blocks", "i8"),  # the replica's where they hold nothing, else of the cache's size
        ("span", "i4"),  # whose they are, -1 where they hold nothing
        ("start", "i4"),  # how many blocks of the span come before them
        ("deeper", "i4"),  # the node of those behind them, unless nothing is there behind them
        ("before", "i4"),  # nearer to the head of the list
        ("after", "i4"),  # in an unused node, the next unused one
    ],
    align=True,
)
LIST = np.dtype(
    [
        ("head", "i4"),
        ("tail", "i4"),
        ("unused", "i4"),
        ("untouched", "i4"),
        ("unused_span", "i4"),
        ("untouched_span", "i4"),
        ("most", "i8"),  # blocks of the cache's size that there are
        ("each", "i8"),  # the replica's that one of the cache's size takes
        ("room", "i8"),  # of these, in a memory beside, those in which nothing is
        ("put", "i8"),  # blocks that were put there in the present steps
    ],
    align=True,
)


@part
def use(own: Any, at: int, depth: int) -> int:
    """Let the first `depth` blocks of a span be used; return how many of them were free."""
    span, freed = own.spans[at], 0
    while span.used < depth:
        place = span.free
        node = own.nodes[place]
        taken = min(node.blocks, depth - span.used)
        node.start += taken
        node.blocks -= taken
        span.used += taken
        freed += taken
        if node.blocks == 0:
            span.free = node.deeper
            unlink(own, place)
            leave(own, place)
    return int(freed)


@part
def free(own: Any, at: int, still: int) -> int:
    """Put the blocks of a span beyond those `still` used at the tail; return how many these are."""
    span = own.spans[at]
    count = span.used - still
    if count > 0:
        place = new(own)
        node = own.nodes[place]
        node.span, node.start, node.blocks, node.deeper = at, still, count, span.free
        span.free, span.used = place, still
        append(own, place)
    return int(count)


@part
def new(own: Any) -> int:
    """Return an unused node."""
    at = own.ends[0].unused
    if at >= 0:
        own.ends[0].unused = own.nodes[at].after
    else:
        at = own.ends[0].untouched
        own.ends[0].untouched += 1
    return int(at)


@part
def leave(own: Any, at: int) -> None:
    """Return a node to the unused ones."""
    own.nodes[at].after = own.ends[0].unused
    own.ends[0].unused = at


@part
def append(own: Any, at: int) -> None:
    """Put a node at the tail of the free ones."""
    tail = own.ends[0].tail
    own.nodes[at].before, own.nodes[at].after = tail, -1
    if tail >= 0:
        own.nodes[tail].after = at
    else:
        own.ends[0].head = at
    own.ends[0].tail = at


@part
def unlink(own: Any, at: int) -> None:
    """Take a node out of the free ones; empty neighbours that meet become one."""
    before, after = own.nodes[at].before, own.nodes[at].after
    if before >= 0:
        own.nodes[before].after = after
    else:
        own.ends[0].head = after
    if after >= 0:
        own.nodes[after].before = before
    else:
        own.ends[0].tail = before
    if before >= 0 and after >= 0 and own.nodes[before].span < 0 and own.nodes[after].span < 0:
        join(own, before)


@part
def join(own: Any, at: int) -> None:
    """Let an empty free node have the blocks of the empty one behind it."""
    other = own.nodes[at].after
    own.nodes[at].blocks += own.nodes[other].blocks
    behind = own.nodes[other].after
    own.nodes[at].after = behind
    if behind >= 0:
        own.nodes[behind].before = at
    else:
        own.ends[0].tail = at
    leave(own, other)
