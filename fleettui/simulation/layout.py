"""What a run works on: arrays of records, one row per request, pool, replica and place in a batch, at their start."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.failing import SlowReplica
from fleettui.domain.fleet import BLOCK_SIZE, WATERMARK, Pool
from fleettui.domain.hardware import Profile, StepTable
from fleettui.domain.speculation import NO_DRAFTS, PER, Speculation
from fleettui.routing import ROUTERS, pools_meet
from fleettui.scheduling import SCHEDULERS
from fleettui.simulation.bounds import UNBOUNDED, BoundState, Limits, bounds_of
from fleettui.simulation.compiled import compiled
from fleettui.simulation.curve import Curve, Curves
from fleettui.simulation.draws import Draws
from fleettui.simulation.lockstep import Lockstep, lockstep_of
from fleettui.simulation.prefix_cache import Cache
from fleettui.simulation.prefix_index import index_of
from fleettui.simulation.prefixes import Prefixes
from fleettui.simulation.records import POOL, REPLICA, REQUEST, SLOT, Records
from fleettui.simulation.sessions import SessionState, sessions_of
from fleettui.simulation.speculation import chances
from fleettui.simulation.turns import TurnState, turns_of

UNLIMITED = 2**40


class Known(NamedTuple):
    """What a router decides by: the replicas as it knows them, and their order by load."""

    seen: Records
    order: NDArray[np.int32]
    ends: NDArray[np.int32]


class State(NamedTuple):
    """The arrays of one run; `ends`, `order`, `rank` belong to the dispatch, `heap`, `spot` to the next wakes.

    `keys` are the heaps of completions, `fresh` the slots whose prompt ends with the step, `phases` how many decoding
    sequences fill a block at which step modulo its tokens; each with a row per replica. `clients` is a heap of times
    at which a closed loop's clients ask again, `thinking` what each takes after request i. `stages` says when each
    stage of an instance is free: as many as it has lanes, at their places. `seen` are the replicas as their router saw
    them when it last looked (`routing.view.Seen`): copies where it `looks` from time to time, else they themselves.
    `bounds` are those of queues and of clients' patience, `cache` the prefixes that replicas hold, `sent` those that a
    router remembers to have sent there, `sessions` which request follows which; each is None where there is none of it,
    which the compiled loop is made without; so are `turns` of prompts, and what lanes in `lockstep` have. Sessions
    stand beside every cache: one loop less to compile. `across` says whether the router sends between pools.
    """

    requests: Records
    pools: Records
    replicas: Records
    seen: Records
    slots: Records
    keys: NDArray[np.int64]
    fresh: NDArray[np.int32]
    phases: NDArray[np.int32]
    order: NDArray[np.int32]
    rank: NDArray[np.int32]
    ends: NDArray[np.int32]
    heap: NDArray[np.int32]
    spot: NDArray[np.int32]
    stages: NDArray[np.float64]
    clients: NDArray[np.float64]
    thinking: NDArray[np.float64]
    curves: Curves
    bounds: BoundState | None
    cache: Cache | None = None
    sent: Cache | None = None
    sessions: SessionState | None = None
    turns: TurnState | None = None
    lockstep: Lockstep | None = None
    across: bool = False
    looks: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """A pool's replicas as the simulation runs them; a `curve` takes the place of the three times.

    Prompts that run `alone` make steps in which nobody decodes, before any other step; `whole` ones are not cut, but
    for what was preempted and is now longer than the budget, which has all of a step's. `api_token` are the seconds
    that a replica's API process takes to hand out each token, one after the other. The `router` looks at the loads each
    `refresh` seconds, always where that is 0. Where `lanes` of the replicas are the batches of one instance, a step of
    any of them goes through as many stages, each for one batch at a time; where so many are `together` they step at
    once, as one. `queue` requests may wait at a replica, any number where that is None, and a client waits `patience`
    seconds for its first token; it comes again `retries` times at most, `backoff` seconds later and longer each time.
    With `full` requests (0: its places) a replica is full. Steps verify the drafts of `drafting`; where it is sampled,
    `luck` is the seed of that. A `block` has a power of two of tokens. A memory `beside` each replica takes so many
    blocks of what is preempted while it decodes, each in `move` seconds, and back; or `far` blocks of what its prefix
    cache drops, which come back so. The first replica may be `slow` for a while.
    """

    base: float
    per_context: float
    per_prompt: float
    budget: int
    places: int
    blocks: int
    watermark: int
    replicas: int
    block: int = BLOCK_SIZE
    router: str = ROUTERS.default.name
    refresh: float = 0.0
    scheduler: str = SCHEDULERS.default.name
    alone: bool = False
    whole: bool = False
    api_token: float = 0.0
    lanes: int = 1
    together: int = 1
    curve: Curve | None = None
    queue: int | None = None
    patience: float = math.inf
    retries: int = 0
    backoff: float = 0.0
    full: int = 0
    drafting: Speculation = NO_DRAFTS
    luck: int = 0
    beside: int = 0
    far: int = 0
    move: float = 0.0
    slow: SlowReplica | None = None

    @property
    def fetches(self) -> bool:
        """Whether what is far away is fetched: where that takes a token less than its part of a prompt does."""
        return self.move <= self.block * self.per_prompt

    def blocks_of(self, tokens: int) -> int:
        """Return the blocks that hold so many tokens."""
        return -(-tokens // self.block)

    def taken(self, rest: int, left: int) -> int:
        """Return the tokens of a prompt's `rest` that a step takes which has so many `left`; none where it waits."""
        tokens = min(rest, left)
        return 0 if self.whole and tokens < min(rest, self.budget) else tokens

    @property
    def gain(self) -> tuple[int, int]:
        """Tokens that so many steps commit of each decoding sequence beside its luck, and how many steps."""
        own = self.drafting
        return (1, 1) if own.sampled or not own.drafts else (own.gain, PER)

    @classmethod
    def of(
        cls,
        pool: Pool,
        admission: str,
        router: str = ROUTERS.default.name,
        hardware: Profile | None = None,
        refresh: float | None = None,
    ) -> Engine:
        """Return the engine of a pool on its hardware, which counts where the pool's steps are by kernels.

        The scheduler of `admission` admits by blocks up to the engine's own limit; or it reserves, its concurrency of
        whole contexts, and then blocks limit nothing. Every running sequence must find its token in the budget.
        """
        scheduler = SCHEDULERS.named(admission)
        paged = not scheduler.reserves
        profile = pool.profile
        most = pool.settings.places(pool.pp, pool.drafting.width)
        places = most if paged else min(pool.concurrency, pool.token_budget // pool.drafting.width)
        return cls(
            base=profile.base_step_time,
            per_context=profile.time_per_context_token,
            per_prompt=profile.time_per_prompt_token,
            budget=pool.token_budget,
            places=places,
            blocks=profile.kv_blocks if paged else UNLIMITED,
            block=profile.block_size,
            watermark=int(profile.kv_blocks * WATERMARK) if paged else 0,
            replicas=pool.lanes,
            router=router,
            refresh=refresh or 0.0,
            scheduler=admission,
            alone=pool.settings.alone or scheduler.alone,
            whole=pool.settings.whole,
            api_token=profile.api_token * pool.batches,
            lanes=pool.pp,
            together=pool.batches if pool.attention_dp else 1,
            curve=_curve(pool, hardware, places) if profile.by_kernels else None,
            full=min(pool.concurrency, places),
            drafting=pool.drafting,
        )

    def longest(self) -> int:
        """Return the tokens that a request may hold at most: what admission leaves, to be sure of its growth.

        Its last step may pass its end by as many tokens as are drafted, and has that many drafts.
        """
        return (self.blocks - self.watermark) * self.block - 2 * self.drafting.drafts


def _curve(pool: Pool, hardware: Profile | None, places: int) -> Curve:
    assert hardware is not None, f"pool {pool.name}: steps by kernels of hardware that nobody knows"
    assert isinstance(hardware.step, StepTable), f"pool {pool.name}: {hardware.name} has no steps by kernels"
    lanes = pool.batches if pool.attention_dp else 1
    return Curve.of(hardware.step, budget=pool.token_budget, places=places, lanes=lanes)


def prepare(engines: Sequence[Engine], draws: Draws, records: Records | None = None) -> State:
    """Return the arrays of a run at its start: everything idle, nothing arrived.

    The requests are written over the `records` of a run that is over, as many, where these are given.
    """
    replicas, places = sum(one.replicas for one in engines), max(one.places for one in engines)
    clients, looks = 0 if draws.arrivals is not None else draws.clients, any(one.refresh > 0.0 for one in engines)
    levels = (draws.requests if looks else clients or draws.requests) + 2
    own = _replicas(engines)
    limits = [Limits(one.queue, one.patience, one.retries, one.backoff) for one in engines]
    bounds = bounds_of(limits, draws.requests, replicas, draws.jitter)
    assert bounds is None or draws.arrivals is not None, "the clients of a closed loop wait for their answers"
    assert draws.rounds is None or draws.prefixes is not None, "sessions stand beside caches, if only empty ones"
    requests = _requests(draws, records)
    return State(
        requests=requests,
        pools=_pools(engines, levels, draws.batch is not None),
        replicas=own,
        seen=own.copy() if looks else own,
        slots=_slots(replicas, places),
        keys=np.zeros((replicas, places), np.int64),
        fresh=np.zeros((replicas, places), np.int32),
        phases=np.zeros((replicas, max(one.block for one in engines)), np.int32),
        order=np.arange(replicas, dtype=np.int32),
        rank=np.arange(replicas, dtype=np.int32),
        ends=np.repeat(np.array([engine.replicas for engine in engines], np.int32), levels),
        heap=np.zeros(replicas, np.int32),
        spot=np.full(replicas, -1, np.int32),
        stages=np.zeros(replicas),
        clients=np.zeros(clients),
        thinking=draws.thinking if clients else np.zeros(0),
        curves=Curves.of([engine.curve for engine in engines]),
        bounds=bounds,
        cache=None if draws.prefixes is None else _cache(engines, draws.prefixes, own["free"].tolist()),
        sent=None if draws.prefixes is None else _index(engines, draws.prefixes),
        sessions=None if draws.prefixes is None else sessions_of(draws.rounds, draws.requests),
        lockstep=lockstep_of(engines),
        turns=turns_of([one.scheduler for one in engines], replicas, places, requests, draws.guess),
        across=pools_meet(engines[0].router, len(engines)),
        looks=looks,
    )


def _cache(engines: Sequence[Engine], prefixes: Prefixes, blocks: list[int]) -> Cache:
    each = [one for one in engines for _ in range(one.replicas)]
    return Cache.of(prefixes, blocks, [one.block for one in each], [one.far for one in each])


def _index(engines: Sequence[Engine], prefixes: Prefixes) -> Cache:
    most = [ROUTERS.named(one.router).remembers for one in engines for _ in range(one.replicas)]
    return index_of(prefixes, most)


def _requests(draws: Draws, records: Records | None) -> Records:
    requests = np.empty(draws.requests, REQUEST) if records is None else records
    assert len(requests) == draws.requests, f"{len(requests)} records of {draws.requests} requests"
    arrival = np.zeros(0) if draws.arrivals is None else draws.arrivals
    batch = np.zeros(0, np.bool_) if draws.batch is None else draws.batch
    _write(requests, (arrival, batch, draws.prompt, draws.cached, draws.output, draws.pool, draws.tie))
    return requests


@compiled
def _write(requests: Any, drawn: Any) -> None:
    """Write requests as they are before a run; times of arrival and classes are empty where none were drawn."""
    arrival, batch, prompt, cached, output, pool, tie = drawn
    for index in range(len(requests)):
        request = requests[index]
        request.arrival = arrival[index] if len(arrival) > 0 else 0.0
        request.batch = batch[index] if len(batch) > 0 else False
        request.prompt, request.cached, request.output = prompt[index], cached[index], output[index]
        request.pool, request.tie = pool[index], tie[index]
        request.admitted = request.first = request.finish = np.nan
        request.generated, request.next, request.away = 0, -1, False


OF_ENGINE = (
    *("base", "per_context", "per_prompt", "api_token", "refresh"),
    *("budget", "places", "blocks", "block", "watermark", "replicas", "lanes", "together", "alone", "whole"),
    *("beside", "move", "fetches"),
)
"""What a pool's record has as it stands in its engine."""


def _pools(engines: Sequence[Engine], levels: int, classed: bool) -> Records:
    pools = np.zeros(len(engines), POOL)
    for name in OF_ENGINE:
        pools[name] = [getattr(engine, name) for engine in engines]
    for place, curve in enumerate(engine.curve for engine in engines):
        if curve is not None:
            pools[place]["curved"], pools[place]["floor"] = True, curve.floor
            if curve.lanes == 1:
                pools[place]["extra"], pools[place]["least_step"] = curve.extra, curve.least
    pools["router"] = [ROUTERS.code(engine.router) for engine in engines]
    pools["counts"] = [ROUTERS.named(engine.router).counts for engine in engines]
    pools["remembers"] = [ROUTERS.named(engine.router).remembers > 0 for engine in engines]
    pools["sees_memory"] = [ROUTERS.named(engine.router).sees_memory for engine in engines]
    pools["scheduler"] = [SCHEDULERS.code(engine.scheduler) for engine in engines]
    pools["varies"] = [SCHEDULERS.named(engine.scheduler).varies for engine in engines]
    pools["queue"] = [UNBOUNDED if engine.queue is None else engine.queue for engine in engines]
    pools["full"] = [engine.full or engine.places for engine in engines]
    pools["width"] = [engine.drafting.width for engine in engines]
    pools["sampled"] = [engine.drafting.sampled for engine in engines]
    pools["luck"] = [engine.luck for engine in engines]
    pools["chances"] = [chances(engine.drafting.rates) for engine in engines]
    pools["start"] = np.cumsum(pools["replicas"]) - pools["replicas"]
    pools["classed"], pools["home"] = classed, -1
    pools["levels"] = np.arange(len(engines)) * levels
    return pools


def _replicas(engines: Sequence[Engine]) -> Records:
    counts = [engine.replicas for engine in engines]
    replicas = np.zeros(sum(counts), REPLICA)
    replicas["pool"] = np.repeat(np.arange(len(engines)), counts)
    for name, of in (("free", "blocks"), ("mask", "block"), ("base", "base"), ("per_context", "per_context")):
        replicas[name] = np.repeat([getattr(engine, of) for engine in engines], counts)
    replicas["mask"], replicas["bits"] = replicas["mask"] - 1, np.log2(replicas["mask"])
    for name in ("partial", "head", "tail", "last"):
        replicas[name] = -1
    replicas["latest"] = -np.inf
    for engine, first in zip(engines, np.cumsum(counts) - counts, strict=True):
        if engine.slow is not None:
            one = replicas[first : first + engine.lanes * engine.together]
            one["paced"], one["pace"] = True, engine.slow.pace
            one["slow"], one["well"] = engine.slow.start, engine.slow.end
    replicas["width"] = np.repeat([engine.drafting.width for engine in engines], counts)
    gain, per = np.array([engine.gain for engine in engines]).T
    replicas["gain"], replicas["per"] = np.repeat(gain, counts), np.repeat(per, counts)
    return replicas


def be_new(seen: Records, row: int) -> None:
    """Let a router know of a replica, which has nothing to do, what it knows of a new one."""
    seen["load"][row] = seen["tokens"][row] = seen["running"][row] = seen["used"][row] = 0
    seen["latest"][row] = -np.inf


def _slots(replicas: int, places: int) -> Records:
    slots = np.zeros((replicas, places), SLOT)
    slots["request"] = -1
    slots["after"] = np.append(np.arange(1, places), -1)
    return slots
