"""What a router remembers of what it sent where: of each replica the blocks of prompts, the latest of so many tokens.

It is a cache in which nobody uses anything: what is sent joins the list's tail, and its head is forgotten. The router
knows what it sent, and not what the replica keeps.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fleettui.simulation import block_lists, free_blocks, spans
from fleettui.simulation.compiled import part
from fleettui.simulation.prefix_cache import Cache, found, own_of
from fleettui.simulation.prefixes import Prefixes


def index_of(prefixes: Prefixes, tokens: Sequence[int]) -> Cache:
    """Return the empty index of a router that remembers so many tokens of each replica."""
    return Cache.of(prefixes, [most // prefixes.size for most in tokens], [prefixes.size] * len(tokens))


@part
def recall(index: Any, seen: Any, pool: Any, request: int, prompt: int) -> None:
    """Let a router that remembers see of each replica how many tokens of a request it sent there."""
    if index is not None and pool.remembers:
        _recall(index, seen, pool, request, prompt)


@part
def remember(index: Any, pool: Any, chosen: int, request: int, prompt: int) -> None:
    """Let a router that remembers note the full blocks of a prompt that it sends."""
    if index is not None and pool.remembers:
        _remember(own_of(index, chosen), request, prompt)


@part
def _recall(index: Any, seen: Any, pool: Any, request: int, prompt: int) -> None:
    for place in range(pool.start, pool.start + pool.replicas):
        seen[place].sent = found(own_of(index, place), request, prompt + 1) * index.size


@part
def _remember(own: Any, request: int, prompt: int) -> None:
    """Put a prompt's blocks at the tail, the last first; for each that is new one at the head is forgotten."""
    place = own.prefixes[request].first
    full = min(own.prefixes[request].known, prompt // own.size, own.ends[0].most)
    left, new = full, full
    while left > 0:
        run = own.runs[place]
        at = own.places[place] = spans.span_of(own, run)
        if at >= 0:
            new -= block_lists.use(own, at, min(own.spans[at].there, left))
        left -= own.lengths[run]
        place += 1
    free_blocks.take(own, new)
    while place > own.prefixes[request].first:
        place -= 1
        at, depth = own.places[place], own.lengths[own.runs[place]] + min(left, 0)
        left = max(left, 0)
        if at < 0:
            at = spans.keep(own, own.runs[place])
        own.spans[at].used = depth
        own.spans[at].there = max(own.spans[at].there, depth)
        block_lists.free(own, at, 0)


@dataclass(slots=True)
class IndexTwin:
    """The same in plain Python: blocks of one replica, those sent longest ago first."""

    prefixes: Prefixes
    most: int
    blocks: OrderedDict[int, None] = field(default_factory=OrderedDict)

    @classmethod
    def of(cls, prefixes: Prefixes, tokens: int) -> IndexTwin:
        """Return the empty index of a router that remembers so many tokens of a replica."""
        return cls(prefixes, tokens // prefixes.size)

    def sent(self, request: int, prompt: int) -> int:
        """Return how many leading tokens of a prompt were sent there."""
        count = 0
        for key in self.keys(request, prompt):
            if key not in self.blocks:
                break
            count += 1
        return count * self.prefixes.size

    def remember(self, request: int, prompt: int) -> None:
        """Note a prompt that is sent."""
        for key in reversed(self.keys(request, prompt)):
            self.blocks.pop(key, None)
            if len(self.blocks) == self.most:
                self.blocks.popitem(last=False)
            self.blocks[key] = None

    def keys(self, request: int, prompt: int) -> list[int]:
        """Return the numbers of a prompt's full blocks."""
        return self.prefixes.blocks(request)[: prompt // self.prefixes.size]
