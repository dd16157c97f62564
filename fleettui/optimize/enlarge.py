"""Fleets with more replicas than their limits ask for: how much faster each one more makes them, and at what cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.limit import TTFT
from fleettui.domain.scenario import Question
from fleettui.optimize.costs import cost_of_pools
from fleettui.optimize.offers import NO_ANCHORS, Anchors, Offer, offers_of, with_spares
from fleettui.optimize.ranges import Ranges, Slices
from fleettui.optimize.terms import Terms
from fleettui.optimize.watts import idle_watts, working_watts
from fleettui.queueing.arrays import FloatArray

MOST_MORE = 12
"""Replicas that a fleet is given beyond those that its limits ask for."""
LEAST_GAIN = 0.02
"""The share by which one replica more must lower its pool's TTFT for another to follow."""

Place = tuple[int, int, int]
"""(offer index, range row, replicas) of a pool at its own size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SizedFleet:
    """A fleet at one size by formula, corrected where it was anchored: US dollars an hour, watts, and the TTFT of its
    worst pool in seconds.
    """

    fleet: Fleet
    cost: float
    power: float
    ttft: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSizes:
    """A pool on GPUs of `profile` at its own size and at one replica more each; arrays of shape (sizes,)."""

    profile: Profile
    replicas: FloatArray
    with_spares: FloatArray
    ttft: FloatArray
    watts: FloatArray


def enlarged(
    fleets: Sequence[Fleet],
    *,
    question: Question,
    slices: Slices,
    profiles: Sequence[Profile],
    context: int,
    anchors: Anchors = NO_ANCHORS,
    note: Callable[[int, int], None] = lambda _done, _total: None,
) -> list[SizedFleet]:
    """Return each of `fleets`, which a search found, with every larger size that is worth a look, smallest first.

    The worst pool gets one replica after the other, up to 12 in all, as long as each lowers its TTFT by 2 %. Whether
    the question's limits on money, power and stock hold is not asked. `anchors` correct the formulas. `note` is told
    how many kinds of pools are done.
    """
    offers, ranges = offers_of_fleets(fleets, question, slices, profiles, context, anchors=anchors)
    places = [places_of(fleet, offers, ranges) for fleet in fleets]
    pool_sizes = _pool_sizes(sorted({place for own in places for place in own}), offers, question, note)
    return [
        _sized(fleet, [pool_sizes[place] for place in own], more, question)
        for fleet, own in zip(fleets, places, strict=True)
        for more in steps([pool_sizes[place].ttft for place in own])
    ]


def steps(ttft: Sequence[Sequence[float] | FloatArray]) -> Iterator[tuple[int, ...]]:
    """Yield how many replicas more each pool has at each size; `ttft` are seconds per pool with 0, 1, ... more.

    >>> list(steps([[0.4, 0.2, 0.199], [0.3, 0.1, 0.1]]))
    [(0, 0), (1, 0), (1, 1)]
    """
    more = [0] * len(ttft)
    yield tuple(more)
    for _ in range(min(map(len, ttft)) - 1):
        now = [own[extra] for own, extra in zip(ttft, more, strict=True)]
        worst = now.index(max(now))
        if not ttft[worst][more[worst] + 1] <= now[worst] * (1.0 - LEAST_GAIN):
            return
        more[worst] += 1
        yield tuple(more)


def offers_of_fleets(
    fleets: Sequence[Fleet],
    question: Question,
    slices: Slices,
    profiles: Sequence[Profile],
    context: int,
    *,
    anchors: Anchors = NO_ANCHORS,
) -> tuple[list[Offer], Ranges]:
    """Return what each profile in use, set as its pools are, offers for the ranges that the fleets' pools have."""
    splits = sorted({pool.up_to for fleet in fleets for pool in fleet.pools[:-1]})
    inner = {pool.up_to for fleet in fleets if len(fleet.pools) > 2 for pool in fleet.pools[:-1]}
    ranges = Ranges.of(
        splits,
        context,
        cuts=[place for place, split in enumerate(splits) if split in inner],
        factors=(1.0, *sorted({fleet.gamma for fleet in fleets if fleet.gamma > 1.0})),
    )
    known = {profile.replica_key: profile for profile in profiles}
    used = dict.fromkeys((pool.replica_key, pool.settings) for fleet in fleets for pool in fleet.pools)
    own = [replace(known[key], settings=settings) for key, settings in used]
    return offers_of(own, slices, ranges, question, Terms.of(question), sized=False, anchors=anchors), ranges


def places_of(fleet: Fleet, offers: Sequence[Offer], ranges: Ranges) -> tuple[Place, ...]:
    """Return where each pool of a fleet stands among the offers."""
    found = []
    kinds = [(one.profile.replica_key, one.profile.settings) for one in offers]
    for pool in fleet.pools:
        same = (ranges.above == pool.above) & (ranges.up_to == pool.up_to) & (ranges.gamma == fleet.gamma)
        row = int(np.flatnonzero(same)[0])
        found.append((kinds.index((pool.replica_key, pool.settings)), row, pool.replicas))
    return tuple(found)


def _pool_sizes(
    places: Sequence[Place], offers: Sequence[Offer], question: Question, note: Callable[[int, int], None]
) -> dict[Place, PoolSizes]:
    """Return the sizes of every place, evaluated together where they are of one offer."""
    found: dict[Place, PoolSizes] = {}
    for index in sorted({place[0] for place in places}):
        note(len(found), len(places))
        found |= _evaluated([place for place in places if place[0] == index], offers[index], question)
    return found


def _evaluated(places: Sequence[Place], chosen: Offer, question: Question) -> dict[Place, PoolSizes]:
    """Return the sizes of pools of one offer, at each size in the time slice that is worst."""
    rows, own = (np.array([place[k] for place in places]) for k in (1, 2))
    count, profile = MOST_MORE + 1, chosen.profile
    sizes = own[:, None] + np.arange(count, dtype=float)
    all_replicas = with_spares(sizes.ravel(), profile, question).reshape(sizes.shape)
    ttft, watts = np.zeros(sizes.shape), np.zeros(sizes.shape)
    for slice_index, served in enumerate(chosen.slices):
        busy = np.flatnonzero(served.demanded.occupied[rows])
        if not len(busy):
            continue
        load = chosen.load(rows[busy], own[busy].astype(float), slice_index)
        load = load.pick(np.repeat(np.arange(len(busy)), count)).resized(sizes[busy].ravel())
        drawn = working_watts(profile, load)
        late = chosen.terms.percentile(load, TTFT.latency)
        watts[busy] = np.maximum(watts[busy], drawn.reshape(-1, count))
        ttft[busy] = np.maximum(ttft[busy], late.reshape(-1, count))
    watts += idle_watts(profile, sizes, all_replicas)
    columns = (sizes, all_replicas, ttft, watts)
    return {
        place: PoolSizes(profile=profile, replicas=replicas, with_spares=standing, ttft=seconds, watts=drawn)
        for place, replicas, standing, seconds, drawn in zip(places, *columns, strict=True)
    }


def _sized(fleet: Fleet, pool_sizes: Sequence[PoolSizes], more: Sequence[int], question: Question) -> SizedFleet:
    pools = tuple(
        replace(pool, replicas=int(own.replicas[extra]), spares=int(own.with_spares[extra] - own.replicas[extra]))
        for pool, own, extra in zip(fleet.pools, pool_sizes, more, strict=True)
    )
    counts = [(pool.gpus, own.profile) for pool, own in zip(pools, pool_sizes, strict=True)]
    return SizedFleet(
        fleet=replace(fleet, pools=pools),
        cost=cost_of_pools(counts, whole_nodes=question.whole_nodes),
        power=float(sum(own.watts[extra] for own, extra in zip(pool_sizes, more, strict=True))),
        ttft=float(max(own.ttft[extra] for own, extra in zip(pool_sizes, more, strict=True))),
    )
