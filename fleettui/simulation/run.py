"""One replication of a fleet: draw, play, check, measure."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.sessions import RoundSeen
from fleettui.domain.simulation import LOOK, PoolLength, PoolRun, Replication, Traffic
from fleettui.domain.slo import Slo
from fleettui.routing import pools_meet
from fleettui.simulation import conservation, kernel
from fleettui.simulation.coming_order import in_order_of_coming
from fleettui.simulation.compiled import compiling_once, forget_old, loaded, mark_used, warm
from fleettui.simulation.compressed_draws import coming, compressed
from fleettui.simulation.draws import Draws, closed_draws, drawn
from fleettui.simulation.guessed_draws import guessed, with_guesses
from fleettui.simulation.histogram import digest
from fleettui.simulation.joint_draws import joint_draws, mixed
from fleettui.simulation.layout import Engine, State, prepare
from fleettui.simulation.lengths import Course
from fleettui.simulation.measure import ALL, Flow, Latencies, Missed, pool_run, told
from fleettui.simulation.percentiles import mixture_percentile
from fleettui.simulation.pool_engine import engine_of
from fleettui.simulation.prefix_draws import check_apart
from fleettui.simulation.session_draws import session_draws
from fleettui.simulation.session_figures import by_round
from fleettui.simulation.storm import Stays, storm_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A finished run: its state, and per pool the flow while the requests [first, last) arrived.

    Requests stand in the order in which they came; `homes` are the pools of their lengths, and `outgrown` those that
    the pool they were sent to did not hold, `numbers` which rounds of their sessions they are, where they come in any.
    The last of the measured ones came `until` seconds after the start,
    infinite where fewer came.
    """

    state: State
    first: int
    last: int
    flows: tuple[Flow, ...]
    homes: NDArray[np.int32]
    until: float
    outgrown: NDArray[np.bool_]
    numbers: NDArray[np.int64] | None = None

    def latencies(self, pool: int, front_end: float = 0.0, only: Collection[str] = ALL) -> Latencies:
        """Return `only` these of the measured requests of a pool, each `front_end` seconds before its replica."""
        own = self.state.requests[self.first : self.last]
        return Latencies.of(own if len(self.flows) == 1 else own[own["pool"] == pool], front_end, only)

    def rounds(self, pool: int) -> tuple[RoundSeen, ...]:
        """Return what the measured requests of a pool found in its caches, by which round of a session they are."""
        if self.numbers is None:
            return ()
        own = self.state.requests[self.first : self.last]
        mine = own["pool"] == pool
        return by_round(own[mine], self.numbers[self.first : self.last][mine])

    def stays(self, pool: int) -> Stays:
        """Return the measured requests of a pool with their attempts, where something bounds their stay."""
        assert self.state.bounds is not None, "nothing bounds their stay"
        own = self.state.requests[self.first : self.last]
        mine = own["pool"] == pool
        return Stays(requests=own[mine], attempts=self.state.bounds.stays["attempts"][self.first : self.last][mine])

    def missed(self, pool: int) -> Missed | None:
        """Return which measured requests of a pool were not served, None where nothing bounds their stay."""
        if self.state.bounds is None:
            return None
        own = self.state.requests["pool"][self.first : self.last] == pool
        stays = self.state.bounds.stays[self.first : self.last][own]
        gone = np.isfinite(stays["left"])
        return Missed(
            rejected=int(stays["rejected"].sum()),
            timed_out=int((gone & ~stays["rejected"]).sum()),
            retried=int((stays["attempts"] > 1).sum()),
            attempts=int(stays["attempts"].sum()),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One pool's part of a replication."""

    run: PoolRun
    latencies: Latencies
    weight: float
    requests: int


def compiled_before() -> bool:
    """Return whether the engine is there in machine code; otherwise the next run compiles it, once."""
    return warm(kernel.play)


def ready() -> bool:
    """Return whether this process has the engine in machine code already."""
    return loaded(kernel.play)


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


def play(
    engines: Sequence[Engine], draws: Draws, first: int, last: int, homes: NDArray[np.int32] | None = None
) -> Played:
    """Run until the requests [first, last) are served, and hold the run to what must be true of every run.

    `homes` are the pools of their lengths, where those are not the ones that they are sent to.
    A request that its pool's engine can never hold raises AssertionError: callers refuse such fleets beforehand.
    """
    tokens = np.zeros(len(engines), np.int64)
    np.maximum.at(tokens, draws.pool, draws.prompt.astype(np.int64) + draws.output - 1)
    if pools_meet(engines[0].router, len(engines)):
        tokens = np.maximum.accumulate(tokens)
    for engine, most in zip(engines, tokens, strict=True):
        assert most <= engine.longest(), f"a request of {most} tokens in {engine.blocks} blocks would wait for ever"
    state = prepare(engines, draws)
    marks, moments, came = kernel.run(state, first, last, True)
    conservation.check(state, [engine.blocks for engine in engines])
    if state.bounds is not None:
        asked = np.isfinite(state.bounds.stays["asked"])
        state.requests["arrival"][asked] = state.bounds.stays["asked"][asked]
    seconds = float(moments[1] - moments[0])
    flows = tuple(Flow(start=marks[0][i], end=marks[1][i], seconds=seconds) for i in range(len(engines)))
    homes, outgrown = draws.pool if homes is None else homes, np.zeros(draws.requests, np.bool_)
    numbers = None
    if state.sessions is not None:
        state, order, outgrown = in_order_of_coming(state)
        homes = homes[order]
        numbers = None if draws.rounds is None or draws.rounds.number is None else draws.rounds.number[order]
    until = float(moments[1]) if came >= last else math.inf
    return Played(
        state=state,
        first=first,
        last=last,
        flows=flows,
        homes=homes,
        until=until,
        outgrown=outgrown,
        numbers=numbers,
    )


def replicate(
    fleet: Fleet,
    traffic: Traffic,
    lengths: Sequence[PoolLength],
    *,
    profiles: Sequence[Profile | None],
    slo: Slo,
    seed: int,
    index: int,
    together: bool = False,
) -> Replication:
    """Return replication `index` of `fleet` under `traffic`, each pool simulated for its length.

    `profiles` are the pools' hardware, None where it is unknown. Where the router sends to pools by length alone, the
    pools of an open loop do not meet and each is run by itself, unless they are to be run `together` all the same. A
    closed loop's clients tie them together.
    """
    common: dict[str, Any] = {"fleet": fleet, "traffic": traffic, "slo": slo, "seed": seed, "index": index}
    if traffic.prefixes is not None:
        check_apart(fleet.router, len(fleet.pools))
        together = False
    met = traffic.concurrency or traffic.sessions or pools_meet(fleet.router, len(fleet.pools))
    if met or together or (traffic.length_error and len(fleet.pools) > 1):
        parts = _together(lengths=lengths, profiles=profiles, **common)
    else:
        parts = [
            _open(place=place, length=length, profile=profile, **common)
            for place, (length, profile) in enumerate(zip(lengths, profiles, strict=True))
        ]
    weights = sum(part.weight for part in parts)
    return Replication(
        index=index,
        requests=sum(part.requests for part in parts),
        ttft=mixture_percentile(
            [(part.latencies.of_class(batch=False).metrics["ttft"], _interactive(part, traffic)) for part in parts],
            slo.percentile,
        ),
        attainment=sum(part.run.attainment * part.weight for part in parts) / weights,
        pools=tuple(part.run for part in parts),
        digest=digest(*(part.latencies.metrics[name] for part in parts for name in ("ttft", "e2e"))),
    )


def _interactive(part: Seen, traffic: Traffic) -> float:
    """Return the weight of a pool's interactive requests: its own, unless the share of class batch is its own, too."""
    if traffic.before_classes is None:
        return part.weight
    return float((~part.latencies.batch).sum())


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
    pool, own = fleet.pools[place], traffic.pools[place]
    played, requests = played_alone(fleet, traffic, place, length, profile, seed=seed, index=index)
    latencies = played.latencies(0, pool.profile.front_end, told(slo))
    run = pool_run(
        pool,
        traffic=own,
        prefix_hit=None if traffic.caches else traffic.prefix_hit,
        profile=_known(profile, traffic),
        latencies=latencies,
        flow=played.flows[0],
        slo=slo,
        missed=played.missed(0),
        kv_offload=traffic.kv_offload,
    )
    if traffic.bounds.retries and index in {0, LOOK}:
        alike = replace(traffic, bounds=replace(traffic.bounds, retries=None, backoff=None))
        calm, _ = played_alone(fleet, alike, place, length, profile, seed=seed, index=index)
        run = replace(run, storm=storm_of(played.stays(0), calm.stays(0), slo, pool.profile.front_end))
    return Seen(run=run, latencies=latencies, weight=own.arrival_rate, requests=requests)


def _known(profile: Profile | None, traffic: Traffic) -> Profile | None:
    """Return the hardware whose use a run shows: none where a replica is slow, of whose steps it says nothing."""
    return profile if traffic.slow is None else None


def played_alone(
    fleet: Fleet, traffic: Traffic, place: int, length: PoolLength, profile: Profile | None, *, seed: int, index: int
) -> tuple[Played, int]:
    """Play one pool of an open loop by itself; return the run, and its requests."""
    course = Course.alone(length)
    draws = drawn(traffic, place, course.requests, seed=seed, index=index)
    draws = with_guesses(draws, traffic.length_error, seed=seed, index=index, place=place)
    engine = engine_of(fleet, traffic, place, profile, seed=seed, index=index)
    return play([engine], draws, course.warm_up, course.end), course.requests


def _together(
    *,
    fleet: Fleet,
    traffic: Traffic,
    lengths: Sequence[PoolLength],
    profiles: Sequence[Profile | None],
    slo: Slo,
    seed: int,
    index: int,
) -> list[Seen]:
    """Run all pools together, for as long as the one that needs most; a pool's requests weigh one each.

    They are those that it served, whichever pool is that of their length.
    """
    played = played_together(fleet, traffic, lengths, profiles, seed=seed, index=index)
    measured = slice(played.first, played.last)
    homes, served = (pools[measured] for pools in (played.homes, played.state.requests["pool"]))
    seen = []
    for place, (pool, profile) in enumerate(zip(fleet.pools, profiles, strict=True)):
        parts = np.bincount(homes[served == place], minlength=len(fleet.pools)).tolist()
        own = mixed(coming(traffic), parts, place) if traffic.compressing is None else traffic.pools[place]
        latencies = played.latencies(place, pool.profile.front_end, told(slo))
        run = pool_run(
            pool,
            traffic=own,
            prefix_hit=None if traffic.caches else traffic.prefix_hit,
            profile=_known(profile, traffic),
            latencies=latencies,
            flow=played.flows[place],
            slo=slo,
            missed=played.missed(place),
            spilled=int((homes[served == place] != place).sum()),
            misrouted=int(played.outgrown[measured][served == place].sum()),
            kv_offload=traffic.kv_offload,
        )
        run = replace(run, rounds=played.rounds(place))
        sent = int((played.state.requests["pool"] == place).sum())
        seen.append(Seen(run=run, latencies=latencies, weight=float(run.offered), requests=sent))
    return seen


def played_together(
    fleet: Fleet,
    traffic: Traffic,
    lengths: Sequence[PoolLength],
    profiles: Sequence[Profile | None],
    *,
    seed: int,
    index: int,
) -> Played:
    """Play a closed loop, the streams of all pools in one, or sessions: these until enough of them have begun.

    What a request takes in front of its replica is in a client's cycle, and between a session's rounds.
    """
    whole, ends, homes = coming(traffic), [pool.up_to for pool in fleet.pools], None
    shares = [pool.arrival_rate / whole.rate for pool in whole.pools]
    course = Course.together(lengths, shares, traffic.concurrency or 0)
    engines = [
        engine_of(fleet, traffic, place, profile, seed=seed, index=index) for place, profile in enumerate(profiles)
    ]
    in_front = np.array([pool.profile.front_end for pool in fleet.pools])
    requests = course.requests
    if traffic.concurrency:
        draws = closed_draws(whole, requests=requests, seed=seed, index=index)
    elif traffic.sessions is None:
        draws = joint_draws(whole, requests=requests, seed=seed, index=index)
        if traffic.length_error and len(fleet.pools) > 1:
            homes, error = draws.pool, traffic.length_error
            draws = guessed(draws, ends, error, front_end=in_front, seed=seed, index=index)
            return play(engines, draws, course.warm_up, course.end, np.append(homes, draws.pool[len(homes) :]))
        draws = with_guesses(draws, traffic.length_error, seed=seed, index=index, place=0)
    else:
        while True:
            draws, until = session_draws(traffic, requests=requests, seed=seed, index=index)
            assert draws.rounds is not None, "they come in sessions"
            rounds = replace(draws.rounds, pause=draws.rounds.pause + in_front[draws.pool])
            played = play(engines, replace(draws, rounds=rounds), course.warm_up, course.end)
            if played.until <= until:
                return played
            requests *= 2
    if traffic.compressing is not None:
        homes, draws = draws.pool, compressed(draws, traffic.compressing, ends, seed=seed, index=index)
    if traffic.concurrency:
        draws = replace(draws, thinking=draws.thinking + in_front[draws.pool])
    return play(engines, draws, course.warm_up, course.end, homes)
