"""The prefix cache of each replica, compiled: which blocks of prompts it holds, who uses them, what it drops first.

A prompt is known by the hashes of its full blocks. What nobody uses is free and still there: it stands in the list of
free blocks, of which the head is taken first and thereby forgotten; what a request gives back joins at the tail, its
last block first. A block can be hit as soon as it is computed. A second copy of a block that is there already, and what
comes behind it, is its request's own and is not kept: so is the block of a prompt that was found whole, computed again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.fleet import BLOCK_SIZE
from fleettui.simulation.compiled import inlined, part
from fleettui.simulation.prefixes import Prefixes

NODE = np.dtype(
    [
        ("blocks", "i8"),  # of 16 tokens
        ("key", "i4"),  # hash of what they hold, -1 for nothing that can be hit
        ("users", "i4"),  # requests that use them; 0 in the list of free ones
        ("before", "i4"),  # nearer to the head of that list
        ("after", "i4"),  # in an unused node, the next unused one
    ],
    align=True,
)
LIST = np.dtype([("head", "i4"), ("tail", "i4"), ("unused", "i4"), ("untouched", "i4")])
PREFIX = np.dtype([("first", "i8"), ("known", "i4"), ("held", "i4")])
"""Of a request: the place of its hashes, how many there are, and how many of these blocks it uses."""
SPREAD = 0x9E3779B1
"""2^32 over the golden ratio: it spreads keys that follow each other over a table."""


class Cache(NamedTuple):
    """The prefix caches of a run, a row of `nodes`, `table` and `lists` per replica, `prefixes` one per request.

    A hash stands for a block of `size` tokens. The table finds its node; it holds nodes counted from 1. `places` has
    the node of each of the `hashes` where a request that was looked up found it, and that it then uses: two that share
    hashes, rounds of one session, are never there at once.
    """

    size: int
    prefixes: Any
    hashes: NDArray[np.int32]
    places: NDArray[np.int32]
    nodes: Any
    table: NDArray[np.int32]
    lists: Any

    @classmethod
    def of(cls, prefixes: Prefixes, blocks: list[int]) -> Cache:
        """Return empty caches for replicas with so many `blocks` of 16 tokens each."""
        each = prefixes.size // BLOCK_SIZE
        distinct = int(prefixes.hashes.max(initial=-1)) + 1
        most = min(distinct, max(blocks, default=0) // each)
        own = np.zeros(len(prefixes.known), PREFIX)
        own["first"], own["known"] = prefixes.offsets, prefixes.known
        nodes = np.zeros((len(blocks), 2 * most + 3), NODE)
        lists = np.zeros(len(blocks), LIST)
        nodes["key"][:, 0], nodes["blocks"][:, 0] = -1, blocks
        nodes["before"][:, 0] = nodes["after"][:, 0] = -1
        lists["unused"], lists["untouched"] = -1, 1
        return cls(
            size=prefixes.size,
            prefixes=own,
            hashes=prefixes.hashes,
            places=np.zeros(len(prefixes.hashes), np.int32),
            nodes=nodes,
            table=np.zeros((len(blocks), 1 << max(2 * most, 1).bit_length()), np.int32),
            lists=lists,
        )


class Own(NamedTuple):
    """One replica's row of the caches, `ends` with one entry."""

    size: int
    prefixes: Any
    hashes: NDArray[np.int32]
    places: NDArray[np.int32]
    nodes: Any
    table: NDArray[np.int32]
    ends: Any


@inlined
def own_of(cache: Any, index: int) -> Any:
    """Return replica `index`'s own, None where there is no cache, for which the caller is compiled."""
    if cache is None:
        return None
    return Own(
        cache.size,
        cache.prefixes,
        cache.hashes,
        cache.places,
        cache.nodes[index],
        cache.table[index],
        cache.lists[index : index + 1],
    )


@inlined
def _home(key: int, mask: int) -> int:
    """Return a key's first place in a table of mask + 1."""
    return int(((key * SPREAD) >> 7) & mask)


@inlined
def node_of(own: Any, key: int) -> int:
    """Return the node of a key, -1 where it is not there."""
    mask = len(own.table) - 1
    place = _home(key, mask)
    while own.table[place] > 0:
        at = own.table[place] - 1
        if own.nodes[at].key == key:
            return int(at)
        place = (place + 1) & mask
    return -1


@part
def found(own: Any, index: int, tokens: int) -> int:
    """Return how many leading blocks of request `index` are there, one fewer if those are all its `tokens`."""
    first, count = own.prefixes[index].first, 0
    most = min(own.prefixes[index].known, (tokens - 1) // own.size)
    while count < most:
        at = node_of(own, own.hashes[first + count])
        if at < 0:
            break
        own.places[first + count] = at
        count += 1
    return count


@part
def in_use(own: Any, index: int, count: int) -> int:
    """Return the blocks of 16 tokens among a request's first `count`, which were found, that somebody uses."""
    first, used = own.prefixes[index].first, 0
    for place in range(first, first + count):
        used += int(own.nodes[own.places[place]].users > 0)
    return int(used * (own.size >> 4))


@part
def hold(own: Any, index: int, count: int) -> int:
    """Let a request use its first `count` blocks, which were found; return the blocks of 16 tokens that were free."""
    first, freed = own.prefixes[index].first, 0
    for place in range(first, first + count):
        at = own.places[place]
        if own.nodes[at].users == 0:
            unlink(own, at)
            freed += 1
        own.nodes[at].users += 1
    own.prefixes[index].held = count
    return int(freed * (own.size >> 4))


@part
def note(own: Any, index: int, computed: int) -> None:
    """Let the blocks that a request has filled with `computed` tokens be hit, up to the first that is there already."""
    first = own.prefixes[index].first
    full = min(own.prefixes[index].known, computed // own.size)
    while own.prefixes[index].held < full:
        key = own.hashes[first + own.prefixes[index].held]
        if node_of(own, key) >= 0:
            return
        at = keep(own, key)
        own.nodes[at].users = 1
        own.places[first + own.prefixes[index].held] = at
        own.prefixes[index].held += 1


@part
def take(own: Any, blocks: int) -> None:
    """Take blocks of 16 tokens from the head of the free ones, and forget what they held."""
    while blocks > 0:
        at = own.ends[0].head
        node = own.nodes[at]
        if node.key >= 0:
            _forget(own, at)
        taken = min(blocks, node.blocks)
        node.blocks -= taken
        blocks -= taken
        if node.blocks == 0:
            unlink(own, at)
            _leave(own, at)
        elif node.after >= 0 and own.nodes[node.after].key < 0:
            _join(own, at)


@part
def give_back(own: Any, index: int, cached: int, beyond: int) -> int:
    """Free all blocks of a request with `cached` tokens and so many `beyond`, the last first.

    Returns how many of 16 tokens are free now.
    """
    note(own, index, cached)
    each, count, first = own.size >> 4, own.prefixes[index].held, own.prefixes[index].first
    private = ((cached + beyond + 15) >> 4) - count * each
    freed = private
    if private > 0:
        _free_empty(own, private)
    for place in range(first + count - 1, first - 1, -1):
        at = own.places[place]
        own.nodes[at].users -= 1
        if own.nodes[at].users == 0:
            append(own, at)
            freed += each
    own.prefixes[index].held = 0
    return int(freed)


@part
def _free_empty(own: Any, blocks: int) -> None:
    """Put blocks that hold nothing to be hit at the tail of the free ones."""
    tail = own.ends[0].tail
    if tail >= 0 and own.nodes[tail].key < 0:
        own.nodes[tail].blocks += blocks
        return
    at = _new(own)
    own.nodes[at].key, own.nodes[at].blocks = -1, blocks
    append(own, at)


@part
def keep(own: Any, key: int) -> int:
    """Return a new node for a key that is not there."""
    at = _new(own)
    own.nodes[at].key, own.nodes[at].blocks = key, own.size >> 4
    mask = len(own.table) - 1
    place = _home(key, mask)
    while own.table[place] > 0:
        place = (place + 1) & mask
    own.table[place] = at + 1
    return int(at)


@part
def _forget(own: Any, at: int) -> None:
    """Take a node's key out of the table; what stands behind it moves up to where it is found."""
    mask = len(own.table) - 1
    hole = _home(own.nodes[at].key, mask)
    while own.table[hole] != at + 1:
        hole = (hole + 1) & mask
    place = hole
    while True:
        place = (place + 1) & mask
        if own.table[place] == 0:
            break
        home = _home(own.nodes[own.table[place] - 1].key, mask)
        if ((place - home) & mask) >= ((place - hole) & mask):
            own.table[hole] = own.table[place]
            hole = place
    own.table[hole] = 0
    own.nodes[at].key = -1


@part
def _new(own: Any) -> int:
    """Return an unused node, which nobody uses yet."""
    at = own.ends[0].unused
    if at >= 0:
        own.ends[0].unused = own.nodes[at].after
    else:
        at = own.ends[0].untouched
        own.ends[0].untouched += 1
    own.nodes[at].users = 0
    return int(at)


@part
def _leave(own: Any, at: int) -> None:
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
    if before >= 0 and after >= 0 and own.nodes[before].key < 0 and own.nodes[after].key < 0:
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
