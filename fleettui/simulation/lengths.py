"""How long each pool must be simulated before its tail can be trusted (model.md §7)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fleettui.domain.bounds import Bounds
from fleettui.domain.fleet import Fleet, Pool
from fleettui.domain.plan import UNSTABLE_TAIL
from fleettui.domain.simulation import PoolLength, PoolTraffic, Traffic
from fleettui.errors import InputError
from fleettui.queueing.batching import occupancy
from fleettui.queueing.moments import RequestTable
from fleettui.queueing.service import Service
from fleettui.routing import ROUTERS, pools_meet
from fleettui.simulation.compressed_draws import coming
from fleettui.simulation.statistics import LEAST, REQUEST_BUDGET
from fleettui.workloads.arrivals import asked

LOOK = 20_000
"""Requests that a short look measures at most, and as many to warm up with."""
FILLS = 6.0
"""Warm-up in mean numbers of requests in service."""
FIRST = 2_000
WARM_UP = 10.0
"""Warm-up in relaxation times."""
MEMORIES = 100.0
"""Measured time in memories of the arrivals' rate, and a tenth of it to warm up with."""
HORIZON = 1_000.0
"""Measured time in relaxation times."""
FEWEST = 20_000
FEWEST_OF_CLASS = 5_000
"""Requests of each class that are measured, where there are two, unless all would be more than ENOUGH."""
SERVICES = 100.0
"""Measured time in mean service times, up to ENOUGH requests."""
ENOUGH = 500_000
WARM_SHARE = 4
"""A pool that is cut short keeps its warm-up to this part of its requests: what is not warm is wrong, not vague."""
LONGER_WAITS = 0.01
"""Share of the later rounds of sessions that may come longer after the one before than caches are warmed."""
MOST_CLIENTS = 1_000_000
"""Clients of a closed loop that is simulated: a run takes two requests of each beside those that it is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """A run of pools: requests to warm up with, to measure, and to go on with, so that the last meet the same crowd."""

    warm_up: int
    measured: int
    after: int

    @classmethod
    def alone(cls, length: PoolLength) -> Course:
        """Return the run of one pool by itself."""
        return cls(warm_up=length.warm_up, measured=length.measured, after=length.warm_up // 2)

    @classmethod
    def together(cls, lengths: Sequence[PoolLength], shares: Sequence[float], clients: int) -> Course:
        """Return the run of a closed loop's pools, each with its share of the requests: as long as any of them asks.

        Every client's first request comes before the measured ones, and as many come after them.
        """
        warm_up, measured = (
            max(math.ceil(getattr(length, name) / share) for length, share in zip(lengths, shares, strict=True))
            for name in ("warm_up", "measured")
        )
        warm_up += clients
        return cls(warm_up=warm_up, measured=measured, after=max(clients, warm_up // 2))

    @property
    def end(self) -> int:
        """The number of the first request that is no longer measured."""
        return self.warm_up + self.measured

    @property
    def requests(self) -> int:
        """All requests of the run."""
        return self.end + self.after


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """How long a fleet's pools are simulated, and each pool's offered work over its full-batch capacity.

    `unstable` says why these lengths are too short for an interval, or that no length would do; else it is empty.
    """

    pools: tuple[PoolLength, ...]
    utilization: tuple[float, ...]
    unstable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A pool as a queue: c servers, mean service E[S] in seconds at full batch, scv v of the work, λ in requests/s,
    `gaps` u the variance over mean of counts of arrivals in the long run, for independent gaps their scv; their rate
    remembers itself for `memory` seconds.

    No request stays for more than the `longest` seconds, about, where its stay is bounded. Its caches of prefixes
    are full after `filling` seconds. `fewest` requests are measured at least.
    Where its replicas serve no common queue, c is what one of them has; λ is the pool's all the same.
    """

    name: str
    servers: int
    service: float
    scv: float
    gaps: float
    utilization: float
    arrival_rate: float
    memory: float
    longest: float = math.inf
    filling: float = 0.0
    fewest: float = FEWEST

    @classmethod
    def of(cls, pool: Pool, own: PoolTraffic, traffic: Traffic, *, one_queue: bool) -> Queue:
        """Return the queue that a pool's `own` part of `traffic` meets."""
        hit = traffic.prefix_hit if own.found is None else own.found
        table = RequestTable.of(own.atoms, chunk=pool.token_budget, prefix_hit=hit, drafting=pool.drafting)
        moments = table.moments(0, len(table.weight))
        n, service = float(pool.concurrency), Service.of_pool(pool)
        found = occupancy(moments, service, own.arrival_rate, pool.lanes)
        arrivals = asked(traffic.arrivals)
        variation = arrivals.process.vary(arrivals.stream(traffic.rate, traffic.record))
        scv = moments.work_scv(service.base, n * service.per_context, n * service.per_prompt)
        return cls(
            name=pool.name,
            servers=(pool.lanes if one_queue else 1) * pool.concurrency,
            service=float(moments.steps * found.full_step),
            scv=float(scv),
            gaps=1.0 + variation.excess * own.arrival_rate / traffic.rate,
            memory=variation.memory,
            utilization=float(found.utilization),
            arrival_rate=own.arrival_rate,
            filling=_filling(pool, own, traffic),
            fewest=_fewest(traffic.batch_share if own.batch_share is None else own.batch_share),
            longest=_longest(traffic.bounds, float(moments.steps * found.full_step), pool.concurrency),
        )

    @property
    def relaxation(self) -> float:
        """τ = E[S](u + v)/(c(1 − ρ)²) in seconds, or what bounds leave of it; infinite for a queue without end."""
        if self.utilization >= 1.0:
            return self.longest
        return min(self._relaxation, self.longest)

    @property
    def _relaxation(self) -> float:
        return self.service * (self.gaps + self.scv) / (self.servers * (1.0 - self.utilization) ** 2)


def _fewest(batch_share: float) -> float:
    """Return the fewest requests that are measured, where a share of them is of class batch."""
    rarer = min(batch_share, 1.0 - batch_share)
    return max(FEWEST, min(FEWEST_OF_CLASS / rarer, ENOUGH)) if rarer else FEWEST


def _filling(pool: Pool, own: PoolTraffic, traffic: Traffic) -> float:
    """Return the seconds in which what arrives fills all blocks of a pool, 0 where no prefixes are cached.

    Of sessions nearly every round has one before it then, which has been there too.
    """
    if not traffic.caches:
        return 0.0
    waits = traffic.sessions.longest_wait(LONGER_WAITS) if traffic.sessions else 0.0
    weights = sum(weight for weight, _, _ in own.atoms)
    tokens = sum(weight * (prompt + output) for weight, prompt, output in own.atoms) / weights
    return max(pool.lanes * pool.profile.kv_blocks * pool.profile.block_size / (own.arrival_rate * tokens), waits)


def _longest(bounds: Bounds, service: float, places: int) -> float:
    """Return the seconds in which a full queue has passed a replica's places, or all who waited in it have left.

    Who comes again does so in as many attempts, and after all that it waits between them.
    """
    by_queue = math.inf if bounds.queue is None else service * (bounds.queue / places + 1.0)
    by_clients = math.inf if bounds.timeout is None else bounds.timeout + service
    if bounds.retries is None or bounds.backoff is None:
        return min(by_queue, by_clients)
    return min(by_queue, by_clients) * (bounds.retries + 1) + bounds.backoff * (2.0**bounds.retries - 1.0)


def lengths(fleet: Fleet, traffic: Traffic) -> Lengths:
    """Return how long every pool of `fleet` must be simulated under `traffic`, cut where LEAST runs cost too much.

    In a closed loop nothing is remembered beyond a client's cycle, N/λ by Little's law, so no pool is overloaded. Where
    the router sends between pools they run together, and longer pools help one that is overloaded.
    An overloaded pool of an open one has no relaxation: its length is that of τ = 0, and so is its `relaxation`.
    Raises InputError for a closed loop of too many clients.
    """
    if traffic.concurrency is not None:
        check_clients(traffic.concurrency)
    clients, meets = traffic.concurrency or 0, pools_meet(fleet.router, len(fleet.pools))
    guesses = traffic.length_error is not None and len(fleet.pools) > 1
    meet = meets or guesses or traffic.sessions is not None
    pairs = zip(fleet.pools, traffic.pools, strict=True)
    router = ROUTERS.named(fleet.router)
    queues = [Queue.of(pool, own, traffic, one_queue=router.one_queue) for pool, own in pairs]
    rate = sum(queue.arrival_rate for queue in queues)
    cycle = math.inf if traffic.concurrency is None else traffic.concurrency / rate
    helped = _helped(queues, fleet) if meets and router.across is not None and not router.of_classes else queues
    taus = [min(queue.relaxation, cycle) for queue in helped]
    full = [_length(queue, tau if math.isfinite(tau) else 0.0) for queue, tau in zip(queues, taus, strict=True)]
    if traffic.concurrency is None and not meet:
        asked = [Course.alone(one).requests for one in full]
        pools = _affordable(full, REQUEST_BUDGET // LEAST)
    else:
        rates = [pool.arrival_rate for pool in coming(traffic).pools]
        full = [one.among(whole / queue.arrival_rate) for one, queue, whole in zip(full, queues, rates, strict=True)]
        shares = [one / rate for one in rates]
        asked = [Course.together(full, shares, clients).requests] * len(full)
        pools = _affordable_together(full, REQUEST_BUDGET // LEAST, shares, clients)
    return Lengths(
        pools=pools,
        utilization=tuple(queue.utilization for queue in queues),
        unstable=_overloaded(queues, taus) or _too_long(queues, asked, full, pools),
    )


def _helped(queues: Sequence[Queue], fleet: Fleet) -> list[Queue]:
    """Return the queues of `fleet` as busy as each is together with those longer pools that relieve it most."""
    work = [queue.utilization * pool.replicas for queue, pool in zip(queues, fleet.pools, strict=True)]
    replicas = [pool.replicas for pool in fleet.pools]
    found = []
    for place, queue in enumerate(queues):
        ends = range(place + 1, len(queues) + 1)
        least = min(sum(work[place:end]) / sum(replicas[place:end]) for end in ends)
        found.append(replace(queue, utilization=least) if queue.utilization >= 1.0 else queue)
    return found


def in_tandem(queues: Sequence[Queue]) -> Lengths:
    """Return how long pools are simulated that requests pass in turn: as long as the one that asks for most."""
    taus = [queue.relaxation for queue in queues]
    own = [_length(queue, tau if math.isfinite(tau) else 0.0) for queue, tau in zip(queues, taus, strict=True)]
    most = PoolLength(
        warm_up=max(one.warm_up for one in own),
        measured=max(one.measured for one in own),
        relaxation=max(one.relaxation for one in own),
    )
    pools = _affordable([most], REQUEST_BUDGET // LEAST)
    slowest = [max(queues, key=lambda queue: queue.relaxation)]
    return Lengths(
        pools=pools,
        utilization=tuple(queue.utilization for queue in queues),
        unstable=_overloaded(queues, taus) or _too_long(slowest, [Course.alone(most).requests], [most], pools),
    )


def check_clients(clients: int) -> None:
    """Raise InputError where a closed loop has more clients than can be simulated within REQUEST_BUDGET."""
    if clients > MOST_CLIENTS:
        raise InputError(
            "a closed loop of so many clients takes too many requests to simulate",
            where="--concurrency",
            value=clients,
            accepted=f"up to {MOST_CLIENTS}",
            remedy="plan with --no-verify, or ask by --rate",
        )


def look(pools: Sequence[PoolLength]) -> tuple[PoolLength, ...]:
    """Return the lengths of a short look, which shows the fleets that are beyond hope."""
    return tuple(
        PoolLength(warm_up=min(pool.warm_up, LOOK), measured=min(pool.measured, LOOK), relaxation=pool.relaxation)
        for pool in pools
    )


def _length(queue: Queue, tau: float) -> PoolLength:
    """Return the requests that a pool takes: what arrives in the times that its relaxation and its service ask for."""
    rate = queue.arrival_rate
    served = rate * queue.service
    remembered = MEMORIES * queue.memory * rate
    warm_up = max(FILLS * served + FIRST, WARM_UP * tau * rate, remembered / 10.0, queue.filling * rate)
    measured = max(HORIZON * tau * rate, queue.fewest, min(SERVICES * served, ENOUGH), remembered)
    return PoolLength(warm_up=_whole(warm_up), measured=_whole(measured), relaxation=tau)


def _whole(requests: float) -> int:
    """Return `requests` rounded up; the last digits, which differ between machines, do not make one more."""
    return math.ceil(round(requests, 6))


def _affordable(pools: Sequence[PoolLength], budget: int) -> tuple[PoolLength, ...]:
    """Return `pools`, which run apart, cut to `budget` requests a run, what comes after the measured ones included.

    They are cut to one common level, so that what a short one needs is left to it.
    """
    found, left = list(pools), budget
    for done, place in enumerate(sorted(range(len(pools)), key=lambda place: Course.alone(pools[place]).requests)):
        most = left // (len(pools) - done)
        if Course.alone(pools[place]).requests > most:
            found[place] = _cut(pools[place], *_divided(most, pools[place].warm_up))
        left -= Course.alone(found[place]).requests
    return tuple(found)


def _affordable_together(
    pools: Sequence[PoolLength], budget: int, shares: Sequence[float], clients: int
) -> tuple[PoolLength, ...]:
    """Return a closed loop's `pools`, which run together, cut to `budget` requests a run, two of each client in it."""
    asked = Course.together(pools, shares, clients)
    if asked.requests <= budget:
        return tuple(pools)
    warm_up, measured = _divided(budget - 2 * clients, asked.warm_up - clients)
    return tuple(
        _cut(pool, int(warm_up * share), int(measured * share)) for pool, share in zip(pools, shares, strict=True)
    )


def _divided(requests: int, warm_up: int) -> tuple[int, int]:
    """Return the warm-up and the measured ones among `requests`, half as many as the warm-up left to come after."""
    kept = min(warm_up, requests // WARM_SHARE)
    return kept, requests - kept - kept // 2


def _cut(pool: PoolLength, warm_up: int, measured: int) -> PoolLength:
    """Return `pool` with at most so many requests, at least one of them measured."""
    return replace(pool, warm_up=min(pool.warm_up, warm_up), measured=max(min(pool.measured, measured), 1))


def _overloaded(queues: Sequence[Queue], taus: Sequence[float]) -> str:
    """Return the sentence on the first pool that no length would do for, or ""."""
    for queue, tau in zip(queues, taus, strict=True):
        if math.isinf(tau):
            return f"{UNSTABLE_TAIL}pool {queue.name} is asked for {queue.utilization:.3f} times what it can do"
    return ""


def _too_long(
    queues: Sequence[Queue], asked: Sequence[int], full: Sequence[PoolLength], pools: Sequence[PoolLength]
) -> str:
    """Return the sentence on the pool that was cut most, or ""; `asked` are the requests of its run uncut."""
    cuts = [kept.requests / whole.requests for kept, whole in zip(pools, full, strict=True)]
    worst = min(range(len(cuts)), key=cuts.__getitem__)
    if cuts[worst] >= 1.0:
        return ""
    return (
        f"{UNSTABLE_TAIL}pool {queues[worst].name}, {queues[worst].utilization:.3f} busy, takes "
        f"{asked[worst] / 1e6:,.1f} million requests a run, and {LEAST} runs of the fleet may take "
        f"{REQUEST_BUDGET / 1e6:g} million"
    )
