"""What a replica's prefix cache dropped, in a memory beside its GPUs, compiled: the host's, or a remote one.

A block is on the GPUs or there, not in both: the memory takes what is dropped, gives up what is fetched or computed
anew, and forgets what came first when it is full. So of a run it has blocks that follow on those on the GPUs, and what
both have together is what one cache of the size of both would have. In a span here `used` are the blocks before those
that are here.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fleettui.simulation import block_lists, spans
from fleettui.simulation.block_lists import LIST, NODE
from fleettui.simulation.compiled import called, part
from fleettui.simulation.prefixes import Prefixes
from fleettui.simulation.spans import SPAN


class Far(NamedTuple):
    """The memories of a run, a row of each per replica; or one replica's row of them, `ends` with one entry."""

    spans: Any
    nodes: Any
    table: NDArray[np.int32]
    ends: Any

    @classmethod
    def of(cls, prefixes: Prefixes, blocks: list[int]) -> Self:
        """Return empty memories of so many `blocks` of the prefixes' size each, none where that is 0."""
        most = min(int(prefixes.lengths.sum(dtype=np.int64)), max(blocks, default=0))
        runs = min(len(prefixes.lengths), most)
        lists = np.zeros(len(blocks), LIST)
        for name in ("head", "tail", "unused", "unused_span"):
            lists[name] = -1
        lists["most"] = lists["room"] = blocks
        return cls(
            spans=np.zeros((len(blocks), runs + 1), SPAN),
            nodes=np.zeros((len(blocks), most + 1), NODE),
            table=np.zeros((len(blocks), 1 << max(2 * runs, 1).bit_length()), np.int32),
            ends=lists,
        )


@part
def far_of(far: Any, index: int) -> Any:
    """Return replica `index`'s own."""
    return Far(far.spans[index], far.nodes[index], far.table[index], far.ends[index : index + 1])


@part
def put(far: Any, run: int, start: int, count: int) -> None:
    """Take so many blocks of a run, those behind its first `start`, if there is such a memory."""
    if far.ends[0].most > 0:
        _put(far, run, start, count)


@called
def _put(far: Any, run: int, start: int, count: int) -> None:
    at = spans.span_of(far, run)
    if at < 0:
        at = spans.keep(far, run)
        far.spans[at].there = far.spans[at].used = start + count
    far.ends[0].room -= block_lists.free(far, at, start)
    far.ends[0].put += count
    while far.ends[0].room < 0:
        _forget_some(far)


@part
def _forget_some(far: Any) -> None:
    """Forget as many blocks of the node at the head as there is no room for, at most all that it has."""
    at = far.ends[0].head
    node = far.nodes[at]
    span = far.spans[node.span]
    count = min(-far.ends[0].room, node.blocks)
    node.blocks -= count
    span.there -= count
    far.ends[0].room += count
    if node.blocks == 0:
        if span.there == span.used:
            spans.forget(far, node.span)
        block_lists.unlink(far, at)
        block_lists.leave(far, at)


@part
def give_up(far: Any, run: int, depth: int) -> None:
    """Give up what is here of the first `depth` blocks of a run, which are on the GPUs from now on."""
    if far.ends[0].most > 0:
        _give_up(far, run, depth)


@called
def _give_up(far: Any, run: int, depth: int) -> None:
    at = spans.span_of(far, run)
    if at >= 0:
        span = far.spans[at]
        far.ends[0].room += block_lists.use(far, at, min(depth, span.there))
        if span.used == span.there:
            spans.forget(far, at)


@part
def found(own: Any, index: int, near: int, tokens: int) -> int:
    """Return how many blocks of a request are here that follow on its first `near`, those on the GPUs.

    One fewer are if with them all its `tokens` would be there.
    """
    most = min(own.prefixes[index].known, (tokens - 1) // own.size)
    if own.far.ends[0].most == 0 or near >= most:
        return 0
    place, depth = _place_of(own, index, near)
    count = near
    while count < most:
        run = own.runs[place]
        at = spans.span_of(own.far, run)
        if at < 0 or own.far.spans[at].used != depth:
            break
        there = own.far.spans[at].there
        count += there - depth
        if there < own.lengths[run]:
            break
        place += 1
        depth = 0
    return int(min(count, most) - near)


@part
def _place_of(own: Any, index: int, count: int) -> tuple[int, int]:
    """Return at which place of a request's runs its block behind so many stands, and how many are before it there."""
    place = own.prefixes[index].first
    while own.lengths[own.runs[place]] <= count:
        count -= own.lengths[own.runs[place]]
        place += 1
    return place, count


@called
def fetch(own: Any, index: int, near: int, count: int) -> None:
    """Give up so many blocks of a request behind its first `near`, which were found here."""
    place, depth = _place_of(own, index, near)
    while count > 0:
        run = own.runs[place]
        most = min(own.lengths[run], depth + count)
        _give_up(own.far, run, most)
        count -= most - depth
        place += 1
        depth = 0
