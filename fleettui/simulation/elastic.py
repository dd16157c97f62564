"""A pool whose replicas come and go, played from one moment to the next by the engine's own steps.

The rows of the replicas that requests are sent to stand first, so that every router finds them as it finds those of a
constant fleet. Behind them stand those that finish what they have, and the empty ones: in the order by load each counts
`away` requests more than it has. What drains is the last row that serves; what is added takes the row behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fleettui.simulation import kernel, turns
from fleettui.simulation.bounds import UNBOUNDED, BoundState
from fleettui.simulation.compiled import of_types
from fleettui.simulation.curve import Curve
from fleettui.simulation.draws import NOTHING, Draws
from fleettui.simulation.elastic_loop import TALLY, Tallied, advance, cut_leaps
from fleettui.simulation.heaps import rise, sink
from fleettui.simulation.layout import Engine, State, be_new, prepare
from fleettui.simulation.moving_caches import MovingCaches
from fleettui.simulation.records import Records

BEYOND = 4
"""Largest loads that a router may believe of a replica, where it looks from time to time, before it counts as away."""


@dataclass(slots=True, kw_only=True)
class ElasticPool:
    """A pool's replicas, of `lanes` rows each, of which the first `serving` are sent requests.

    `engine` says how many there may be at once, with those that still finish what they have. At most `queue` requests
    wait at a row. `losses` are the requests that were lost, and when; `finished` has room for those that a step ends.
    A pool that `holds` may have no replica: requests wait in front of it, and reach the first one when that is there,
    as if they came then, but that their clients have waited; `late` are the times at which they came, from a request
    on, and `at_once` come as it goes on: new ones, others. What joins has empty `caches`; `seen` is the last look, and
    `onward` plays on to the next.
    """

    engine: Engine
    lanes: int
    queue: int
    serving: int
    state: State
    tally: Records
    away: int
    finished: NDArray[np.int32]
    now: float = 0.0
    lost: int = 0
    lost_seconds: float = 0.0
    losses: list[tuple[float, list[int]]] = field(default_factory=list)
    holds: bool = False
    late: list[tuple[int, NDArray[np.float64]]] = field(default_factory=list)
    at_once: tuple[int, int] = (0, 0)
    caches: MovingCaches
    onward: Callable[..., None] | None = None
    seen: Tallied = field(default_factory=Tallied)

    @classmethod
    def of(
        cls,
        engine: Engine,
        draws: Draws,
        *,
        replicas: int,
        most: int,
        holds: bool = False,
        records: Records | None = None,
    ) -> ElasticPool:
        """Return the pool at its start with so many `replicas` of the `engine`, which is one replica's rows.

        Every request reaches pool 0. `most` is how many replicas there may be, those that are leaving among them. How
        many wait at a row, how long clients do and how often they come again is the engine's. The requests stand in
        `records` where these are given.
        """
        lanes, queue = engine.replicas, draws.requests if engine.queue is None else engine.queue
        assert 1 <= replicas <= most, (replicas, most)
        assert draws.arrivals is not None, "an open loop has arrivals"
        turns.check_none(engine.scheduler, "here replicas come and go")
        full = replace(engine, replicas=lanes * most)
        stays = engine.retries > 0 or engine.patience < np.inf
        state = prepare([replace(full, queue=queue if stays else None)], draws, records)
        state.pools["queue"] = UNBOUNDED if engine.queue is None else queue
        away = BEYOND * (engine.places + queue) + 1
        state = state._replace(ends=np.zeros(2 * away + 2, np.int32))
        tally = np.array([Tallied(due=engine.refresh if engine.refresh > 0.0 else np.inf)], TALLY)
        pool = cls(
            engine=full,
            lanes=lanes,
            queue=queue,
            serving=replicas,
            state=state,
            tally=tally,
            away=away,
            finished=np.zeros(kernel.places_at_once(state) + draws.requests * int(stays), np.int32),
            holds=holds,
            caches=MovingCaches.of(state),
        )
        pool._send_away(replicas, most)
        pool._order()
        return pool

    @property
    def again(self) -> BoundState | None:
        """What is noted of each request's stay, where some leave or come again."""
        return self.state.bounds

    @property
    def capacity(self) -> int:
        """The replicas that there may be at once."""
        return len(self.state.replicas) // self.lanes

    def advance(self, until: float) -> None:
        """Play all that happens before `until`, in seconds, and see what is there then."""
        self.at_once = (0, 0) if until > self.now else self.at_once
        self.now = until
        rows = self.serving * self.lanes if self.serving or self.holds else self.lanes
        given = (self.state, self.again, self.tally, until, self.queue, self.away, rows, self.lanes == 1, self.finished)
        self.onward = self.onward or of_types(advance, *given)
        self.onward(*given)
        self.seen = Tallied._make(self.tally.item())

    @property
    def in_front(self) -> int:
        """The requests that wait for a replica to be there, or come to it at once."""
        return sum(self._in_front()) + sum(self.at_once) if self.holds else 0

    @property
    def offered(self) -> int:
        """The requests that have come, each counted once however often it comes."""
        return self.seen.next + (self._in_front()[0] + self.at_once[0] if self.holds else 0)

    def restore(self) -> None:
        """Give the requests that waited in front, or came again, the times at which they came first, after the end."""
        arrival = self.state.requests["arrival"]
        if self.again is not None:
            asked = self.again.stays["asked"]
            arrival[:] = np.where(np.isfinite(asked), asked, arrival)
        for first, times in reversed(self.late):
            arrival[first : first + len(times)] = times

    def limit(self, places: int) -> None:
        """Let a row run at most so many sequences at once from now on; those that it runs beyond them are finished."""
        assert 1 <= places <= self.engine.places, f"{places} of {self.engine.places} places"
        self.state.pools["places"] = places
        self._cut_leaps()

    def retime(self, curve: Curve) -> None:
        """Let steps that begin from now on take the seconds of `curve`, of the same engine; those under way end first.

        Leaps of several steps end with the step under way, whose seconds their replica has noted.
        """
        pool, rows = self.state.pools[0], self.state.curves
        assert pool["curved"], "affine steps are noted by replicas, and cannot change while these are in one"
        for name in rows._fields:
            getattr(rows, name)[0] = getattr(curve, name)
        pool["floor"], own = curve.floor, self.state.lockstep
        if own is None:
            pool["extra"], pool["least_step"] = curve.extra, curve.least
        else:
            own.shared[0], own.extra[0], own.least[0] = curve.shared, curve.extra, curve.least
        self._cut_leaps()

    def _cut_leaps(self) -> None:
        """End the leaps under way, so that what has changed counts from the next step on."""
        cut_leaps(self.state, self.state.heap[: self.tally[0]["busy"]].copy(), self.now)

    def shut(self, place: int, *, again: bool = False) -> None:
        """Let the router find a serving replica full beyond measure, or `again` as it is; it serves what it has."""
        for known in self._known():
            known["load"][self._rows(place, place + 1)] += -self.away if again else self.away
        self._order()

    def drain(self) -> int:
        """Send no more requests to the replica that serves last; return its place."""
        assert self.serving > int(not self.holds), "requests need a replica to go to"
        self.serving -= 1
        self._send_away(self.serving, self.serving + 1)
        self._order()
        return self.serving

    def add(self) -> int:
        """Let one more replica be sent requests; return the place that the replica which stood there now has.

        It is the place itself where nothing had to make room. AssertionError where there is no room.
        """
        place, waiting = self.serving, self._in_front()
        other = next((one for one in range(place, self.capacity) if self.is_idle(one)), None)
        assert other is not None, "no place is free"
        if other != place:
            self._swap(place, other)
        for row in self._each(place):
            for known in self._known():
                be_new(known, row)
            self.caches.empty(row)
        self.serving += 1
        self._order()
        self._come_now(*waiting)
        return other

    def _in_front(self) -> tuple[int, int]:
        """Return how many wait for a replica to be there: of the new ones, and of those that come again."""
        if self.serving or not self.holds:
            return 0, 0
        arrival, coming = self.state.requests["arrival"], int(self.tally[0]["next"])
        again = 0 if self.again is None else np.count_nonzero(arrival[self.due_again] < self.now)
        return int(np.searchsorted(arrival[coming:], self.now)), int(again)

    def _come_now(self, new: int, again: int) -> None:
        """Let those that waited in front come at the present moment."""
        arrival, coming = self.state.requests["arrival"], int(self.tally[0]["next"])
        self.at_once = self.at_once[0] + new, self.at_once[1] + again
        if new:
            self.late.append((coming, arrival[coming : coming + new].copy()))
            self._wait_in_front(slice(coming, coming + new))
        if again:
            due = self.due_again
            self._wait_in_front(due[arrival[due] < self.now])
            due[:] = due[np.lexsort((due, arrival[due]))]  # what rises is a heap

    def _wait_in_front(self, those: slice | NDArray[np.int32]) -> None:
        """Let those come at the present moment, after the wait that their clients had."""
        arrival = self.state.requests["arrival"]
        if self.again is not None:
            self.again.stays["held"][those] += self.now - arrival[those]
        arrival[those] = self.now

    @property
    def due_again(self) -> NDArray[np.int32]:
        """Those that were turned away and will come again, first of all the one that comes next."""
        return np.zeros(0, np.int32) if self.again is None else self.again.again[: self.again.waiting[0]]

    def lose(self) -> int:
        """Lose the replica that serves last with the requests that wait and run at it; return how many those are.

        Where it was the only one, what comes is rejected until another is added.
        """
        assert self.serving > 0, "no replica is left to lose"
        self.serving -= 1
        return self.take(self.serving)

    def take(self, place: int) -> int:
        """Take a replica that is sent no more requests, with those that wait and run at it; return how many these are.

        Its place is free.
        """
        assert place >= self.serving, f"replica {place} still serves"
        gone = sum(self._clear(row) for row in self._each(place))
        self._send_away(place, place + 1)
        self._order()
        return gone

    def _clear(self, row: int) -> int:
        """Empty a row at the present moment; its requests are never served. Return how many they are."""
        state, replica = self.state, self.state.replicas[row]
        own = state.slots["request"][row]
        at_it = [int(one) for one in own[own >= 0]]
        waiting = int(replica["head"])
        while waiting >= 0:
            at_it.append(waiting)
            waiting = int(state.requests["next"][waiting])
        if state.spot[row] >= 0:
            self._take_off(row)
        self._note_lost(at_it)
        fresh = prepare([replace(self.engine, replicas=1, slow=None, queue=None, patience=np.inf, retries=0)], NOTHING)
        for name in ("replicas", "slots", "keys", "fresh", "phases"):
            getattr(state, name)[row] = getattr(fresh, name)[0]
        state.seen[row] = fresh.replicas[0]
        if state.bounds is not None:
            state.bounds.look[row] = np.inf
        self.caches.empty(row)
        return len(at_it)

    def _take_off(self, row: int) -> None:
        """Take a row off the heap of wakes."""
        state, busy = self.state, int(self.tally[0]["busy"]) - 1
        state.replicas["wake"][row] = -np.inf
        rise(state.heap, state.spot, state.replicas, state.spot[row])
        state.heap[0], state.spot[row] = state.heap[busy], -1
        if busy > 0:
            sink(state.heap, state.spot, state.replicas, busy)
        self.tally[0]["busy"] = busy

    def _note_lost(self, requests: list[int]) -> None:
        pool, now = self.state.pools[0], self.now
        pool["presence"] += pool["present"] * (now - pool["since"])
        pool["since"] = now
        pool["present"] -= len(requests)
        self.lost += len(requests)
        self.losses.append((now, requests))
        self.lost_seconds += float(now * len(requests) - self.state.requests["arrival"][requests].sum())

    @property
    def has_room(self) -> bool:
        """Whether one more may join."""
        return any(self.is_idle(one) for one in range(self.serving, self.capacity))

    def is_idle(self, place: int) -> bool:
        """Return whether a replica has nothing to do."""
        return bool((self.state.spot[self._rows(place, place + 1)] < 0).all())

    def last_step(self, place: int) -> float:
        """Return when an idle replica's last step ended, 0 where it had none."""
        replicas = self.state.replicas[self._rows(place, place + 1)]
        return float(np.maximum(replicas["clock"], replicas["handed_out"]).max())

    def serving_rows(self) -> Records:
        """Return the records of the replicas that are sent requests."""
        found: Records = self.state.replicas[self._rows(0, self.serving)]
        return found

    def _rows(self, first: int, last: int) -> slice:
        return slice(first * self.lanes, last * self.lanes)

    def _each(self, place: int) -> range:
        return range(place * self.lanes, (place + 1) * self.lanes)

    def _known(self) -> tuple[Records, ...]:
        return (self.state.replicas, self.state.seen) if self.state.looks else (self.state.replicas,)

    def _send_away(self, first: int, last: int) -> None:
        for known in self._known():
            known["load"][self._rows(first, last)] += self.away

    def _swap(self, one: int, other: int) -> None:
        """Let two replicas that are away change places, with all that they hold."""
        pair, swapped = [*self._each(one), *self._each(other)], [*self._each(other), *self._each(one)]
        state = self.state
        own = (state.slots, state.keys, state.fresh, state.phases, state.spot, state.stages)
        looks = () if state.bounds is None else (state.bounds.look,)
        for array in (*self._known(), *own, *looks, *self.caches.rows):
            array[pair] = array[swapped]
        for row in pair:
            if state.spot[row] >= 0:
                state.heap[state.spot[row]] = row

    def _order(self) -> None:
        """Put the rows into the order by load, and tell the router how many it may choose among."""
        loads = self._known()[-1]["load"]
        order = np.argsort(loads, kind="stable")
        self.state.order[:] = order
        self.state.rank[order] = np.arange(len(order))
        for count, (first, last) in enumerate(pairwise((0, *loads[order].tolist(), len(self.state.ends)))):
            self.state.ends[first:last] = count
        pool = self.state.pools[0]
        pool["least"], pool["replicas"] = loads.min(), max(self.serving, 1) * self.lanes
