"""The plain oracle of a pool whose replicas come and go, played from one moment to the next."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from fleettui.routing import ROUTERS
from fleettui.routing.view import Seen
from fleettui.simulation import twin
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import Engine
from fleettui.simulation.prefix_index import IndexTwin
from fleettui.simulation.twin import Replica
from fleettui.simulation.twin_bounds import comes_again
from fleettui.simulation.twin_dispatch import Dispatch, look
from fleettui.simulation.twin_prefixes import PrefixTwin, cache_of
from fleettui.simulation.twin_request import Request


class ElasticTwin:
    """One pool of an open loop; `dispatch` has the replicas that are sent requests, `leaving` those that finish."""

    def __init__(self, engine: Engine, draws: Draws, replicas: int) -> None:
        self.engine, self.draws, self.prefixes = engine, draws, draws.prefixes
        self.requests = twin.requests_of(draws)
        self.coming, self.again = list(self.requests), list[Request]()
        self.dispatch = Dispatch([self._replica() for _ in range(replicas)], draws.requests)
        self.leaving: list[Replica] = []
        self.due = engine.refresh or math.inf

    def advance(self, until: float) -> None:
        """Play all that happens before `until`."""
        while True:
            working = [one for one in [*self.dispatch.replicas, *self.leaving] if one.wake is not None]
            replica = min(working, key=lambda one: one.wake or 0.0, default=None)
            wake = math.inf if replica is None or replica.wake is None else replica.wake
            known = [*self.coming[:1], *sorted(self.again, key=lambda one: (one.arrival, one.index))]
            coming = min(known, key=lambda one: one.arrival, default=None)
            arrival = math.inf if coming is None else coming.arrival
            event = min(arrival, wake, until)
            if self.due <= event < math.inf:
                self.due = look([self.dispatch], event, self.engine.refresh)
            if event == until:
                return
            if wake < arrival and replica is not None:
                load = replica.load
                for place, request in enumerate(replica.end()):
                    if any(one is replica for one in self.dispatch.replicas):
                        self.dispatch.leave(replica, load - place)
                    if math.isfinite(request.left):
                        self._try_again(request)
                replica.start(wake)
            elif coming is not None:
                self._come(coming)

    def _come(self, request: Request) -> None:
        if any(one is request for one in self.again):
            self.again = [one for one in self.again if one is not request]
        else:
            self.coming.pop(0)
        target = self.dispatch.send(request)
        if request.rejected:
            self._try_again(request)
        elif target.wake is None:
            target.start(request.arrival)

    def _try_again(self, request: Request) -> None:
        """Let a request that was turned away, or whose client left, come again where it may."""
        if comes_again(request, self.engine, self.draws):
            self.again.append(request)

    def drain(self) -> None:
        """Send no more requests to the replica that serves last."""
        self.leaving.append(self._last())

    def lose(self) -> list[Request]:
        """Lose the replica that serves last; return what is lost with it."""
        return self._last().here

    def add(self) -> None:
        """Let an empty replica be sent requests, after the others."""
        replica = self._replica()
        self.dispatch.replicas = [*self.dispatch.replicas, replica]
        self.dispatch.seen = [*self.dispatch.seen, Seen()]
        if isinstance(replica.cache, PrefixTwin) and self.dispatch.router.remembers:
            own = IndexTwin.of(replica.cache.prefixes, ROUTERS.named(self.engine.router).remembers)
            self.dispatch.index = [*self.dispatch.index, own]
        self._order()

    def change(self, of: Callable[[Engine], Engine]) -> None:
        """Let all replicas run by another engine from their next step on."""
        self.engine = of(self.engine)
        for one in [*self.dispatch.replicas, *self.leaving]:
            one.engine = self.engine

    def limit(self, places: int) -> None:
        """Let a replica run at most so many sequences at once from now on."""
        self.change(lambda engine: replace(engine, places=places, full=engine.full or engine.places))

    def _replica(self) -> Replica:
        found = Replica(self.engine, stages=[0.0], cache=cache_of(self.prefixes, self.engine))
        found.group = [found]
        return found

    def _last(self) -> Replica:
        *others, last = self.dispatch.replicas
        self.dispatch.replicas, self.dispatch.seen = others, self.dispatch.seen[:-1]
        self.dispatch.index = self.dispatch.index[:-1]
        self._order()
        return last

    def _order(self) -> None:
        own = self.dispatch
        if not own.stale:
            own.see_all()
        own.order = sorted(range(len(own.seen)), key=lambda index: own.seen[index].load)
        own.rank = [own.order.index(index) for index in range(len(own.order))]
        own.ends = [sum(one.load <= load for one in own.seen) for load in range(len(own.ends))]
