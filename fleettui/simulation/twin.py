"""The plain oracle: the same engine step by step in ordinary Python, without leaps, heaps or records.

It is slow and meant to be read next to model.md §6; the compiled engine agrees with it bit for bit when it takes
single steps, and to rounding when it leaps.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from fleettui.domain.fleet import BLOCK_SIZE
from fleettui.scheduling import SCHEDULERS
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import Engine
from fleettui.simulation.prefixes import Prefixes
from fleettui.simulation.twin_bounds import comes_again, leave, note_late
from fleettui.simulation.twin_curve import curved
from fleettui.simulation.twin_dispatch import Dispatch, send
from fleettui.simulation.twin_drafts import commits
from fleettui.simulation.twin_prefixes import NoPrefixes, PrefixTwin, cache_of
from fleettui.simulation.twin_sessions import SessionsTwin


@dataclass(slots=True)
class Request:
    """One request and what became of it; times are NaN until they happen."""

    index: int
    arrival: float
    prompt: int
    cached: int
    output: int
    pool: int
    tie: float
    batch: bool = False
    generated: int = 0
    computed: int = 0
    admitted: float = math.nan
    first: float = math.nan
    finish: float = math.nan
    preempted: int = 0
    decodes: bool = False
    due: float = math.inf
    left: float = math.nan
    rejected: bool = False
    asked: float = math.nan
    attempts: int = 0
    beyond: int = 0
    read: int = 0

    @property
    def target(self) -> int:
        """Tokens that must be in the cache before it decodes: the prompt and, after a preemption, its output so far."""
        return self.prompt + self.generated

    @property
    def blocks(self) -> int:
        """Blocks that its cached tokens fill, and its drafts beyond them."""
        return -(-(self.computed + self.beyond) // BLOCK_SIZE)


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
    cache: PrefixTwin | NoPrefixes = field(default_factory=NoPrefixes)

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
        return self.engine.blocks - self.kept - sum(request.blocks for request in self.running)

    def wait(self, request: Request) -> None:
        """Put a request into the queue before the first that comes after it, else at the end.

        That is one of a later class, or one of its own that ranks after it and was never admitted.
        """
        request.due = request.arrival + self.engine.patience
        rank = SCHEDULERS.named(self.engine.scheduler).rank

        def is_later(one: Request) -> bool:
            if one.batch != request.batch:
                return one.batch
            return math.isnan(one.admitted) and rank(one) > rank(request)

        later = (at for at, one in enumerate(self.waiting) if is_later(one))
        self.waiting.insert(next(later, len(self.waiting)), request)

    def start(self, now: float) -> None:
        """Compose the step that starts now; `wake` is its end, None when there is nothing to do."""
        e = self.engine
        self.decoding = [] if e.alone else self._ready()
        made_room = self._make_room()
        preempted = self._grow() or made_room
        self.prefilling, prompt, chunks = [], 0, list[tuple[int, int]]()
        for request in [one for one in self.running if not one.decodes]:
            tokens = min(request.target - request.computed, e.budget - self._verified)
            if tokens <= 0:
                continue
            if self._missing(request, tokens) > self.free:
                self._preempt(request)
                preempted = True
            else:
                self._compute(request, tokens)
                prompt += tokens
                chunks.append((tokens, request.computed))
        while not preempted and self.waiting:
            tokens = self._admissible(e.budget - self._verified - prompt)
            if tokens == 0:
                break
            request = self.waiting.popleft()
            self.cache.hold(request)
            request.admitted = now if math.isnan(request.admitted) else request.admitted
            self.running.append(request)
            self._compute(request, tokens)
            prompt += tokens
            chunks.append((tokens, request.computed))
        if e.alone and not chunks:
            self.decoding = self._ready()
            self._grow()
        decoding = sum(one.read for one in self.decoding)
        context = decoding + sum(one.computed for one in self.prefilling)
        self.wake = None
        if self.decoding or prompt:
            affine = e.base + e.per_context * context + e.per_prompt * prompt
            self.wake = now + (affine if e.curve is None else curved(e.curve, len(self.decoding), decoding, chunks))
            if e.lanes > 1:
                self.wake = self._through(now, (self.wake - now) / e.lanes)

    def end(self) -> list[Request]:
        """Finish the step: every decoding sequence and every completed prompt is handed one token more.

        Returns the requests that are complete, and those whose clients left.
        """
        assert self.wake is not None, "no step is under way"
        done, served = [], self.decoding + [one for one in self.prefilling if one.computed == one.target]
        fresh = len(served) - len(self.decoding)
        emitted = sum(commits(self, one) for one in self.decoding) + fresh
        self.handed_out = max(self.handed_out, self.wake) + emitted * self.engine.api_token
        committed = [min(commits(self, one), one.output - one.generated) for one in self.decoding] + [1] * fresh
        gain, per = self.engine.gain
        if not (self.engine.alone and self.prefilling):
            self.over = (self.over + gain) % per
        for request, tokens in zip(served, committed, strict=True):
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

    def _through(self, now: float, each: float) -> float:
        """Return when a step that starts now has passed every stage, `each` for so long, after what is there before."""
        for place, free in enumerate(self.stages):
            now = max(now, free) + each
            self.stages[place] = now
        return now

    @property
    def _verified(self) -> int:
        """Tokens that the present step computes of its decodes."""
        return self.engine.drafting.width * len(self.decoding)

    def _ready(self) -> list[Request]:
        return [request for request in self.running if request.decodes]

    def _victim(self) -> Request:
        """Return who gives way first: the latest admitted of class batch, or else of all."""
        return next((one for one in reversed(self.running) if one.batch), self.running[-1])

    def _make_room(self) -> bool:
        """Let those of class batch give way while an interactive prompt that was cut finds no blocks to go on."""
        preempted = False
        for request in [one for one in self.running if not one.decodes and not one.batch]:
            while self._victim().batch:
                tokens = min(request.target - request.computed, self.engine.budget - self._verified)
                needed = self._missing(request, tokens)
                needed += sum(self._missing(one, commits(self, one)) for one in self.decoding)
                if needed <= self.free:
                    break
                self._preempt(self._victim())
                preempted = True
        return preempted

    def _grow(self) -> bool:
        """Cache the tokens of every decoding sequence; victims give way while blocks are missing.

        Those beyond its end are held as drafts are.
        """
        preempted = False
        while sum(self._missing(one, commits(self, one)) for one in self.decoding) > self.free:
            self._preempt(self._victim())
            preempted = True
        for request in self.decoding:
            tokens = commits(self, request)
            self.cache.take(self._missing(request, tokens))
            request.read = request.computed + self.engine.drafting.width
            own = min(tokens, request.output - request.generated)
            request.computed += own
            request.beyond += tokens - own
        return preempted

    def _admissible(self, budget: int) -> int:
        """Return the tokens that the head of the queue would get, 0 when it must wait."""
        if budget <= 0 or len(self.running) + self.coming >= self.engine.places:
            return 0
        head = self.waiting[0]
        head.cached = self.cache.tokens_found(head)
        tokens = min(head.target - head.cached, budget)
        needed = -(-(head.cached + tokens + self.engine.drafting.drafts) // BLOCK_SIZE) - self.cache.shared(head)
        if (self.running or self.kept) and self.free - needed < self.engine.watermark:
            return 0
        head.computed = head.cached
        return tokens

    def _missing(self, request: Request, tokens: int) -> int:
        beyond = max(request.beyond, self.engine.drafting.drafts)
        return -(-(request.computed + tokens + beyond) // BLOCK_SIZE) - request.blocks

    def _compute(self, request: Request, tokens: int) -> None:
        self.cache.take(self._missing(request, tokens))
        request.computed += tokens
        request.beyond = self.engine.drafting.drafts
        self.cache.note(request)
        self.prefilling.append(request)

    def _preempt(self, request: Request) -> None:
        request.preempted += 1
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
    coming = _requests(draws)
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
            due = _look(pools, event, every)
        if replica is not None and replica.wake is not None and replica.wake < soonest:
            now, load = replica.wake, replica.load
            for place, request in enumerate(replica.end()):
                pools[request.pool].leave(replica, load - place)
                is_away = math.isfinite(request.left) and comes_again(request, engines[request.pool], draws)
                again += [request] * is_away
                open_ones -= 0 if is_away else sessions.end(request, replica, coming)
                if draws.arrivals is None:
                    asking.append(request.finish + float(draws.thinking[request.index]))
            replica.start(now)
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
                target.start(request.arrival)
    return coming


def _look(pools: Sequence[Dispatch], now: float, every: float) -> float:
    """Let the routers of all pools look, which they do `every` so many seconds; return when they look again."""
    for one in pools:
        one.look()
    return (math.floor(now / every) + 1.0) * every


def _replicas(engine: Engine, prefixes: Prefixes | None) -> list[Replica]:
    """Return a pool's replicas; the lanes of an instance have their stages in common."""
    found: list[Replica] = []
    for index in range(engine.replicas):
        stages = [0.0] * engine.lanes if index % engine.lanes == 0 else found[-1].stages
        found.append(Replica(engine, stages=stages, cache=cache_of(prefixes, engine.blocks)))
    return found


def _requests(draws: Draws) -> list[Request]:
    arrivals = [math.nan] * draws.requests if draws.arrivals is None else draws.arrivals.tolist()
    batch = np.zeros(draws.requests, np.bool_) if draws.batch is None else draws.batch
    columns = (draws.prompt, draws.cached, draws.output, draws.pool, draws.tie, batch)
    rows = zip(arrivals, *(column.tolist() for column in columns), strict=True)
    return [Request(index, *row) for index, row in enumerate(rows)]


def next_arrival(coming: Sequence[Request], arrived: int, asking: Sequence[float]) -> float:
    """Return when the next request arrives: by the record, or when the first of a closed loop's clients asks again."""
    if arrived == len(coming):
        return math.inf
    own = coming[arrived].arrival
    return own if not math.isnan(own) else min(asking, default=math.inf)
