"""The prefix cache of each replica, compiled: which blocks of prompts it holds, who uses them, what it drops first.

A prompt is known by its full blocks, in runs that have no other way through them (prefixes.py). Of a run a replica has
the first blocks, and of these the first are in use. What nobody uses is free and still there: it stands in the list of
free blocks, of which the head is taken first and thereby forgotten; what a request gives back joins at the tail, its
last block first. So free blocks of a run that follow each other there are one node, taken from its end. A block can be
hit as soon as it is computed. A second copy of a block that is there already, and what comes behind it, is its
request's own and is not kept: so is the block of a prompt that was found whole, computed again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fleettui.simulation import block_lists, far_blocks, free_blocks, spans
from fleettui.simulation.block_lists import LIST, NODE
from fleettui.simulation.compiled import called, part
from fleettui.simulation.far_blocks import Far, far_of
from fleettui.simulation.prefixes import Prefixes
from fleettui.simulation.spans import PREFIX, SPAN


class Cache(NamedTuple):
    """The prefix caches of a run, a row of `spans`, `nodes`, `table` and `lists` per replica, a `prefix` per request.

    Blocks have `size` tokens. `runs` and `lengths` are those of Prefixes. A span is what a replica has of a run; the
    table finds it, and holds spans counted from 1. `places` has the span of each of the `runs` where a request that was
    looked up found it, and that it then uses: two that share runs there, rounds of one session, never come at once.
    `far` are the memories beside, for what is dropped.
    """

    size: int
    prefixes: Any
    runs: NDArray[np.int32]
    lengths: NDArray[np.int32]
    places: NDArray[np.int32]
    spans: Any
    nodes: Any
    table: NDArray[np.int32]
    lists: Any
    far: Any

    @classmethod
    def of(cls, prefixes: Prefixes, blocks: list[int], size: list[int], far: list[int] | None = None) -> Cache:
        """Return empty caches for replicas with so many `blocks` of a `size` in tokens, and `far` of them beside."""
        assert all(prefixes.size % one == 0 for one in size), f"blocks of {prefixes.size} tokens in blocks of {size}"
        each = [prefixes.size // one for one in size]
        whole = [count // one for count, one in zip(blocks, each, strict=True)]
        capacity = max(whole, default=0)
        most = min(int(prefixes.lengths.sum(dtype=np.int64)), capacity)
        runs = min(len(prefixes.lengths), most)
        own = np.zeros(len(prefixes.known), PREFIX)
        own["first"], own["known"], own["place"] = prefixes.offsets, prefixes.known, prefixes.offsets
        nodes = np.zeros((len(blocks), 2 * most + 4), NODE)
        nodes["span"][:, 0], nodes["blocks"][:, 0] = -1, blocks
        nodes["before"][:, 0] = nodes["after"][:, 0] = -1
        lists = np.zeros(len(blocks), LIST)
        lists["unused"], lists["untouched"], lists["unused_span"] = -1, 1, -1
        lists["most"], lists["each"] = whole, each
        return cls(
            size=prefixes.size,
            prefixes=own,
            runs=prefixes.runs,
            lengths=prefixes.lengths,
            places=np.zeros(len(prefixes.runs), np.int32),
            spans=np.zeros((len(blocks), runs + 1), SPAN),
            nodes=nodes,
            table=np.zeros((len(blocks), 1 << max(2 * runs, 1).bit_length()), np.int32),
            lists=lists,
            far=Far.of(prefixes, [count // one for count, one in zip(far or [0] * len(blocks), each, strict=True)]),
        )


class Own(NamedTuple):
    """One replica's row of the caches, `ends` with one entry."""

    size: int
    prefixes: Any
    runs: NDArray[np.int32]
    lengths: NDArray[np.int32]
    places: NDArray[np.int32]
    spans: Any
    nodes: Any
    table: NDArray[np.int32]
    ends: Any
    far: Any


@part
def own_of(cache: Any, index: int) -> Any:
    """Return replica `index`'s own, None where there is no cache, for which the caller is compiled."""
    if cache is None:
        return None
    return Own(
        cache.size,
        cache.prefixes,
        cache.runs,
        cache.lengths,
        cache.places,
        cache.spans[index],
        cache.nodes[index],
        cache.table[index],
        cache.lists[index : index + 1],
        far_of(cache.far, index),
    )


@part
def found(own: Any, index: int, tokens: int) -> int:
    """Return how many leading blocks of request `index` are there, one fewer if those are all its `tokens`."""
    place, count = own.prefixes[index].first, 0
    most = min(own.prefixes[index].known, (tokens - 1) // own.size)
    while count < most:
        run = own.runs[place]
        at = spans.span_of(own, run)
        if at < 0:
            break
        own.places[place] = at
        there = own.spans[at].there
        count += there
        if there < own.lengths[run]:
            break
        place += 1
    return int(min(count, most))


@part
def in_use(own: Any, index: int, count: int) -> int:
    """Return the replica's blocks among a request's first `count`, which were found, that somebody uses."""
    place, used, left = own.prefixes[index].first, 0, count
    while left > 0:
        used += min(own.spans[own.places[place]].used, left)
        left -= own.lengths[own.runs[place]]
        place += 1
    return int(used * own.ends[0].each)


@part
def hold(own: Any, index: int, count: int) -> int:
    """Let a request use its first `count` blocks, which were found; return the replica's blocks that were free."""
    prefix, freed, left = own.prefixes[index], 0, count
    prefix.place, prefix.part, prefix.held = prefix.first, 0, count
    while left > 0:
        at, length = own.places[prefix.place], own.lengths[own.runs[prefix.place]]
        depth = min(length, left)
        freed += block_lists.use(own, at, depth)
        spans.let_use(own, at, index, depth, length)
        left -= depth
    return int(freed * own.ends[0].each)


@part
def note(own: Any, index: int, computed: int) -> None:
    """Let the blocks that a request has filled with `computed` tokens be hit, up to the first that is there already."""
    prefix = own.prefixes[index]
    full = min(prefix.known, computed // own.size)
    while prefix.held < full:
        run = own.runs[prefix.place]
        if prefix.part == 0:
            if spans.span_of(own, run) >= 0:
                return
            own.places[prefix.place] = spans.keep(own, run)
        at = own.places[prefix.place]
        if own.spans[at].there > prefix.part:
            return
        depth = min(own.lengths[run], prefix.part + full - prefix.held)
        prefix.held += depth - prefix.part
        own.spans[at].there = own.spans[at].used = depth
        far_blocks.give_up(own.far, run, depth)
        spans.let_use(own, at, index, depth, own.lengths[run])


@called
def give_back(own: Any, index: int, cached: int, blocks: int) -> int:
    """Free all of a request's so many `blocks` of the replica, which hold `cached` tokens and more, the last first.

    Returns how many are free now.
    """
    note(own, index, cached)
    prefix = own.prefixes[index]
    each = own.ends[0].each
    private = blocks - prefix.held * each
    freed = private
    if private > 0:
        free_blocks.free_empty(own, private)
    if prefix.part > 0:
        at = own.places[prefix.place]
        spans.leave_part(own, at, index)
        freed += each * block_lists.free(own, at, spans.still_used(own, at, prefix.place))
    while prefix.place > prefix.first:
        prefix.place -= 1
        at = own.places[prefix.place]
        own.spans[at].whole -= 1
        freed += each * block_lists.free(own, at, spans.still_used(own, at, prefix.place))
    prefix.held = prefix.part = 0
    return int(freed)
