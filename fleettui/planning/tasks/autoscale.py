"""The tasks of autoscaling: the sites of a fleet's pools on a day, a replay of a pool, what the replays come to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from fleettui.autoscaling.estimating import settings
from fleettui.autoscaling.figures import Reckoning
from fleettui.autoscaling.policies import POLICIES
from fleettui.autoscaling.replay import bounded
from fleettui.autoscaling.replay import replay as play
from fleettui.autoscaling.staffing import staffing
from fleettui.autoscaling.warp import Floats, enough, warped
from fleettui.domain.autoscale import Delay, Event, PolicyFigures, PoolReplay, PoolSite, Rules, Site
from fleettui.domain.day import Day
from fleettui.domain.fleet import Fleet, Pool
from fleettui.domain.hardware import Profile
from fleettui.domain.serialization import dumps
from fleettui.domain.simulation import PoolRun, Traffic
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.weights import weights_of
from fleettui.optimize.given_fleet import ScoredFleet
from fleettui.optimize.terms import Terms
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.simulation_inputs import KEPT, Scene, scene_of
from fleettui.planning.tasks.task_cache import Recent
from fleettui.planning.tasks.verification import make_ready
from fleettui.simulation import lengths as run_lengths
from fleettui.simulation import run
from fleettui.simulation.draws import Draws, drawn, stream
from fleettui.simulation.elastic import ElasticPool
from fleettui.simulation.layout import Engine
from fleettui.simulation.records import REQUEST, Records
from fleettui.workloads.arrivals import asked

PEAKS = 2
"""The most replicas that a pool may have, as a multiple of what the highest rate fills, unless it is said."""
MOST_FACTOR, PRECISION, CLOSE = 8.0, 0.02, 1e-6
"""How many times the plan's rate its only replica may hold, and how finely that is searched."""
MOST_WARM, MOST_MEASURED = 20_000, 60_000
"""Requests of a run that says whether a rate is held."""
_loads = Recent[tuple[float, float]](KEPT)
_draws = Recent[Draws](1)
_records = Recent[Records](1)
_scored = Recent[tuple[ScoredFleet, tuple[Profile, ...]]](KEPT)


def sites(
    context: Context,
    *,
    source: SceneSource,
    fleet: Fleet,
    day: Day,
    delay: Delay,
    rules: Rules,
    seed: int,
    events: tuple[Event, ...] = (),
) -> tuple[PoolSite, ...]:
    """Return each pool of `fleet` as policies know it on `day`, the traffic of the whole fleet without `events`."""
    scene = scene_of(source)
    make_ready(context.progress)
    scored, profiles = _staged(source, fleet)
    rates = [one.arrival_rate for one in scored.traffic.pools]
    found = []
    for place, (pool, profile, rate) in enumerate(zip(fleet.pools, profiles, rates, strict=True)):
        context.progress(f"how much a replica of pool {pool.name} holds")
        factor, slots = _loads.get(
            f"{source.key} {dumps(fleet)} {place} {seed}", partial(_held, context, scene, fleet, place, seed)
        )
        share = rate / sum(rates)
        site = _site(
            pool,
            slots=slots,
            each=factor * rate / pool.replicas,
            delay=delay,
            rules=rules,
            day=replace(day, windows=tuple(replace(one, rate=one.rate * share) for one in day.windows)),
        )
        site = replace(_with_events(site, events), patience=_patience(scene, pool))
        plan = staffing(site.expected, settings(site), site.service_time)
        gpus, price = pool.gpus_per_replica, profile.price_per_hour
        found.append(PoolSite(name=pool.name, gpus=gpus, price=price, site=site, staffing=plan))
    return tuple(found)


def _patience(scene: Scene, pool: Pool) -> float | None:
    """Return the seconds that a client waits at a replica for its first token, None where it waits for ever."""
    patience = scene.question.bounds.patience(pool.profile.front_end)
    return None if math.isinf(patience) else patience


def ready(context: Context, *, source: SceneSource, fleet: Fleet, rules: Rules) -> bool:
    """Have a worker load what replays of a plan's `fleet` need, while another finds the sites; return True.

    Where nobody has compiled the engine of replicas that come and go, it does.
    """
    context.check()
    scene, (scored, _) = scene_of(source), _staged(source, fleet)
    for place, pool in enumerate(fleet.pools):
        retries, nothing = rules.retries or 0, drawn(scored.traffic, place, 1, seed=0, index=0)
        draws = _at(nothing, np.zeros(1), place, seed=0, index=0, retries=retries)
        engine = bounded(_engine(source, fleet, place), rules, _patience(scene, pool))
        ElasticPool.of(engine, draws, replicas=1, most=1).advance(0.0)
    return True


def _staged(source: SceneSource, fleet: Fleet) -> tuple[ScoredFleet, tuple[Profile, ...]]:
    """Return what the formulas say of the plan's `fleet`, and its hardware."""
    scene, sizes = scene_of(source), [pool.replicas for pool in fleet.pools]
    return _scored.get(f"{source.key} {dumps(fleet)}", lambda: scene.resize(fleet, sizes, ranged=False))


def _engine(source: SceneSource, fleet: Fleet, place: int) -> Engine:
    """Return the rows of one replica of the fleet's `place`-th pool."""
    profiles = _staged(source, fleet)[1]
    one = replace(fleet.pools[place], replicas=1)
    return Engine.of(one, fleet.admission, fleet.router, profiles[place], fleet.router_refresh)


def _held(context: Context, scene: Scene, fleet: Fleet, place: int, seed: int) -> tuple[float, float]:
    """Return how many times the plan's rate the replicas of a pool hold within every limit, as simulated, and how many
    requests a replica then has in service.

    At least the plan's own rate, since the plan is known to hold that, and less than what would make a replica of the
    plan superfluous. Raises InputError where the pool cannot serve the plan's rate at all.
    """
    limits, busiest = Terms.of(scene.question).limits, scene.question.max_utilization
    sizes, pool = [one.replicas for one in fleet.pools], fleet.pools[place]

    def at(factor: float) -> PoolRun | None:
        context.check()
        scored, profiles = replace(scene, rate=factor * scene.rate).resize(fleet, sizes, ranged=False)
        if not scored.candidate.pools[place].utilization < 1.0:
            return None
        traffic = replace(scored.traffic, pools=scored.traffic.pools[place : place + 1])
        alone = replace(scored.candidate.fleet, pools=(scored.candidate.fleet.pools[place],))
        length = run_lengths.lengths(alone, traffic).pools[0]
        short = replace(length, warm_up=min(length.warm_up, MOST_WARM), measured=min(length.measured, MOST_MEASURED))
        return run.replicate(
            alone,
            traffic,
            [short],
            profiles=profiles[place : place + 1],
            slo=scene.question.slo,
            seed=seed,
            index=0,
        ).pools[0]

    def holds(seen: PoolRun) -> bool:
        values = [(seen.at(one), one.seconds) for one in limits]
        return seen.utilization <= busiest and all(value is None or value <= most for value, most in values)

    low, known = 1.0, at(1.0)
    if known is None:
        raise InputError(
            "it cannot serve the plan's rate, so the load that it is planned for is not known",
            where=f"pool {pool.name}",
            remedy="autoscale a plan whose fleet keeps up",
        )
    high = MOST_FACTOR if sizes[place] == 1 else (1.0 - CLOSE) * sizes[place] / (sizes[place] - 1)
    while high - low > PRECISION * low:
        middle = (low + high) / 2.0
        seen = at(middle)
        held = seen is not None and holds(seen)
        low, high, known = (middle, high, seen or known) if held else (low, middle, known)
    return low, max(1.0, known.batch * pool.batches)


def _site(pool: Pool, *, slots: float, each: float, day: Day, delay: Delay, rules: Rules) -> Site:
    most = max(PEAKS * math.ceil(day.peak / each), rules.least) if rules.most is None else rules.most
    return Site(
        slots=slots,
        service_time=slots / each,
        replica_rate=each,
        delay=delay.seconds(_weights(pool) if delay.typed is None else 0.0),
        delay_cv=delay.cv,
        least=rules.least,
        most=most,
        rules=rules,
        day=day,
    )


def _with_events(site: Site, events: Sequence[Event]) -> Site:
    """Return a site on which things happen that are not foreseen."""
    day = site.day
    for one in events:
        if one.kind == "spike":
            day = day.spiked(one.start, one.seconds, one.size)
    others = tuple(one for one in events if one.kind != "spike")
    return replace(site, day=day, foreseen=None if day == site.day else site.day, events=others)


def _weights(pool: Pool) -> float:
    return weights_of(catalog.gpu(pool.gpu), catalog.model(pool.model), pool.dtype).held


def replay(
    context: Context,
    *,
    source: SceneSource,
    fleet: Fleet,
    place: int,
    site: Site,
    policy: str,
    seed: int,
    index: int,
    told: bool = True,
) -> PoolReplay:
    """Replay run `index` of the day of the fleet's `place`-th pool under a policy; every policy meets its requests.

    What was decided when and why is only `told` where it is asked for.
    """
    scene = scene_of(source)
    context.check()
    key, pool, traffic = f"{source.key} {dumps(fleet)}", fleet.pools[place], _staged(source, fleet)[0].traffic
    draws = _draws.get(
        f"{key} {dumps(site.day)} {place} {seed} {index} {site.rules.retries}",
        lambda: day_draws(traffic, place, site.day, seed=seed, index=index, retries=site.rules.retries or 0),
    )
    found = play(
        site,
        _engine(source, fleet, place),
        draws,
        POLICIES.named(policy),
        name=pool.name,
        slo=scene.question.slo,
        front_end=pool.profile.front_end,
        check=lambda _: context.check(),
        luck=stream(seed, index, place, "launches"),
        records=_records.get(str(draws.requests), lambda: np.empty(draws.requests, REQUEST)),
    )
    return found if told else replace(found, choices=())


def day_draws(traffic: Traffic, place: int, day: Day, *, seed: int, index: int, retries: int = 0) -> Draws:
    """Return the requests of a pool's day: those of the plan's own stream, at the pace of the day.

    Each may come again so many times.
    """
    if day.recorded is not None:
        return recorded_draws(traffic, place, day, seed=seed, index=index, retries=retries)
    own = traffic.pools[place]
    process = asked(traffic.arrivals)
    excess = process.process.vary(process.stream(traffic.rate, traffic.record)).excess
    draws = drawn(traffic, place, enough(day, excess), seed=seed, index=index)
    assert draws.arrivals is not None, "an open loop has arrivals"
    return _at(draws, warped(draws.arrivals, own.arrival_rate, day), place, seed=seed, index=index, retries=retries)


def recorded_draws(traffic: Traffic, place: int, day: Day, *, seed: int, index: int, retries: int = 0) -> Draws:
    """Return the requests of a pool's part of recorded traffic: they come at the recorded times, each to one pool."""
    assert traffic.record is not None, "a plan that replays times has a record"
    assert day.recorded is not None, "asked for recorded traffic alone"
    times = np.array(traffic.record.times) - day.recorded
    rates = np.array([one.arrival_rate for one in traffic.pools])
    ends = np.append(0.0, np.cumsum(rates / rates.sum()))
    luck = stream(seed, index, 0, "pools").random(len(times))
    own = (times >= 0.0) & (times < day.end) & (luck >= ends[place]) & (luck < ends[place + 1])
    draws = drawn(traffic, place, int(own.sum()), seed=seed, index=index)
    return _at(draws, times[own], place, seed=seed, index=index, retries=retries)


def _at(draws: Draws, times: Floats, place: int, *, seed: int, index: int, retries: int) -> Draws:
    """Return the first of the requests, as many as there are times, at these; each may come again so many times."""
    count = len(times)
    return Draws(
        prompt=draws.prompt[:count],
        cached=draws.cached[:count],
        output=draws.output[:count],
        pool=draws.pool[:count],
        tie=draws.tie[:count],
        arrivals=times,
        thinking=draws.thinking,
        prefixes=draws.prefixes,
        jitter=stream(seed, index, place, "retries").random((count, retries)) if retries else None,
    )


def judge(
    context: Context,
    *,
    pools: tuple[PoolSite, ...],
    names: tuple[str, ...],
    runs: tuple[tuple[tuple[PoolReplay, ...], ...], ...],
    held_to: str,
    share: float,
    event: float | None,
) -> tuple[PolicyFigures, ...]:
    """Return the figures of each of the policies `names` from their `runs`, beside those of the policy `held_to`."""
    context.check()
    reckoning, other = Reckoning(pools=pools, share=share, event=event), runs[names.index(held_to)]
    return tuple(reckoning.figures(name, own, other) for name, own in zip(names, runs, strict=True))
