"""The prefix cache of one replica in plain Python: what the compiled one is held to."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Protocol

from fleettui.domain.fleet import BLOCK_SIZE
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

    def hold(self, request: Cached) -> None:
        """Nothing is kept."""

    def take(self, blocks: int) -> None:
        """Nothing is dropped."""

    def note(self, request: Cached) -> None:
        """Nothing can be hit."""

    def give_back(self, request: Cached) -> None:
        """Nothing stays."""


@dataclass(slots=True)
class FreeBlocks:
    """Blocks of 16 tokens that nobody uses, with the hash of what they hold."""

    key: int | None
    blocks: int


@dataclass(slots=True)
class PrefixTwin:
    """The free blocks of a replica from the first that is taken on, and the hashes in use, each with its users.

    `asked`, `queried` and `found` are prompt tokens, full blocks of them, and those of these that were there.
    """

    prefixes: Prefixes
    listed: list[FreeBlocks]
    users: dict[int, int] = field(default_factory=dict)
    held: dict[int, list[int]] = field(default_factory=dict)
    asked: int = 0
    queried: int = 0
    found: int = 0

    @property
    def free(self) -> int:
        """Blocks that nobody uses."""
        return sum(one.blocks for one in self.listed)

    @property
    def each(self) -> int:
        """Blocks of 16 tokens that have one hash."""
        return self.prefixes.size // BLOCK_SIZE

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

    def tokens_found(self, request: Cached) -> int:
        """Return the leading tokens that are there."""
        return len(self.hits(request)) * self.prefixes.size

    def shared(self, request: Cached) -> int:
        """Return the blocks of 16 tokens that are found and that others use."""
        return sum(self.each for key in self.hits(request) if key in self.users)

    def hold(self, request: Cached) -> None:
        """Let a request use what is found of it; it counts the first time."""
        found = self.hits(request)
        for key in found:
            self.listed = [one for one in self.listed if one.key != key]
            self.users[key] = self.users.get(key, 0) + 1
        self.held[request.index] = found
        if math.isnan(request.admitted):
            self.asked += request.prompt
            self.queried += min(len(self.keys(request)), request.prompt // self.prefixes.size)
            self.found += len(found)

    def take(self, blocks: int) -> None:
        """Take the first of the free blocks and forget what they hold."""
        for _ in range(blocks):
            first = self.listed[0]
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

    def give_back(self, request: Cached) -> None:
        """Free all that a request has, the last first."""
        self.note(request)
        held = self.held.pop(request.index)
        own = -(-(request.computed + request.beyond) // BLOCK_SIZE) - len(held) * self.each
        if own:
            self.listed.append(FreeBlocks(None, own))
        for key in reversed(held):
            self.users[key] -= 1
            if not self.users[key]:
                del self.users[key]
                self.listed.append(FreeBlocks(key, self.each))


def cache_of(prefixes: Prefixes | None, blocks: int) -> PrefixTwin | NoPrefixes:
    """Return the empty cache of a replica of so many blocks, which keeps nothing where prefixes are not known."""
    return NoPrefixes() if prefixes is None else PrefixTwin(prefixes, [FreeBlocks(None, blocks)])
