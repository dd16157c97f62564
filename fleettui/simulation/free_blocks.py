"""The free blocks of a replica's prefix cache in the order in which they are taken, compiled.

A node of the list has blocks that hold nothing, or those of one span that came there together: the deepest of them is
taken first. Free blocks of a span may stand at several places; those that come first in it came last.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fleettui.simulation import spans
from fleettui.simulation.compiled import inlined, part

NODE = np.dtype(
    [
        ("blocks", "i8"),  # of 16 tokens where they hold nothing, else of the cache's size
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
            _unlink(own, place)
            _leave(own, place)
    return int(freed)


@part
def free(own: Any, at: int, still: int) -> int:
    """Put the blocks of a span beyond those `still` used at the tail; return how many these are."""
    span = own.spans[at]
    count = span.used - still
    if count > 0:
        place = _new(own)
        node = own.nodes[place]
        node.span, node.start, node.blocks, node.deeper = at, still, count, span.free
        span.free, span.used = place, still
        _append(own, place)
    return int(count)


@part
def take(own: Any, blocks: int) -> None:
    """Take blocks of 16 tokens from the head of the free ones, and forget what they held."""
    while blocks > 0:
        at = own.ends[0].head
        node = own.nodes[at]
        if node.span >= 0:
            _forget_some(own, at, blocks)
            continue
        taken = min(blocks, node.blocks)
        node.blocks -= taken
        blocks -= taken
        if node.blocks == 0:
            _unlink(own, at)
            _leave(own, at)


@part
def _forget_some(own: Any, at: int, blocks: int) -> None:
    """Let so many of the blocks of the node at the head hold nothing, at most all that it has."""
    node, each = own.nodes[at], own.size >> 4
    span = own.spans[node.span]
    count = min((blocks + each - 1) // each, node.blocks)
    node.blocks -= count
    span.there -= count
    if node.blocks > 0:
        place = _new(own)
        own.nodes[place].span, own.nodes[place].blocks = -1, count * each
        own.nodes[place].before, own.nodes[place].after = -1, at
        node.before = place
        own.ends[0].head = place
        return
    if span.there == 0:
        spans.forget(own, node.span)
    node.span, node.blocks = -1, count * each
    if node.after >= 0 and own.nodes[node.after].span < 0:
        _join(own, at)


@part
def free_empty(own: Any, blocks: int) -> None:
    """Put blocks of 16 tokens that hold nothing to be hit at the tail of the free ones."""
    tail = own.ends[0].tail
    if tail >= 0 and own.nodes[tail].span < 0:
        own.nodes[tail].blocks += blocks
        return
    at = _new(own)
    own.nodes[at].span, own.nodes[at].blocks = -1, blocks
    _append(own, at)


@inlined
def _new(own: Any) -> int:
    """Return an unused node."""
    at = own.ends[0].unused
    if at >= 0:
        own.ends[0].unused = own.nodes[at].after
    else:
        at = own.ends[0].untouched
        own.ends[0].untouched += 1
    return int(at)


@inlined
def _leave(own: Any, at: int) -> None:
    """Return a node to the unused ones."""
    own.nodes[at].after = own.ends[0].unused
    own.ends[0].unused = at


@inlined
def _append(own: Any, at: int) -> None:
    """Put a node at the tail of the free ones."""
    tail = own.ends[0].tail
    own.nodes[at].before, own.nodes[at].after = tail, -1
    if tail >= 0:
        own.nodes[tail].after = at
    else:
        own.ends[0].head = at
    own.ends[0].tail = at


@part
def _unlink(own: Any, at: int) -> None:
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
        _join(own, before)


@part
def _join(own: Any, at: int) -> None:
    """Let an empty free node have the blocks of the empty one behind it."""
    other = own.nodes[at].after
    own.nodes[at].blocks += own.nodes[other].blocks
    behind = own.nodes[other].after
    own.nodes[at].after = behind
    if behind >= 0:
        own.nodes[behind].before = at
    else:
        own.ends[0].tail = at
    _leave(own, other)
