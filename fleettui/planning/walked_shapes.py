"""Which of the formula's fleets a search by simulation walks to."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Candidate
from fleettui.domain.replica import ReplicaKey
from fleettui.domain.scenario import Question
from fleettui.planning.settled import MOST_TRIED
from fleettui.planning.worth import best_first

KindsAndSizes = tuple[tuple[ReplicaKey, int], ...]

LEAST_SHARE = 0.01
"""Share of a closed loop's requests, whose pools can only be simulated together, that a pool must get."""
MOST_SHAPES = 120
"""Shapes of fleets of several pools that a search by simulation chooses from."""


def walked_shapes(ranked: Sequence[Candidate], chosen: Candidate, question: Question) -> list[Candidate]:
    """Return the shapes among `ranked`, which hold by formula, that a search by simulation chooses from, best first.

    Fleets whose hardware is known much less well than that of the formula's `chosen` one are not among them: the search
    has set them aside, or they cost more.
    """
    closed = question.demand.form == "concurrency"
    reached = [one for one in ranked if not closed or _is_reached(one)] or ranked
    known = [one for one in reached if not question.sets_aside(one, chosen)] or reached
    best = best_first(known, question.objective, question.host_power)
    return distinct(best)[:MOST_TRIED] if closed else worth_a_walk(best, MOST_SHAPES)


def worth_a_walk(shapes: Sequence[Candidate], most: int) -> list[Candidate]:
    """Return the first `most` distinct shapes, best first, and all of one pool: those are few and unlike the others."""
    return [one for place, one in enumerate(distinct(shapes)) if place < most or len(one.fleet.pools) == 1]


def distinct(shapes: Sequence[Candidate]) -> list[Candidate]:
    """Return the first shape of each hardware and sizes: fleets that differ only in where the pools divide are one."""
    found: dict[KindsAndSizes, Candidate] = {}
    for shape in shapes:
        found.setdefault(kinds_and_sizes(shape), shape)
    return list(found.values())


def kinds_and_sizes(shape: Candidate) -> KindsAndSizes:
    """Return what tells a shape from others: the hardware and the size of each pool, not where these divide."""
    return tuple((pool.replica_key, pool.replicas) for pool in shape.fleet.pools)


def replicas_of(fleet: Fleet) -> tuple[ReplicaKey, ...]:
    """Return the hardware of each pool of a fleet."""
    return tuple(pool.replica_key for pool in fleet.pools)


def is_like(fleet: Fleet, other: Fleet) -> bool:
    """Return whether two fleets have the same hardware in each pool, and neither has over twice as much of it."""
    if replicas_of(fleet) != replicas_of(other):
        return False
    pairs = [(one.replicas, two.replicas) for one, two in zip(fleet.pools, other.pools, strict=True)]
    return all(max(pair) <= 2 * min(pair) for pair in pairs)


def _is_reached(candidate: Candidate) -> bool:
    """Return whether every pool gets enough of a closed loop's requests to be measured beside the others."""
    rates = [pool.arrival_rate for pool in candidate.pools]
    return min(rates) >= LEAST_SHARE * sum(rates)
