"""How the plain oracle sends requests: the router's rules of the compiled engine, run as ordinary Python."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING

from fleettui.routing import ROUTERS, load_order
from fleettui.simulation.prefix_index import IndexTwin
from fleettui.simulation.twin_bounds import is_turned_away, note_attempt
from fleettui.simulation.twin_prefixes import PrefixTwin

if TYPE_CHECKING:
    from fleettui.simulation.twin import Replica
    from fleettui.simulation.twin_request import Request


@dataclass(slots=True)
class Sight:
    """What a router knows of a replica: requests there and running ones among them, tokens of all their prompts.

    `sent` are the tokens of the request that comes which it sent there before, where it remembers.
    """

    load: int = 0
    running: int = 0
    tokens: int = 0
    sent: int = 0

    @classmethod
    def of(cls, replica: Replica) -> Sight:
        """Return a replica as it is now."""
        tokens = sum(request.prompt for request in replica.here)
        return cls(replica.load, len(replica.running), tokens)


class Dispatch:
    """The replicas of one pool by load; the router's rule is the compiled engine's, run as plain Python."""

    def __init__(self, replicas: Sequence[Replica], requests: int) -> None:
        self.replicas = replicas
        self.order, self.rank = list(range(len(replicas))), list(range(len(replicas)))
        self.ends = [len(replicas)] * (requests + 2)
        self.router, self.stale = ROUTERS.named(replicas[0].engine.router), replicas[0].engine.refresh > 0
        self.seen = [Sight() for _ in replicas]
        self.arrived, self.waiting = 0, 0
        caches, most = (one.cache for one in replicas), self.router.remembers
        self.index = [IndexTwin.of(cache.prefixes, most) for cache in caches if isinstance(cache, PrefixTwin) and most]

    @property
    def least(self) -> int:
        """The smallest load of its replicas, as the router knows it; one that always does looks now."""
        if not self.stale:
            self.seen = [Sight.of(replica) for replica in self.replicas]
        return min(one.load for one in self.seen)

    @property
    def full(self) -> int:
        """The load from which on a replica is full for a router that sends between pools."""
        return self.replicas[0].engine.full or self.replicas[0].engine.places

    def look_ahead(self, request: Request) -> None:
        """Note how many wait at the least loaded replica, that to which a request would come."""
        equals = [index for index in self.order if self.seen[index].load == self.least]
        chosen = self.seen[equals[int(request.tie * len(equals))]]
        self.waiting = chosen.load - chosen.running

    def send(self, request: Request, home: Replica | None = None) -> Replica:
        """Queue a request at the replica that the router chooses, unless that turns it away; return the replica.

        The round before it was served at its `home`.
        """
        least, count = self.least, len(self.replicas)
        blocks = self.replicas[0].engine.blocks
        pool = SimpleNamespace(start=0, levels=0, replicas=count, least=least, arrived=self.arrived, blocks=blocks)
        pool.home = next((index for index, one in enumerate(self.replicas) if one is home), -1)
        for one, own in zip(self.seen, self.index, strict=bool(self.index)):
            one.sent = own.sent(request.index, request.prompt)
        index = self.router.choose(self, pool, request)
        replica = self.replicas[index]
        self.arrived += 1
        note_attempt(request)
        if is_turned_away(replica, request):
            return replica
        if not self.stale or self.router.counts:
            self._add_one(index)
            self.seen[index].tokens += request.prompt
        for own in self.index[index : index + 1]:
            own.remember(request.index, request.prompt)
        replica.wait(request)
        return replica

    def look(self) -> None:
        """See every replica as it is now."""
        for index, replica in enumerate(self.replicas):
            for _ in range(replica.load - self.seen[index].load):
                self._add_one(index)
            for _ in range(self.seen[index].load - replica.load):
                self._take_one(index)
            self.seen[index] = Sight.of(replica)

    def leave(self, replica: Replica, load: int) -> None:
        """Note that a request left `replica`, which had `load` until then."""
        if not self.stale:
            index = next(i for i, one in enumerate(self.replicas) if one is replica)
            self.seen[index].load = load
            self._take_one(index)

    def _add_one(self, index: int) -> None:
        load_order.add_one(self.order, self.rank, self.ends, 0, 0, index, self.seen[index].load)
        self.seen[index].load += 1

    def _take_one(self, index: int) -> None:
        load_order.take_one(self.order, self.rank, self.ends, 0, 0, index, self.seen[index].load)
        self.seen[index].load -= 1


def send(pools: Sequence[Dispatch], request: Request, home: Replica | None = None) -> Replica:
    """Queue a request in the pool that the router chooses, its own unless that sends across pools.

    The round before it was served at its `home`.
    """
    across = pools[0].router.across
    if across is not None:
        for one in pools:
            one.look_ahead(request)
        request.pool = across(pools, request)
    return pools[request.pool].send(request, home)


def look(pools: Sequence[Dispatch], now: float, every: float) -> float:
    """Let the routers of all pools look, which they do `every` so many seconds; return when they look again."""
    for one in pools:
        one.look()
    return (math.floor(now / every) + 1.0) * every
