"""How the plain oracle sends requests: the router's rules of the compiled engine, run as ordinary Python."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fleettui.routing import ROUTERS, load_order
from fleettui.routing.view import PoolSeen, Seen
from fleettui.simulation.bounds import UNBOUNDED
from fleettui.simulation.prefix_index import IndexTwin
from fleettui.simulation.twin_bounds import is_turned_away, note_attempt
from fleettui.simulation.twin_prefixes import PrefixTwin

if TYPE_CHECKING:
    from fleettui.simulation.twin import Replica
    from fleettui.simulation.twin_request import Request


def seen_now(replica: Replica, before: Seen) -> Seen:
    """Return a replica as it is now, to which a request was last sent as is known from `before`."""
    return Seen(
        load=replica.load,
        running=len(replica.running),
        tokens=sum(request.prompt for request in replica.here),
        used=replica.engine.blocks - replica.free,
        latest=before.latest,
    )


class Dispatch:
    """The replicas of one pool by load; the router's rule is the compiled engine's, run as plain Python."""

    def __init__(self, replicas: Sequence[Replica], requests: int) -> None:
        self.replicas = replicas
        self.order, self.rank = list(range(len(replicas))), list(range(len(replicas)))
        self.ends = [len(replicas)] * (requests + 2)
        self.router, self.stale = ROUTERS.named(replicas[0].engine.router), replicas[0].engine.refresh > 0
        self.seen = [Seen() for _ in replicas]
        self.arrived, self.waiting = 0, 0
        caches, most = (one.cache for one in replicas), self.router.remembers
        self.index = [IndexTwin.of(cache.prefixes, most) for cache in caches if isinstance(cache, PrefixTwin) and most]

    @property
    def least(self) -> int:
        """The smallest load of its replicas, as the router knows it; one that always does looks now."""
        if not self.stale:
            self.see_all()
        return min(one.load for one in self.seen)

    def see_all(self) -> None:
        """See every replica as it is now, but not yet in the order by load."""
        self.seen = [seen_now(replica, before) for replica, before in zip(self.replicas, self.seen, strict=True)]

    def view(self, home: Replica | None = None) -> PoolSeen:
        """Return what the router's rule sees of the pool, the round before having been served at its `home`."""
        e = self.replicas[0].engine
        return PoolSeen(
            replicas=len(self.replicas),
            places=e.places,
            queue=UNBOUNDED if e.queue is None else e.queue,
            blocks=e.blocks,
            block=e.block,
            budget=e.budget,
            full=e.full or e.places,
            arrived=self.arrived,
            least=self.least,
            waiting=self.waiting,
            home=next((index for index, one in enumerate(self.replicas) if one is home), -1),
        )

    def look_ahead(self, request: Request) -> None:
        """Note how many wait at the least loaded replica, that to which a request would come."""
        equals = [index for index in self.order if self.seen[index].load == self.least]
        chosen = self.seen[equals[int(request.tie * len(equals))]]
        self.waiting = chosen.load - chosen.running

    def send(self, request: Request, home: Replica | None = None) -> Replica:
        """Queue a request at the replica that the router chooses, unless that turns it away; return the replica.

        The round before it was served at its `home`.
        """
        pool = self.view(home)
        for one, own in zip(self.seen, self.index, strict=bool(self.index)):
            one.sent = own.sent(request.index, request.prompt)
        index = self.router.choose(self, pool, request)
        replica, self.seen[index].latest = self.replicas[index], request.arrival
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
            self.seen[index] = seen_now(replica, self.seen[index])

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
        request.pool = across([one.view(home) for one in pools], request)
    return pools[request.pool].send(request, home)


def look(pools: Sequence[Dispatch], now: float, every: float) -> float:
    """Let the routers of all pools look, which they do `every` so many seconds; return when they look again."""
    for one in pools:
        one.look()
    return (math.floor(now / every) + 1.0) * every
