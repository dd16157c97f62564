"""The plain oracle of disaggregated fleets: both sides step by step in ordinary Python, links counted one by one.

It is slow and meant to be read; the compiled loop agrees with it bit for bit when it takes single steps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from fleettui.domain.disagg import AT_ONCE, Handover
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import Engine
from fleettui.simulation.twin import Replica, next_arrival
from fleettui.simulation.twin_dispatch import Dispatch
from fleettui.simulation.twin_lockstep import begin, join_lanes
from fleettui.simulation.twin_request import Request


@dataclass(slots=True)
class Moving:
    """A cache on its way: bytes still to move, and bytes per second."""

    request: int
    source: int
    target: int
    left: float
    rate: float = 0.0


@dataclass(slots=True)
class Links:
    """A link per replica, shared equally by what uses it; `flown` are (landing, transfer) by their last bytes."""

    out: float
    into: float
    latency: float
    handover: Handover = AT_ONCE
    spent: dict[tuple[str, int], float] = field(default_factory=dict)
    used: dict[tuple[str, int], float] = field(default_factory=dict)
    moving: list[Moving] = field(default_factory=list)
    flown: list[tuple[float, Moving]] = field(default_factory=list)
    since: float = 0.0

    @property
    def due(self) -> float:
        """When the next transfer has its last byte."""
        return min((self.since + one.left / one.rate for one in self.moving), default=math.inf)

    def set_out(self, one: Moving, now: float, begun: float, ended: float) -> None:
        """Begin a transfer; what its prompt's time, from `begun` to `ended`, could move over idle links has moved."""
        self._settle(now)
        if self.handover.parts > 1:
            self._move_early(one, now, begun, ended)
        self.moving.append(one)
        self._rate()

    def last_byte(self) -> None:
        """End the transfer that is due first, of equals the one that set out first."""
        now = self.due
        one = min(self.moving, key=lambda own: self.since + own.left / own.rate)
        self._settle(now)
        self.moving.remove(one)
        self.flown.append((now + self.latency, one))
        for link in _links_of(one):
            self.spent[link] = now
        self._rate()

    def _move_early(self, one: Moving, now: float, begun: float, ended: float) -> None:
        in_use = {link for other in self.moving for link in _links_of(other)}
        start, end = max([begun, *(self.spent.get(link, 0.0) for link in _links_of(one))]), ended
        for link in _links_of(one):
            if link in in_use:
                end = min(end, self.used[link])
            else:
                self.used[link] = now
        if start < end:
            rate = min(self.out, self.into)
            complete = min((end - begun) / (ended - begun), 1.0 - 1.0 / self.handover.parts)
            moved = min(rate * (end - start), complete * one.left)
            one.left -= moved
            for link in _links_of(one):
                self.spent[link] = start + moved / rate

    def _settle(self, now: float) -> None:
        for one in self.moving:
            one.left -= min(one.rate * (now - self.since), one.left)
        self.since = now

    def _rate(self) -> None:
        for one in self.moving:
            leaving = sum(other.source == one.source for other in self.moving)
            entering = sum(other.target == one.target for other in self.moving)
            one.rate = min(self.out / leaving, self.into / entering)


def _links_of(one: Moving) -> tuple[tuple[str, int], tuple[str, int]]:
    """Return the links that a transfer uses."""
    return ("out of", one.source), ("into", one.target)


@dataclass(slots=True)
class Decoding(Replica):
    """A replica that decodes: `pending` wait for its blocks, `underway` are on their way, `landed` wait for a step.

    It `refused` where somebody had to wait for longer than a step; the other side has `sent` 1 token of each, or none.
    `short` are the requests that it prefills itself.
    """

    sent: int = 1
    refused: bool = False
    short: frozenset[int] = frozenset()
    pending: list[Request] = field(default_factory=list)
    underway: list[Request] = field(default_factory=list)
    landed: list[Request] = field(default_factory=list)

    @property
    def here(self) -> list[Request]:
        """The requests that wait for it, come to it, or run here."""
        return [*self.waiting, *self.running, *self.pending, *self.underway, *self.landed]

    def wait(self, request: Request) -> None:
        """Let a prefilled request wait for blocks and a place, behind those before it; a short one as ever."""
        if request.index in self.short:
            Replica.wait(self, request)
        else:
            self.pending.append(request)

    def admitted(self, now: float) -> list[Request]:
        """Return the waiting requests that have blocks and a place by now, which are kept for them."""
        found = []
        while self.pending and len(self.running) + self.coming < self.engine.places:
            if self.waiting and not math.isnan(self.waiting[0].admitted):
                break
            needed = self.engine.blocks_of(self.pending[0].prompt + 1)
            if (self.running or self.kept) and self.free - needed < self.engine.watermark:
                break
            self.kept += needed
            self.coming += 1
            request = self.pending.pop(0)
            request.admitted = now
            self.underway.append(request)
            found.append(request)
        self.refused = bool(self.pending)
        return found

    def land(self, request: Request, now: float) -> None:
        """Let a cache land."""
        if self.sent:
            request.first = now
        self.underway.remove(request)
        self.landed.append(request)

    def join(self) -> None:
        """Let what landed decode from the next step on."""
        for request in self.landed:
            self.kept -= self.engine.blocks_of(request.prompt + 1)
            self.coming -= 1
            request.generated, request.computed, request.decodes = self.sent, request.prompt + self.sent - 1, True
            self.running.append(request)
        self.landed.clear()


@dataclass(slots=True)
class Story:
    """What became of each request on either side; those of one token never reach the second."""

    prefilled: list[Request]
    decoded: list[Request]


def play(prefill: Engine, decode: Engine, draws: Draws, size: Sequence[float], links: Links) -> Story:
    """Return every request of `draws` after it was served; `size` are the bytes of each one's cache."""
    return _Play(prefill, decode, draws, size, links).story()


class _Play:
    def __init__(self, prefill: Engine, decode: Engine, draws: Draws, size: Sequence[float], links: Links) -> None:
        arrivals = np.full(draws.requests, np.nan) if draws.arrivals is None else draws.arrivals
        columns = (arrivals, draws.prompt, draws.cached, draws.output, draws.tie)
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        self.coming = [Request(at, row[0], row[1], row[2], 1, 0, row[4]) for at, row in enumerate(rows)]
        self.later = [Request(at, math.nan, row[1], 0, row[3], 0, row[4]) for at, row in enumerate(rows)]
        self.size, self.links = size, links
        self.prefills = [Replica(prefill) for _ in range(prefill.replicas)]
        join_lanes(self.prefills)
        self.handover, self.begun = links.handover, dict[int, float]()
        short = frozenset(one.index for one in self.coming if one.prompt - one.cached <= self.handover.short)
        for at in short:
            self.later[at].cached = self.coming[at].cached
        self.decodes = [Decoding(decode, sent=self.handover.sent, short=short) for _ in range(decode.replicas)]
        join_lanes(self.decodes)
        self.sending, self.passing = Dispatch(self.prefills, len(rows)), Dispatch(self.decodes, len(rows))
        self.source: dict[int, int] = {}
        self.closed, self.asking = draws.arrivals is None, [0.0] * draws.clients
        self.thinking = draws.thinking
        self.arrived = self.served = 0

    def story(self) -> Story:
        """Play event by event, of equal times in the order arrival, landing, last byte, prefill, decode."""
        while self.served < len(self.coming):
            arrival = next_arrival(self.coming, self.arrived, self.asking)
            lands = self.links.flown[0][0] if self.links.flown else math.inf
            prefilled, decoded = _next(self.prefills), _next(self.decodes)
            soonest = min(arrival, lands, self.links.due, prefilled[0], decoded[0])
            if arrival == soonest:
                self._arrive()
            elif lands == soonest:
                self._land()
            elif self.links.due == soonest:
                self.links.last_byte()
            elif prefilled[0] == soonest:
                self._prefilled(prefilled[1], soonest)
            else:
                self._decoded(decoded[1], soonest)
        return Story(self.coming, self.later)

    def _arrive(self) -> None:
        request = self.coming[self.arrived]
        if math.isnan(request.arrival):
            request.arrival = min(self.asking)
            self.asking.remove(request.arrival)
        self.arrived += 1
        if request.index in self.decodes[0].short:
            request, later = self.later[request.index], request
            request.arrival = later.arrival
            target = self.passing.send(request)
        else:
            target = self.sending.send(request)
        if target.wake is None:
            begin(target, request.arrival)

    def _prefilled(self, index: int, now: float) -> None:
        ended = [(at, self._end(self.sending, self.prefills[at])) for at in self._lanes(self.prefills, index)]
        for at, done in [(at, one) for at, own in ended for one in own]:
            later = self.later[done.index]
            if later.output <= self.handover.sent:
                self._serve(done)
                continue
            self.source[done.index] = at
            self.prefills[at].kept += self.prefills[at].engine.blocks_of(done.prompt)
            later.arrival = now
            chosen = self.passing.send(later)
            target = next(at for at, one in enumerate(self.decodes) if one is chosen)
            self.begun[done.index] = math.inf if self.decodes[target].refused else done.admitted
            if self.decodes[target].wake is None:
                self._admit(target, now)
                begin(self.decodes[target], now)
        begin(self.prefills[index], now)

    def _admit(self, target: int, now: float) -> None:
        refused = self.decodes[target].refused
        for request in self.decodes[target].admitted(now):
            at = request.index
            begun = math.inf if refused else self.begun[at]
            self.links.set_out(Moving(at, self.source[at], target, self.size[at]), now, begun, request.arrival)

    def _land(self) -> None:
        now, moved = self.links.flown.pop(0)
        request, source = self.later[moved.request], self.prefills[moved.source]
        source.kept -= source.engine.blocks_of(request.prompt)
        if source.wake is None:
            begin(source, now)
        target = self.decodes[moved.target]
        target.land(request, now)
        if target.wake is None:
            target.join()
            self._admit(moved.target, now)
            begin(target, now)

    def _serve(self, request: Request) -> None:
        """Count a request that is complete; in a closed loop its client thinks before the next."""
        self.served += 1
        if self.closed:
            self.asking.append(request.finish + float(self.thinking[request.index]))

    def _decoded(self, index: int, now: float) -> None:
        lanes = self._lanes(self.decodes, index)
        for request in [one for at in lanes for one in self._end(self.passing, self.decodes[at])]:
            self._serve(request)
        for at in lanes:
            self.decodes[at].join()
            self._admit(at, now)
        begin(self.decodes[index], now)

    def _lanes(self, replicas: Sequence[Replica], index: int) -> list[int]:
        """Return the places of those that step with the replica at `index`, itself among them."""
        count = replicas[0].engine.together
        return list(range(index - index % count, index - index % count + count))

    def _end(self, dispatch: Dispatch, replica: Replica) -> list[Request]:
        """End a replica's step; return the requests that are complete there."""
        load = replica.load
        done = replica.end()
        for place, _ in enumerate(done):
            dispatch.leave(replica, load - place)
        return done


def _next(replicas: Sequence[Replica]) -> tuple[float, int]:
    """Return when the next steps of some replica end, and which, infinite where all are idle."""
    times = [math.inf if one.wake is None else one.wake for one in replicas]
    soonest = min(times)
    return soonest, times.index(soonest)
