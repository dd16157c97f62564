"""What a replica's cache has of each run of blocks, compiled, and how many of them each request uses."""

from __future__ import annotations

from typing import Any

import numpy as np

from fleettui.simulation.compiled import part

SPAN = np.dtype(
    [
        ("run", "i4"),
        ("there", "i4"),  # leading blocks of the run that are there
        ("used", "i4"),  # of them those that some request uses, leading too
        ("whole", "i4"),  # requests that use all of the run
        ("partly", "i4"),  # one that uses a part of it, counted from 1; 0 for none
        ("free", "i4"),  # node of the free blocks that come first, where there are any; in an unused span, the next one
    ],
    align=True,
)
PREFIX = np.dtype(
    [
        ("first", "i8"),
        ("place", "i8"),
        ("known", "i4"),
        ("held", "i4"),
        ("part", "i4"),
        ("other", "i4"),
    ],
    align=True,
)
"""Of a request: the place of its first run, and of the one in which the next block that it may use stands; how many
blocks are known, how many it uses, and how many of these in that run. `other` is the next one that uses a part of that,
counted from 1."""
SPREAD = 0x9E3779B1
"""2^32 over the golden ratio: it spreads keys that follow each other over a table."""


@part
def _home(run: int, mask: int) -> int:
    """Return a run's first place in a table of mask + 1."""
    return int(((run * SPREAD) >> 7) & mask)


@part
def span_of(own: Any, run: int) -> int:
    """Return the span of a run, -1 where nothing of it is there."""
    mask = len(own.table) - 1
    place = _home(run, mask)
    while own.table[place] > 0:
        at = own.table[place] - 1
        if own.spans[at].run == run:
            return int(at)
        place = (place + 1) & mask
    return -1


@part
def keep(own: Any, run: int) -> int:
    """Return a new span of a run of which nothing is there."""
    at = own.ends[0].unused_span
    if at >= 0:
        own.ends[0].unused_span = own.spans[at].free
    else:
        at = own.ends[0].untouched_span
        own.ends[0].untouched_span += 1
    span = own.spans[at]
    span.run, span.there, span.used, span.whole, span.partly, span.free = run, 0, 0, 0, 0, -1
    mask = len(own.table) - 1
    place = _home(run, mask)
    while own.table[place] > 0:
        place = (place + 1) & mask
    own.table[place] = at + 1
    return int(at)


@part
def forget(own: Any, at: int) -> None:
    """Take a span out of the table; what stands behind it moves up to where it is found."""
    mask = len(own.table) - 1
    hole = _home(own.spans[at].run, mask)
    while own.table[hole] != at + 1:
        hole = (hole + 1) & mask
    place = hole
    while True:
        place = (place + 1) & mask
        if own.table[place] == 0:
            break
        home = _home(own.spans[own.table[place] - 1].run, mask)
        if ((place - home) & mask) >= ((place - hole) & mask):
            own.table[hole] = own.table[place]
            hole = place
    own.table[hole] = 0
    own.spans[at].free = own.ends[0].unused_span
    own.ends[0].unused_span = at


@part
def let_use(own: Any, at: int, index: int, depth: int, length: int) -> None:
    """Let a request use the first `depth` blocks of a run of so many, in which its next block stood."""
    prefix, span = own.prefixes[index], own.spans[at]
    if depth == length:
        if prefix.part > 0:
            leave_part(own, at, index)
        span.whole += 1
        prefix.place += 1
        prefix.part = 0
    else:
        if prefix.part == 0:
            prefix.other = span.partly
            span.partly = index + 1
        prefix.part = depth


@part
def leave_part(own: Any, at: int, index: int) -> None:
    """Take a request off those that use a part of a span."""
    span, other = own.spans[at], own.prefixes[index].other
    if span.partly == index + 1:
        span.partly = other
        return
    one = span.partly
    while own.prefixes[one - 1].other != index + 1:
        one = own.prefixes[one - 1].other
    own.prefixes[one - 1].other = other


@part
def still_used(own: Any, at: int, place: int) -> int:
    """Return how many leading blocks of a span, of the run at a `place`, requests use."""
    span = own.spans[at]
    if span.whole > 0:
        return int(own.lengths[own.runs[place]])
    most, one = 0, span.partly
    while one > 0:
        most = max(most, own.prefixes[one - 1].part)
        one = own.prefixes[one - 1].other
    return int(most)
