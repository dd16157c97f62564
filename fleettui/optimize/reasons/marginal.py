"""The marginal GPU cost on both sides of a boundary: FleetOpt's Proposition 1, by continuous replicas.

A boundary is where it should be when one request per second more costs as much in the short pool as one fewer saves in
the long pool, both at the lengths of the boundary. A request asks a replica for work of I·w/n + h·KVS + P·L_in′ seconds
(where the token budget binds, w·(L_in′ + L_out)/b stands for the first term), and a pool of tp GPUs a replica that is
held at utilization ρ needs tp·work/ρ GPUs for each such request per second. Places n stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fleettui.domain.fleet import Pool, counted
from fleettui.domain.plan import Candidate
from fleettui.domain.simulation import PoolTraffic
from fleettui.domain.study import StudyTable, table_of
from fleettui.optimize import sizing
from fleettui.optimize.given_fleet import ScoredFleet
from fleettui.optimize.reasons.inputs import Ground
from fleettui.optimize.terms import Terms
from fleettui.queueing.batching import moving, stepping
from fleettui.queueing.latency import PoolLoad
from fleettui.queueing.moments import Atoms, Moments, RequestTable

NEAREST = 0.01
"""Share of all requests, the shortest above the boundary, whose lengths stand for it."""
HALVINGS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A pool beside a boundary: GPUs per request/s at its own lengths and at the boundary's, and US dollars an hour.

    `held` is the utilization at which its limits hold it: the cap, or less where a latency limit asks for more room.
    """

    pool: str
    own: float
    boundary: float
    price: float
    held: float

    @property
    def cost(self) -> float:
        """US dollars per hour for one more request per second of the boundary's lengths."""
        return self.boundary * self.price


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """A boundary in total tokens with the pools on both sides."""

    tokens: int
    short: Side
    long: Side

    @property
    def saving(self) -> float:
        """US dollars per hour that moving one request/s from the long to the short pool saves; negative: it costs."""
        return self.long.cost - self.short.cost


def boundaries(ground: Ground, candidate: Candidate) -> tuple[Boundary, ...]:
    """Return the boundaries of a fleet, none for one pool."""
    fixed = ground.standing(candidate)
    pools = candidate.fleet.pools
    return tuple(
        Boundary(
            tokens=lower.up_to,
            short=_side(ground, fixed, place, near := nearest(fixed, place + 1)),
            long=_side(ground, fixed, place + 1, near),
        )
        for place, lower in enumerate(pools[:-1])
    )


def nearest(fixed: ScoredFleet, place: int) -> Atoms:
    """Return the shortest requests of a pool that make up NEAREST of all requests, or all it has where it has fewer."""
    traffic = fixed.traffic.pools
    total = sum(one.arrival_rate for one in traffic)
    share = NEAREST * total / traffic[place].arrival_rate
    atoms = sorted(traffic[place].atoms, key=lambda atom: atom[1] + atom[2])
    weight, taken = sum(atom[0] for atom in atoms), []
    left = share * weight
    for atom in atoms:
        if left <= 0.0:
            break
        taken.append((min(left, atom[0]), *atom[1:]))
        left -= atom[0]
    return taken


def work(load: PoolLoad, moments: Moments) -> float:
    """Return the seconds of a replica that a request of `moments` asks for, in the pool of `load`."""
    s, o = load.service, load.occupancy
    if o.by_api[0] > max(o.by_sequences[0], o.by_budget[0]):
        return float((s.api_token * s.lanes * moments.output)[0])
    if o.by_budget[0] > o.by_sequences[0]:
        return float((s.base * (moments.uncached + moments.output) / s.token_budget + moving(moments, s))[0])
    return float((stepping(moments, s) + moving(moments, s))[0])


def held_at(load: PoolLoad, terms: Terms) -> float:
    """Return the utilization at the fewest replicas, whole or not, that keep the terms.

    A pool that does not keep them by formula, such as one that only the simulation passed, is held where it is.
    """
    busy = float((load.occupancy.utilization * load.replicas)[0])
    low, high = busy / terms.max_utilization, float(load.replicas[0])
    if bool(sizing.keeps(load.resized(np.array([low])), terms)[0]):
        return terms.max_utilization
    if not bool(sizing.keeps(load, terms)[0]):
        return busy / high
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        kept = bool(sizing.keeps(load.resized(np.array([middle])), terms)[0])
        low, high = (low, middle) if kept else (middle, high)
    return busy / high


def _side(ground: Ground, fixed: ScoredFleet, place: int, near: Atoms) -> Side:
    pool, load = fixed.candidate.fleet.pools[place], ground.load(fixed, place)
    held = held_at(load, ground.terms)
    at_boundary = _moments(PoolTraffic(arrival_rate=1.0, atoms=tuple(near)), pool, ground)
    return Side(
        pool=pool.name,
        own=pool.tp * work(load, load.moments) / held,
        boundary=pool.tp * work(load, at_boundary) / held,
        price=ground.prices[pool.gpu],
        held=held,
    )


def _moments(traffic: PoolTraffic, pool: Pool, ground: Ground) -> Moments:
    table = RequestTable.of(
        traffic.atoms, chunk=pool.token_budget, prefix_hit=ground.question.prefix_hit, drafting=pool.drafting
    )
    return table.moments([0], [len(table.weight)])


def sentences(found: Sequence[Boundary], instead: str = "") -> tuple[str, ...]:
    """Return what moving one request per second across each boundary does.

    `instead` is the fleet in words where it is not the answer's own, whose pools the sentence names.
    """
    of = f"one pool has no boundary; in {instead}, the best of several that the plan ranks: " if instead else ""
    return tuple(f"{of}{_moving(one)}" for one in found)


def _moving(one: Boundary) -> str:
    verb = "saves" if one.saving >= 0 else "costs"
    return (
        f"moving 1 request/s of {one.tokens} tokens from pool {one.long.pool} to pool {one.short.pool} {verb} "
        f"${abs(one.saving):.3g}/h: it takes {counted(one.short.boundary)} in {one.short.pool} instead of "
        f"{one.long.boundary:.3g} in {one.long.pool}"
    )


def table(found: Sequence[Boundary], instead: str = "") -> StudyTable:
    """Return both sides of each boundary; `instead` is the fleet in words where it is not the answer's own."""
    return table_of(
        "GPUs for one more request/s" + (f", in {instead}, as one pool has no boundary" if instead else ""),
        [(one, side) for one in found for side in (one.short, one.long)],
        ("boundary", "tokens", lambda row: row[0].tokens),
        ("pool", "text", lambda row: row[1].pool),
        ("own_lengths", "number", lambda row: row[1].own),
        ("at_boundary", "number", lambda row: row[1].boundary),
        ("cost_per_hour", "dollars per hour", lambda row: row[1].cost),
        ("held_at", "share", lambda row: row[1].held),
        note="by formula; FleetOpt, Proposition 1: at the best boundary both pools ask the same for a request of its "
        "lengths",
    )
