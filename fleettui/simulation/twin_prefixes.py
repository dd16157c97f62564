"""The prefix cache of one replica in plain Python: what the compiled one is held to."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Protocol

from fleettui.simulation.layout import Engine
from fleettui.simulation.prefixes import Prefixes


class Cached(Protocol):
    """What the cache has to know of a request: the twin's."""

    index: int
    prompt: int
    cached: int
    computed: int
    beyond: int
    admitted: float

    @property
    def target(self) -> int:
        """Tokens that must be there before it decodes."""


class NoPrefixes:
    """A replica that keeps no prefixes: blocks are counted by what runs, and what is cached is given."""

    free: int | None = None

    def tokens_found(self, request: Cached) -> int:
        """Return what the request came with."""
        return request.cached

    def shared(self, request: Cached) -> int:  # noqa: ARG002
        """Return the blocks that others use too."""
        return 0

    def hold(self, request: Cached) -> int:  # noqa: ARG002
        """Return the blocks that are fetched: nothing is kept."""
        return 0

    def take(self, blocks: int) -> None:
        """Nothing is dropped."""

    def note(self, request: Cached) -> None:
        """Nothing can be hit."""

    def give_back(self, request: Cached) -> None:
        """Nothing stays."""


@dataclass(slots=True)
class FreeBlocks:
    """Blocks of a replica that nobody uses, with the hash of what they hold."""

    key: int | None
    blocks: int


@dataclass(slots=True)
class PrefixTwin:
    """The free blocks of a replica from the first that is taken on, and the hashes in use, each with its users.

    `far` are the hashes of the blocks that were dropped and are in the memory beside, at most `room` of them, the first
    to be forgotten first; where it `fetches`, they come back. `asked`, `queried` and `found` are prompt tokens, full
    blocks of them, and those of these that were there; `fetched` and `recomputed` are tokens that were far.
    """

    prefixes: Prefixes
    listed: list[FreeBlocks]
    block: int
    room: int = 0
    fetches: bool = False
    far: list[int] = field(default_factory=list)
    users: dict[int, int] = field(default_factory=dict)
    held: dict[int, list[int]] = field(default_factory=dict)
    asked: int = 0
    queried: int = 0
    found: int = 0
    fetched: int = 0
    recomputed: int = 0
    put: int = 0

    @property
    def free(self) -> int:
        """Blocks that nobody uses."""
        return sum(one.blocks for one in self.listed)

    @property
    def each(self) -> int:
        """Blocks of the replica that have one hash."""
        return self.prefixes.size // self.block

    def keys(self, request: Cached) -> list[int]:
        """Return the numbers of a request's full blocks."""
        return self.prefixes.blocks(request.index)

    def hits(self, request: Cached) -> list[int]:
        """Return the leading hashes that are there, without the last if they are all that it needs."""
        there = set(self.users) | {one.key for one in self.listed}
        found: list[int] = []
        for key in self.keys(request)[: (request.target - 1) // self.prefixes.size]:
            if key not in there:
                break
            found.append(key)
        return found

    def far_hits(self, request: Cached) -> list[int]:
        """Return the hashes behind those that are far, again without the last if all were there."""
        found: list[int] = []
        for key in self.keys(request)[len(self.hits(request)) : (request.target - 1) // self.prefixes.size]:
            if key not in self.far:
                break
            found.append(key)
        return found

    def tokens_found(self, request: Cached) -> int:
        """Return the leading tokens that are there or are fetched."""
        fetched = len(self.far_hits(request)) if self.fetches else 0
        return (len(self.hits(request)) + fetched) * self.prefixes.size

    def shared(self, request: Cached) -> int:
        """Return the blocks of the replica that are found and that others use."""
        return sum(self.each for key in self.hits(request) if key in self.users)

    def hold(self, request: Cached) -> int:
        """Let a request use what is found of it, which counts the first time; return the blocks that are fetched."""
        found, far = self.hits(request), self.far_hits(request)
        fetched = far if self.fetches else []
        for key in found:
            self.listed = [one for one in self.listed if one.key != key]
            self.users[key] = self.users.get(key, 0) + 1
        for key in fetched:
            self.far.remove(key)
            self.users[key] = 1
        self.take(len(fetched) * self.each)
        self.held[request.index] = found + fetched
        if math.isnan(request.admitted):
            self.asked += request.prompt
            self.queried += min(len(self.keys(request)), request.prompt // self.prefixes.size)
            self.found += len(found) + len(fetched)
            self.fetched += len(fetched) * self.prefixes.size
            self.recomputed += (len(far) - len(fetched)) * self.prefixes.size
        return len(fetched) * self.each

    def take(self, blocks: int) -> None:
        """Take the first of the free blocks; what they hold is dropped, and far from then on where there is room."""
        for _ in range(blocks):
            first = self.listed[0]
            if first.key is not None and self.room:
                self.put += self.fetches
                self.far.append(first.key)
                self.far = self.far[-self.room :]
            first.key = None
            first.blocks -= 1
            if not first.blocks:
                self.listed.pop(0)

    def note(self, request: Cached) -> None:
        """Let what a request has filled be hit, up to the first that is there already."""
        held, keys = self.held[request.index], self.keys(request)
        for key in keys[len(held) : request.computed // self.prefixes.size]:
            if key in self.users or any(one.key == key for one in self.listed):
                return
            held.append(key)
            self.users[key] = 1
            self.far = [one for one in self.far if one != key]

    def give_back(self, request: Cached) -> None:
        """Free all that a request has, the last first."""
        self.note(request)
        held = self.held.pop(request.index)
        own = -(-(request.computed + request.beyond) // self.block) - len(held) * self.each
        if own:
            self.listed.append(FreeBlocks(None, own))
        for key in reversed(held):
            self.users[key] -= 1
            if not self.users[key]:
                del self.users[key]
                self.listed.append(FreeBlocks(key, self.each))


def cache_of(prefixes: Prefixes | None, engine: Engine) -> PrefixTwin | NoPrefixes:
    """Return the empty cache of one of an engine's replicas, which keeps nothing where prefixes are not known."""
    if prefixes is None:
        return NoPrefixes()
    room = engine.far * engine.block // prefixes.size
    return PrefixTwin(prefixes, [FreeBlocks(None, engine.blocks)], engine.block, room, engine.fetches)
