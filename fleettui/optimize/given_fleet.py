"""A fleet whose sizes are given: what each pool is asked for, what its engine does, and what the formulas say of it.

`simulate` scores the fleets that a person wrote down by this, the planner (`resize.py`) those that it walks to.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fleettui.domain.fleet import Fleet, FleetSketch, PoolSketch
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.simulation import PoolTraffic, Traffic
from fleettui.domain.uncertain import WAITS, Factors
from fleettui.errors import InputError
from fleettui.optimize import sizing
from fleettui.optimize.built_pool import pool_of
from fleettui.optimize.compressor_cost import cost_of_fleet
from fleettui.optimize.evaluate import POOL_NAMES, ScoredPool, broken_constraints, candidate_of
from fleettui.optimize.offers import with_spares
from fleettui.optimize.pool_figures import pool_figures, worst
from fleettui.optimize.pool_load import as_set, found_share, pool_load, settled
from fleettui.optimize.pool_parts import Asked, asked_of, before_classes, compressing_of
from fleettui.optimize.ranges import Slices
from fleettui.optimize.terms import Terms
from fleettui.optimize.watts import idle_watts
from fleettui.queueing.latency import PoolLoad
from fleettui.routing import ROUTERS, length_pools

ROW = np.zeros(1, np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredFleet:
    """A fleet scored as it stands, and the traffic of the time slice that asks most of each pool: `governing`."""

    candidate: Candidate
    traffic: Traffic
    governing: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    scored: ScoredPool
    traffic: PoolTraffic
    most: int
    asked: Asked


def score(
    question: Question,
    sketch: FleetSketch,
    profiles: Sequence[Profile],
    slices: Slices,
    context: int,
    *,
    ranged: bool = True,
) -> ScoredFleet:
    """Return what the formulas say of `sketch`, whose pools run on `profiles`, under `slices`.

    Its `shortfalls` are constraints only: on latencies the simulation decides. Its `gpus_range`, for which every pool
    is sized twice more, is (None, None) where it is not to be `ranged`.

    `context` is the longest request, in tokens, and the last pool's range where the sketch names none. Raises
    InputError when a pool gets no request or one that it can never hold, and when its engine does not exist.
    """
    ranges = _bounds(sketch, context)
    route = ROUTERS.named(sketch.router).route
    parts = [route(atoms, ranges, gamma=sketch.gamma, compressible=sketch.compressible) for _, atoms in slices]
    names = POOL_NAMES.get(len(sketch.pools), tuple(str(place + 1) for place in range(len(sketch.pools))))
    terms, found, governing = Terms.of(question), list[_Given](), list[int]()
    for place, (pool, profile, bounds) in enumerate(zip(sketch.pools, profiles, ranges, strict=True)):
        named = replace(pool, name=pool.name or names[place], above=bounds[0], up_to=bounds[1])
        if pool.profile is not None:
            named = replace(named, profile=question.fronted(pool.profile))
        demand = asked_of(sketch.router, place, slices, parts, question.batch_share)
        busy, at = [one for one in demand if one.atoms], [index for index, one in enumerate(demand) if one.atoms]
        if not busy:
            raise _unused(named, slices)
        found.append(
            _score_pool(
                question=question,
                sketch=sketch,
                pool=named,
                profile=profile,
                demand=busy,
                terms=terms,
                slices=slices,
                ranged=ranged,
            )
        )
        governing.append(at[found[-1].most])
    scored = [one.scored for one in found]
    fleet = Fleet(
        router=sketch.router,
        router_refresh=sketch.router_refresh,
        gamma=sketch.gamma,
        compressible=sketch.compressible,
        admission=sketch.admission,
        pools=tuple(one.pool for one in scored),
    )
    cores = cost_of_fleet(slices, [up_to for _, up_to in ranges[:-1]], sketch.gamma, question)
    figures = tuple(one.figures for one in scored)
    candidate = candidate_of(fleet, figures, scored, profiles, question, compressor_cost=cores)
    loop = question.demand if question.demand.form == "concurrency" else None
    traffic = Traffic(
        pools=tuple(one.traffic for one in found),
        prefix_hit=question.prefix_hit,
        concurrency=loop.concurrency if loop else None,
        think=loop.think if loop else 0.0,
        arrivals=question.arrivals,
        record=question.record,
        bounds=question.bounds,
        prefixes=question.prefixes,
        batch_share=question.batch_share or 0.0,
        sessions=question.rounds,
        keeps=question.sessions and question.prefix_cache,
        length_error=question.length_error or None,
        kv_offload=question.kv_offload,
        features=question.features,
        compressing=compressing_of(sketch, ranges, slices, governing),
        before_classes=before_classes([one.asked for one in found]),
    )
    broken = broken_constraints(candidate, question, profiles)
    return ScoredFleet(candidate=replace(candidate, shortfalls=broken), traffic=traffic, governing=tuple(governing))


def _bounds(sketch: FleetSketch, context: int) -> tuple[tuple[int, int], ...]:
    """Return (above, up_to] per pool: from the pool before, and to `context` in the last one, where not said."""
    ranges, above = [], 0
    for place, pool in enumerate(sketch.pools):
        last = place == len(sketch.pools) - 1
        up_to = pool.up_to if pool.up_to is not None else pool.context if pool.context is not None else None
        if up_to is None and not last:
            raise InputError(
                "it is not said which requests go to it",
                where=f"pool {pool.name or place + 1}",
                accepted="up_to: the total tokens up to which it serves, in every pool but the last",
            )
        start = above if pool.above is None else pool.above
        end = context if up_to is None else up_to
        if pool.context is not None and pool.context < end:
            raise InputError(
                "it serves longer requests than its context",
                where=f"pool {pool.name or place + 1}: context",
                value=pool.context,
                accepted=f"{end} tokens or more",
            )
        if start != above or end <= start:
            raise InputError(
                "its range does not go on where the pool before it ends",
                where=f"pool {pool.name or place + 1}",
                value=f"above {start}, up to {end}",
                accepted=f"above {above}, up to more than that",
            )
        ranges.append((start, end))
        above = end
    return tuple(ranges)


def _unused(pool: PoolSketch, slices: Slices) -> InputError:
    extents = [length_pools.extent(atoms) for _, atoms in slices]
    return InputError(
        "no request reaches it",
        where=f"pool {pool.name}",
        value=f"above {pool.above:,}, up to {pool.up_to:,} tokens",
        accepted=f"a range with requests in it; these have {min(low for low, _ in extents):,.0f} to "
        f"{max(high for _, high in extents):,.0f} tokens",
    )


def _score_pool(
    *,
    question: Question,
    sketch: FleetSketch,
    pool: PoolSketch,
    profile: Profile,
    demand: Sequence[Asked],
    terms: Terms,
    slices: Slices,
    ranged: bool,
) -> _Given:
    assert pool.name is not None, "pools are named by now"
    assert pool.above is not None, "and bounded"
    assert pool.up_to is not None, "and bounded"
    settings = settled(pool, profile, question)
    asked = as_set(question, sketch, settings)
    given = profile if pool.profile is None else replace(profile, kv_blocks=pool.profile.kv_blocks)
    total = max(rate for rate, _ in slices)
    shares = [found_share(asked, pool, given, one, total=total) for one in demand]
    pairs = zip(demand, shares, strict=True)
    loads = [pool_load(replace(asked, prefix_hit=hit), pool, given, one) for one, hit in pairs]

    # As in the search: the time slice that needs most replicas, among equals the one that fills them most.
    def need(place: int) -> tuple[float, float]:
        return float(sizing.size(loads[place], terms)[0]), float(loads[place].occupancy.utilization[0])

    most = max(range(len(loads)), key=need) if len(loads) > 1 else 0
    load = loads[most]
    cap = settings.places(profile.pp, profile.drafting.width)
    try:
        by_slice = [pool_figures(one, given, terms, names=[pool.name], cap=cap)[0] for one in loads]
    except AssertionError as impossible:
        if pool.profile is None:
            raise
        raise InputError(
            f"this profile is faster than the hardware: {impossible}", where=f"pool {pool.name}: profile"
        ) from None
    figures = worst(by_slice[most], by_slice, terms)
    figures = replace(
        figures, power=figures.power + float(idle_watts(profile, pool.replicas, pool.replicas + pool.spares))
    )
    ends = zip(profile.step_factors, WAITS, strict=True)
    fast, slow = (_needed(loads, terms, one, question, profile) if ranged else math.inf for one in ends)
    lengths = pool.above, pool.up_to
    built = pool_of(
        profile,
        settings,
        load.service,
        0,
        name=pool.name,
        replicas=pool.replicas,
        lengths=lengths,
        context=pool.context,
    )
    told = lengths if question.prefixes or question.rounds else None
    found = shares[most] if told and question.prefix_cache else None
    traffic = replace(demand[most].served(question.batch_share), lengths=told, found=found)
    scored = ScoredPool(
        pool=replace(built, profile=pool.profile or built.profile, spares=pool.spares),
        figures=figures,
        output_rate=traffic.arrival_rate * float(load.moments.output[0]),
        replicas_range=(fast, slow),
    )
    return _Given(scored=scored, traffic=traffic, most=most, asked=demand[most])


def _needed(loads: Sequence[PoolLoad], terms: Terms, end: Factors, question: Question, profile: Profile) -> float:
    """Return the replicas, spares too, at an `end`: so many times the steps, and the waits of these; else infinite."""
    needed = max(float(sizing.size(replace(one, service=one.service.scaled(*end)), terms)[0]) for one in loads)
    return float(with_spares(np.array([needed]), profile, question)[0])
