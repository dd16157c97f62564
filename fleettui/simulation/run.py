"""One replication of a fleet: draw, play, check, measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Slo
from fleettui.domain.simulation import PoolLength, PoolRun, Replication, Traffic
from fleettui.simulation import conservation, kernel
from fleettui.simulation.compiled import compiling_once, forget_old, loaded, mark_used, warm
from fleettui.simulation.draws import Draws, closed_draws, open_draws
from fleettui.simulation.histogram import digest
from fleettui.simulation.layout import Engine, State, prepare
from fleettui.simulation.lengths import Course
from fleettui.simulation.measure import Flow, Latencies, mixture_percentile, pool_run


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A finished run: its state, and per pool the flow while the requests [first, last) arrived."""

    state: State
    first: int
    last: int
    flows: tuple[Flow, ...]

    def latencies(self, pool: int, front_end: float = 0.0) -> Latencies:
        """Return those of the measured requests of a pool, each `front_end` seconds before its replica."""
        measured = self.state.requests[self.first : self.last]
        return Latencies.of(measured[measured["pool"] == pool], front_end)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One pool's part of a replication."""

    run: PoolRun
    latencies: Latencies
    weight: float
    requests: int


def compiled_before() -> bool:
    """Return whether the engine is there in machine code; otherwise the next run compiles it, once."""
    return warm(kernel.run)


def ready() -> bool:
    """Return whether this process has the engine in machine code already."""
    return loaded(kernel.run)


def compile_now() -> None:
    """Make the engine ready to run, compiling it unless an earlier process has."""
    engine = Engine(base=1.0, per_context=0.0, per_prompt=0.0, budget=1, places=1, blocks=1, watermark=0, replicas=1)
    one, zero = np.ones(1, np.int32), np.zeros(1, np.int32)
    draws = Draws(
        prompt=one, cached=zero, output=one, pool=zero, tie=np.zeros(1), arrivals=np.zeros(1), thinking=np.zeros(0)
    )
    with compiling_once():
        if not compiled_before():
            forget_old()
        mark_used()
        play([engine], draws, 0, 1)


def play(engines: Sequence[Engine], draws: Draws, first: int, last: int) -> Played:
    """Run until the requests [first, last) are served, and hold the run to what must be true of every run.

    A request that its pool's engine can never hold raises AssertionError: callers refuse such fleets beforehand.
    """
    tokens = np.zeros(len(engines), np.int64)
    np.maximum.at(tokens, draws.pool, draws.prompt.astype(np.int64) + draws.output - 1)
    for engine, most in zip(engines, tokens, strict=True):
        assert most <= engine.longest(), f"a request of {most} tokens in {engine.blocks} blocks would wait for ever"
    state = prepare(engines, draws)
    marks, moments, _ = kernel.run(state, first, last, True)
    conservation.check(state, [engine.blocks for engine in engines])
    seconds = float(moments[1] - moments[0])
    flows = tuple(Flow(start=marks[0][i], end=marks[1][i], seconds=seconds) for i in range(len(engines)))
    return Played(state=state, first=first, last=last, flows=flows)


def replicate(
    fleet: Fleet,
    traffic: Traffic,
    lengths: Sequence[PoolLength],
    *,
    profiles: Sequence[Profile | None],
    slo: Slo,
    seed: int,
    index: int,
) -> Replication:
    """Return replication `index` of `fleet` under `traffic`, each pool simulated for its length.

    `profiles` are the pools' hardware, None where it is unknown. Routers send to pools by length alone, so in an open
    loop the pools do not meet and each is run by itself; a closed loop's clients tie them together.
    """
    common: dict[str, Any] = {"fleet": fleet, "traffic": traffic, "slo": slo, "seed": seed, "index": index}
    if traffic.concurrency:
        parts = _closed(lengths=lengths, profiles=profiles, **common)
    else:
        parts = [
            _open(place=place, length=length, profile=profile, **common)
            for place, (length, profile) in enumerate(zip(lengths, profiles, strict=True))
        ]
    weights = sum(part.weight for part in parts)
    return Replication(
        index=index,
        requests=sum(part.requests for part in parts),
        ttft=mixture_percentile([(part.latencies.metrics["ttft"], part.weight) for part in parts], slo.percentile),
        attainment=sum(part.run.attainment * part.weight for part in parts) / weights,
        pools=tuple(part.run for part in parts),
        digest=digest(*(part.latencies.metrics[name] for part in parts for name in ("ttft", "e2e"))),
    )


def _open(
    *,
    fleet: Fleet,
    traffic: Traffic,
    place: int,
    length: PoolLength,
    profile: Profile | None,
    slo: Slo,
    seed: int,
    index: int,
) -> Seen:
    """Run one pool by itself."""
    pool, own, course = fleet.pools[place], traffic.pools[place], Course.alone(length)
    draws = open_draws(
        own,
        place,
        prefix_hit=traffic.prefix_hit,
        requests=course.requests,
        seed=seed,
        index=index,
        arrivals=traffic.arrivals,
        rate=traffic.rate,
        record=traffic.record,
    )
    engine = Engine.of(pool, fleet.admission, fleet.router, profile, fleet.router_refresh)
    played = play([engine], draws, course.warm_up, course.end)
    latencies = played.latencies(0, pool.profile.front_end)
    run = pool_run(
        pool,
        traffic=own,
        prefix_hit=traffic.prefix_hit,
        profile=profile,
        latencies=latencies,
        flow=played.flows[0],
        slo=slo,
    )
    return Seen(run=run, latencies=latencies, weight=own.arrival_rate, requests=course.requests)


def _closed(
    *,
    fleet: Fleet,
    traffic: Traffic,
    lengths: Sequence[PoolLength],
    profiles: Sequence[Profile | None],
    slo: Slo,
    seed: int,
    index: int,
) -> list[Seen]:
    """Run all pools together, for as long as the one that needs most; a pool's requests weigh one each."""
    assert traffic.concurrency is not None, "an open loop has no clients"
    rate = sum(pool.arrival_rate for pool in traffic.pools)
    course = Course.together(lengths, [pool.arrival_rate / rate for pool in traffic.pools], traffic.concurrency)
    draws = closed_draws(traffic, requests=course.requests, seed=seed, index=index)
    in_front = np.array([pool.profile.front_end for pool in fleet.pools])
    draws = replace(draws, thinking=draws.thinking + in_front[draws.pool])  # a client's cycle holds both
    engines = [
        Engine.of(pool, fleet.admission, fleet.router, profile, fleet.router_refresh)
        for pool, profile in zip(fleet.pools, profiles, strict=True)
    ]
    played = play(engines, draws, course.warm_up, course.end)
    seen = []
    for place, (pool, own, profile) in enumerate(zip(fleet.pools, traffic.pools, profiles, strict=True)):
        latencies = played.latencies(place, pool.profile.front_end)
        run = pool_run(
            pool,
            traffic=own,
            prefix_hit=traffic.prefix_hit,
            profile=profile,
            latencies=latencies,
            flow=played.flows[place],
            slo=slo,
        )
        sent = int((draws.pool == place).sum())
        seen.append(Seen(run=run, latencies=latencies, weight=float(run.offered), requests=sent))
    return seen
