"""The plain oracle: the same engine step by step in ordinary Python, without leaps, heaps or records.

It is slow and meant to be read next to model.md §6; the compiled engine agrees with it bit for bit when it takes
single steps, and to rounding when it leaps.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from fleettui.domain.failing import SlowReplica
from fleettui.scheduling import SCHEDULERS
from fleettui.scheduling.scheduler import Turns
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import Engine
from fleettui.simulation.prefixes import Prefixes
from fleettui.simulation.twin_bounds import comes_again, leave, note_late
from fleettui.simulation.twin_curve import step_time
from fleettui.simulation.twin_dispatch import Dispatch, look, send
from fleettui.simulation.twin_drafts import commits
from fleettui.simulation.twin_lockstep import Lane, begin, join_lanes, pace_of
from fleettui.simulation.twin_prefixes import NoPrefixes, PrefixTwin, cache_of
from fleettui.simulation.twin_request import Request
from fleettui.simulation.twin_sessions import SessionsTwin
from fleettui.simulation.twin_swap import bring_back, put_away, seconds
from fleettui.simulation.twin_turns import come, give_turns, make_way, queue_rank, renew


@dataclass(slots=True)
class Replica:
    """One engine: its queue, what runs in the order of admission, and the step under way."""

    engine: Engine
    waiting: deque[Request] = field(default_factory=deque)
    running: list[Request] = field(default_factory=list)
    prefilling: list[Request] = field(default_factory=list)
    decoding: list[Request] = field(default_factory=list)
    wake: float | None = None
    handed_out: float = 0.0
    stages: list[float] = field(default_factory=list)
    kept: int = 0
    coming: int = 0
    over: int = 0
    upper: int = 0
    moving: int = 0
    cache: PrefixTwin | NoPrefixes = field(default_factory=NoPrefixes)
    slow: SlowReplica | None = None
    group: list[Lane] = field(default_factory=list)
    prompted: int = 0

    @property
    def turns(self) -> Turns | None:
        """How prompts take turns, None where they do not."""
        return SCHEDULERS.named(self.engine.scheduler).turns

    @property
    def here(self) -> list[Request]:
        """The requests that wait or run here."""
        return [*self.waiting, *self.running]

    @property
    def load(self) -> int:
        """How many they are."""
        return len(self.here)

    @property
    def free(self) -> int:
        """Blocks that nobody holds, and that are not `kept` for caches on their way."""
        if self.cache.free is not None:
            return self.cache.free
        return self.engine.blocks - self.kept - sum(self.engine.blocks_of(one.held) for one in self.running)

    def wait(self, request: Request) -> None:
        """Put a request into the queue before the first that comes after it, else at the end.

        That is one of a later class, or one of its own that ranks after it and was never admitted.
        """
        request.due = request.arrival + self.engine.patience
        if self.turns is not None:
            come(request, self.turns)
        rank = queue_rank(self)

        def is_later(one: Request) -> bool:
            if one.batch != request.batch:
                return one.batch
            return math.isnan(one.admitted) and rank(one) > rank(request)

        later = (at for at, one in enumerate(self.waiting) if is_later(one))
        self.waiting.insert(next(later, len(self.waiting)), request)

    def start(self, now: float) -> None:
        """Compose the step that starts now; `wake` is its end, None when there is nothing to do."""
        e = self.engine
        renew(self, now)
        bring_back(self)
        self.decoding = [] if e.alone else self._ready()
        make_way(self)
        turns = self.turns
        made_room = turns is None and self._make_room()
        preempted = self._grow() or made_room
        self.prefilling = []
        given = self._prompts if turns is None else partial(give_turns, self, turns)
        self.prompted, chunks = given(now, preempted)
        if e.alone and not chunks:
            self.decoding = self._ready()
            self._grow()
        read = sum(one.read for one in self.decoding)
        self.wake = None
        if self.decoding or self.prompted:
            self.wake = now + step_time(e, len(self.decoding), read, chunks, pace_of(self, now))
            self.wake += seconds(self)
            if e.lanes > 1:
                self.wake = self._through(now, (self.wake - now) / e.lanes)

    def end(self) -> list[Request]:
        """Finish the step: every decoding sequence and every completed prompt is handed one token more.

        Returns the requests that are complete, and those whose clients left.
        """
        assert self.wake is not None, "no step is under way"
        done, served = [], self.decoding + [one for one in self.prefilling if one.computed == one.target]
        fresh = len(served) - len(self.decoding)
        drafted = [commits(self, one) for one in self.decoding]
        self.handed_out = max(self.handed_out, self.wake) + (sum(drafted) + fresh) * self.engine.api_token
        committed = [min(most, one.output - one.generated) for one, most in zip(self.decoding, drafted, strict=True)]
        gain, per = self.engine.gain
        if not (self.engine.alone and self.prefilling):
            self.over = (self.over + gain) % per
        for request, tokens in zip(served, [*committed, *[1] * fresh], strict=True):
            request.generated += tokens
            request.decodes = True
            if math.isnan(request.first):
                request.first = self.handed_out
            if request.generated == request.output or request.first > request.due:
                request.finish = self.handed_out
                self.running.remove(request)
                self.cache.give_back(request)
                done.append(request)
        note_late(done)
        return [*done, *leave(self, self.wake)]

    def _prompts(self, now: float, preempted: bool) -> tuple[int, list[tuple[int, int]]]:
        """Give the step its prompts, new ones if nobody was preempted; return their tokens and chunks."""
        e, prompt, chunks = self.engine, 0, list[tuple[int, int]]()
        for request in [one for one in self.running if not one.decodes]:
            tokens = min(request.target - request.computed, e.budget - self.verified)
            if tokens <= 0:
                continue
            if self.missing(request, tokens) > self.free:
                self.preempt(request)
                preempted = True
            else:
                self.compute(request, tokens)
                prompt += tokens
                chunks.append((tokens, request.computed))
        while not preempted and self.waiting:
            tokens = self.admissible(e.budget - self.verified - prompt)
            if tokens == 0:
                break
            request = self.admit(now)
            self.compute(request, tokens)
            prompt += tokens
            chunks.append((tokens, request.computed))
        return prompt, chunks

    def admit(self, now: float) -> Request:
        """Let the head of the queue join; return it."""
        request = self.waiting.popleft()
        self.moving += self.cache.hold(request)
        request.admitted = now if math.isnan(request.admitted) else request.admitted
        self.running.append(request)
        return request

    def _through(self, now: float, each: float) -> float:
        """Return when a step that starts now has passed every stage, `each` for so long, after what is there before."""
        for place, free in enumerate(self.stages):
            now = max(now, free) + each
            self.stages[place] = now
        return now

    @property
    def verified(self) -> int:
        """Tokens that the present step computes of its decodes."""
        return self.engine.drafting.width * len(self.decoding)

    def _ready(self) -> list[Request]:
        return [request for request in self.running if request.decodes]

    def victim(self) -> Request:
        """Return who gives way first: the latest admitted of class batch, or else of all."""
        return next((one for one in reversed(self.running) if one.batch), self.running[-1])

    def _make_room(self) -> bool:
        """Let those of class batch give way while an interactive prompt that was cut finds no blocks to go on."""
        preempted = False
        for request in [one for one in self.running if not one.decodes and not one.batch]:
            while self.victim().batch:
                tokens = min(request.target - request.computed, self.engine.budget - self.verified)
                needed = self.missing(request, tokens)
                needed += sum(self.missing(one, commits(self, one)) for one in self.decoding)
                if needed <= self.free:
                    break
                self.preempt(self.victim())
                preempted = True
        return preempted

    def _grow(self) -> bool:
        """Cache the tokens of every decoding sequence; victims give way while blocks are missing.

        Those beyond its end are held as drafts are.
        """
        preempted = False
        while sum(self.missing(one, commits(self, one)) for one in self.decoding) > self.free:
            self.preempt(self.victim())
            preempted = True
        for request in self.decoding:
            tokens = commits(self, request)
            self.cache.take(self.missing(request, tokens))
            request.read = request.computed + self.engine.drafting.width
            own = min(tokens, request.output - request.generated)
            request.computed += own
            request.beyond += tokens - own
        return preempted

    def admissible(self, budget: int, grows: int = 0) -> int:
        """Return the tokens that the head of the queue gets where decodes grow by blocks, 0 when it must wait."""
        if budget <= 0 or len(self.running) + self.coming >= self.engine.places or self.waiting[0].away:
            return 0
        head = self.waiting[0]
        head.cached = self.cache.tokens_found(head)
        tokens = self.engine.taken(head.target - head.cached, budget)
        needed = self.engine.blocks_of(head.cached + tokens + self.engine.drafting.drafts) - self.cache.shared(head)
        if not tokens or ((self.running or self.kept) and self.free - grows - needed < self.engine.watermark):
            return 0
        head.computed = head.cached
        return tokens

    def missing(self, request: Request, tokens: int) -> int:
        """Return the blocks that so many further tokens of a request need."""
        beyond = max(request.beyond, self.engine.drafting.drafts)
        return self.engine.blocks_of(request.computed + tokens + beyond) - self.engine.blocks_of(request.held)

    def compute(self, request: Request, tokens: int) -> None:
        """Let a request compute so many tokens of its prompt."""
        self.cache.take(self.missing(request, tokens))
        request.computed += tokens
        request.beyond = self.engine.drafting.drafts
        self.cache.note(request)
        self.prefilling.append(request)

    def preempt(self, request: Request) -> None:
        """Send a request back to the head of its class in the queue, to compute all that it had again."""
        request.preempted += 1
        put_away(self, request)
        self.cache.give_back(request)
        request.computed, request.beyond, request.decodes = 0, 0, False
        self.running.remove(request)
        if request in self.decoding:
            self.decoding.remove(request)
        behind = (at for at, one in enumerate(self.waiting) if one.batch >= request.batch)
        self.waiting.insert(next(behind, len(self.waiting)), request)


def play(engines: Sequence[Engine], draws: Draws) -> list[Request]:
    """Return every request of `draws` after it was served, in order; later rounds of a session that ended are not."""
    replicas = [replica for engine in engines for replica in _replicas(engine, draws.prefixes)]
    pools, start = [], 0
    for engine in engines:
        pools.append(Dispatch(replicas[start : start + engine.replicas], draws.requests))
        start += engine.replicas
    coming = requests_of(draws)
    asking, sessions = [0.0] * draws.clients, SessionsTwin(draws.rounds)
    new = coming if draws.rounds is None else coming[: draws.rounds.begun]
    arrived, open_ones, every, again = 0, len(coming), engines[0].refresh, list[Request]()
    due = every or math.inf
    while open_ones:
        arrival = next_arrival(new, arrived, asking)
        replica = min((one for one in replicas if one.wake is not None), key=lambda one: one.wake or 0.0, default=None)
        known = min([arrival, *(one.arrival for one in again)])
        soonest = min([known, *(one.arrival for one in sessions.due)])
        event = min(soonest, math.inf if replica is None or replica.wake is None else replica.wake)
        if event >= due:
            due = look(pools, event, every)
        if replica is not None and replica.wake is not None and replica.wake < soonest:
            now = replica.wake
            for lane in (one for one in replica.group if isinstance(one, Replica)):
                load = lane.load
                for place, request in enumerate(lane.end()):
                    pools[request.pool].leave(lane, load - place)
                    is_away = math.isfinite(request.left) and comes_again(request, engines[request.pool], draws)
                    again += [request] * is_away
                    open_ones -= 0 if is_away else sessions.end(request, lane, coming)
                    if draws.arrivals is None:
                        asking.append(request.finish + float(draws.thinking[request.index]))
            begin(replica, now)
        else:
            request = new[arrived] if soonest == arrival else sessions.next_of([] if soonest < known else again)
            again = [one for one in again if one is not request]
            if draws.arrivals is None:
                asking.remove(arrival)
                request.arrival = arrival
            arrived += soonest == arrival
            target = send(pools, request, sessions.home(request))
            if request.rejected and comes_again(request, engines[request.pool], draws):
                again.append(request)
            elif request.rejected:
                open_ones -= sessions.end(request, target, coming)
            elif target.wake is None:
                begin(target, request.arrival)
    return coming


def _replicas(engine: Engine, prefixes: Prefixes | None) -> list[Replica]:
    """Return a pool's replicas; the lanes of an instance have their stages in common."""
    found: list[Replica] = []
    for index in range(engine.replicas):
        stages = [0.0] * engine.lanes if index % engine.lanes == 0 else found[-1].stages
        slow = engine.slow if index < engine.lanes * engine.together else None
        found.append(Replica(engine, stages=stages, cache=cache_of(prefixes, engine), slow=slow))
    join_lanes(found)
    return found


def requests_of(draws: Draws) -> list[Request]:
    """Return the requests as they are drawn, before anything became of them."""
    arrivals = [math.nan] * draws.requests if draws.arrivals is None else draws.arrivals.tolist()
    batch = np.zeros(draws.requests, np.bool_) if draws.batch is None else draws.batch
    columns = (draws.prompt, draws.cached, draws.output, draws.pool, draws.tie, batch)
    rows = zip(arrivals, *(column.tolist() for column in columns), strict=True)
    found = [Request(index, *row) for index, row in enumerate(rows)]
    for request, guess in zip(
        found, [] if draws.guess is None else draws.guess.tolist(), strict=draws.guess is not None
    ):
        request.guess = guess
    return found


def next_arrival(coming: Sequence[Request], arrived: int, asking: Sequence[float]) -> float:
    """Return when the next request arrives: by the record, or when the first of a closed loop's clients asks again."""
    if arrived == len(coming):
        return math.inf
    own = coming[arrived].arrival
    return own if not math.isnan(own) else min(asking, default=math.inf)
