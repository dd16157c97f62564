"""The plain oracle: the same engine step by step in ordinary Python, without leaps, heaps or records.

It is slow and meant to be read next to model.md §6; the compiled engine agrees with it bit for bit when it takes
single steps, and to rounding when it leaps.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace

from fleettui.domain.fleet import BLOCK_SIZE
from fleettui.routing import ROUTERS, load_order
from fleettui.scheduling import SCHEDULERS
from fleettui.simulation.curve import Curve
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import Engine


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
    generated: int = 0
    computed: int = 0
    admitted: float = math.nan
    first: float = math.nan
    finish: float = math.nan
    preempted: int = 0
    decodes: bool = False

    @property
    def target(self) -> int:
        """Tokens that must be in the cache before it decodes: the prompt and, after a preemption, its output so far."""
        return self.prompt + self.generated

    @property
    def blocks(self) -> int:
        """Blocks that its cached tokens fill."""
        return -(-self.computed // BLOCK_SIZE)


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
        return self.engine.blocks - self.kept - sum(request.blocks for request in self.running)

    def wait(self, request: Request) -> None:
        """Put a request into the queue before the first that ranks after it and was never admitted, else at the end."""
        rank = SCHEDULERS.named(self.engine.scheduler).rank
        later = (at for at, one in enumerate(self.waiting) if math.isnan(one.admitted) and rank(one) > rank(request))
        self.waiting.insert(next(later, len(self.waiting)), request)

    def start(self, now: float) -> None:
        """Compose the step that starts now; `wake` is its end, None when there is nothing to do."""
        e = self.engine
        ready = [request for request in self.running if request.decodes]
        self.decoding = [] if e.alone else ready
        preempted = self._grow()
        self.prefilling, prompt, chunks = [], 0, list[tuple[int, int]]()
        for request in [one for one in self.running if not one.decodes]:
            tokens = min(request.target - request.computed, e.budget - len(self.decoding))
            if tokens == 0:
                continue
            if self._missing(request, tokens) > self.free:
                self._preempt(request)
                preempted = True
            else:
                self._compute(request, tokens)
                prompt += tokens
                chunks.append((tokens, request.computed))
        while not preempted and self.waiting:
            tokens = self._admissible(e.budget - len(self.decoding) - prompt)
            if tokens == 0:
                break
            request = self.waiting.popleft()
            request.admitted = now if math.isnan(request.admitted) else request.admitted
            self.running.append(request)
            self._compute(request, tokens)
            prompt += tokens
            chunks.append((tokens, request.computed))
        if e.alone and not chunks:
            self.decoding = ready
            self._grow()
        decoding = sum(one.computed for one in self.decoding)
        context = decoding + sum(one.computed for one in self.prefilling)
        self.wake = None
        if self.decoding or prompt:
            affine = e.base + e.per_context * context + e.per_prompt * prompt
            self.wake = now + (affine if e.curve is None else _curved(e.curve, len(self.decoding), decoding, chunks))
            if e.lanes > 1:
                self.wake = self._through(now, (self.wake - now) / e.lanes)

    def end(self) -> list[Request]:
        """Finish the step: every decoding sequence and every completed prompt is handed one token more."""
        assert self.wake is not None, "no step is under way"
        done, served = [], self.decoding + [one for one in self.prefilling if one.computed == one.target]
        self.handed_out = max(self.handed_out, self.wake) + len(served) * self.engine.api_token
        for request in served:
            request.generated += 1
            request.decodes = True
            if math.isnan(request.first):
                request.first = self.handed_out
            if request.generated == request.output:
                request.finish = self.handed_out
                self.running.remove(request)
                done.append(request)
        return done

    def _through(self, now: float, each: float) -> float:
        """Return when a step that starts now has passed every stage, `each` for so long, after what is there before."""
        for place, free in enumerate(self.stages):
            now = max(now, free) + each
            self.stages[place] = now
        return now

    def _grow(self) -> bool:
        """Cache the token of every decoding sequence; the latest admitted give way while blocks are missing."""
        preempted = False
        while sum(self._missing(one, 1) for one in self.decoding) > self.free:
            self._preempt(self.running[-1])
            preempted = True
        for request in self.decoding:
            request.computed += 1
        return preempted

    def _admissible(self, budget: int) -> int:
        """Return the tokens that the head of the queue would get, 0 when it must wait."""
        if budget <= 0 or len(self.running) + self.coming >= self.engine.places:
            return 0
        head = self.waiting[0]
        tokens = min(head.target - head.cached, budget)
        needed = -(-(head.cached + tokens) // BLOCK_SIZE)
        if (self.running or self.kept) and self.free - needed < self.engine.watermark:
            return 0
        head.computed = head.cached
        return tokens

    def _missing(self, request: Request, tokens: int) -> int:
        return -(-(request.computed + tokens) // BLOCK_SIZE) - request.blocks

    def _compute(self, request: Request, tokens: int) -> None:
        request.computed += tokens
        self.prefilling.append(request)

    def _preempt(self, request: Request) -> None:
        request.preempted += 1
        request.computed, request.decodes = 0, False
        self.running.remove(request)
        if request in self.decoding:
            self.decoding.remove(request)
        self.waiting.appendleft(request)


def _curved(curve: Curve, decodes: int, context: int, chunks: Sequence[tuple[int, int]]) -> float:
    """Return the seconds of a step of `decodes`, which read `context` tokens, beside chunks (tokens, cached then)."""
    alone = float(curve.batches["base"][decodes]) + float(curve.batches["per_context"][decodes]) * context
    if not chunks:
        return alone
    prompt, attention = sum(tokens for tokens, _ in chunks), 0.0
    for tokens, computed in chunks:
        pairs = tokens * (computed - 0.5 * tokens)
        below = max(bisect_right(curve.prompts["pairs"].tolist(), pairs) - 1, 0)
        point = curve.prompts[below]
        attention += float(point["seconds"] + point["slope"] * (pairs - point["pairs"]))
    kernels = alone + (float(curve.linear[decodes + prompt]) - float(curve.linear[decodes]))
    return max(kernels + (curve.floor + attention), curve.least) + curve.extra


@dataclass(slots=True)
class Sight:
    """What a router knows of a replica: requests there and running ones among them, tokens of all their prompts."""

    load: int = 0
    running: int = 0
    tokens: int = 0

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
        self.arrived = 0

    def send(self, request: Request) -> Replica:
        """Queue a request at the replica that the router chooses and return that."""
        if not self.stale:
            self.seen = [Sight.of(replica) for replica in self.replicas]
        least, count = min(one.load for one in self.seen), len(self.replicas)
        pool = SimpleNamespace(start=0, levels=0, replicas=count, least=least, arrived=self.arrived)
        index = self.router.choose(self, pool, request)
        replica = self.replicas[index]
        if not self.stale or self.router.counts:
            self._add_one(index)
            self.seen[index].tokens += request.prompt
        replica.wait(request)
        self.arrived += 1
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


def play(engines: Sequence[Engine], draws: Draws) -> list[Request]:
    """Return every request of `draws` after it was served, in order."""
    replicas = [replica for engine in engines for replica in _replicas(engine)]
    pools, start = [], 0
    for engine in engines:
        pools.append(Dispatch(replicas[start : start + engine.replicas], draws.requests))
        start += engine.replicas
    coming = _requests(draws)
    asking = [0.0] * draws.clients
    arrived, served, every = 0, 0, engines[0].refresh
    due = every or math.inf
    while served < len(coming):
        arrival = _next_arrival(coming, arrived, asking)
        replica = min((one for one in replicas if one.wake is not None), key=lambda one: one.wake or 0.0, default=None)
        event = min(arrival, math.inf if replica is None or replica.wake is None else replica.wake)
        if event >= due:
            for one in pools:
                one.look()
            due = (math.floor(event / every) + 1.0) * every
        if replica is not None and replica.wake is not None and replica.wake < arrival:
            now, load = replica.wake, replica.load
            done = replica.end()
            served += len(done)
            for place, request in enumerate(done):
                pools[request.pool].leave(replica, load - place)
                if draws.arrivals is None:
                    asking.append(request.finish + float(draws.thinking[request.index]))
            replica.start(now)
        else:
            request = coming[arrived]
            if draws.arrivals is None:
                asking.remove(arrival)
                request.arrival = arrival
            arrived += 1
            target = pools[request.pool].send(request)
            if target.wake is None:
                target.start(arrival)
    return coming


def _replicas(engine: Engine) -> list[Replica]:
    """Return a pool's replicas; the lanes of an instance have their stages in common."""
    found: list[Replica] = []
    for index in range(engine.replicas):
        stages = [0.0] * engine.lanes if index % engine.lanes == 0 else found[-1].stages
        found.append(Replica(engine, stages=stages))
    return found


def _requests(draws: Draws) -> list[Request]:
    arrivals = [math.nan] * draws.requests if draws.arrivals is None else draws.arrivals.tolist()
    columns = (draws.prompt, draws.cached, draws.output, draws.pool, draws.tie)
    rows = zip(arrivals, *(column.tolist() for column in columns), strict=True)
    return [Request(index, *row) for index, row in enumerate(rows)]


def _next_arrival(coming: Sequence[Request], arrived: int, asking: Sequence[float]) -> float:
    if arrived == len(coming):
        return math.inf
    own = coming[arrived].arrival
    return own if not math.isnan(own) else min(asking, default=math.inf)
