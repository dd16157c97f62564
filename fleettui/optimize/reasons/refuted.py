"""What simulations showed not to hold: a fleet, and with it every one of its make that is no larger."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Candidate, Estimate, PoolEvidence
from fleettui.domain.scenario import Question
from fleettui.domain.seen_fleets import make_of

OF_ONE_RUN = 2.0
"""A latency without an interval may be so many times shorter than it was seen."""


def refuted_pools(one: Candidate, asked: Question, proofs: Iterable[Candidate], held: Question) -> Collection[int]:
    """Return the places of the pools of a fleet that break a latency limit that is asked, as simulations showed.

    Those of a fleet of the same make do, no smaller in any pool. `proofs` were simulated for the same requests, and
    judged by the limits of the question `held`.
    """
    return {
        place
        for proof in proofs
        if proof.evidence is not None and _is_no_smaller(proof, one)
        for place, pool in enumerate(proof.evidence.pools)
        if _breaks(pool, asked, held)
    }


def _is_no_smaller(seen: Candidate, one: Candidate) -> bool:
    ours, theirs = one.fleet.pools, seen.fleet.pools
    if len(ours) != len(theirs) or _divided(one.fleet) != _divided(seen.fleet):  # told sooner than the makes are made
        return False
    return all(own.replicas <= their.replicas for own, their in zip(ours, theirs, strict=True)) and (
        make_of(seen) == make_of(one)
    )


def _divided(fleet: Fleet) -> list[tuple[str, int]]:
    return [(pool.gpu, pool.up_to) for pool in fleet.pools]


def _breaks(pool: PoolEvidence, asked: Question, held: Question) -> bool:
    limits = asked.held_limits()
    if (limits, asked.max_utilization) == (held.held_limits(), held.max_utilization):
        return pool.verdict == "fail"
    return any(_at_least(pool.at(limit)) > limit.seconds for limit in limits)


def _at_least(seen: Estimate) -> float:
    """Return how long a latency is at least, in seconds, 0 where it was not seen."""
    return seen.low if seen.low is not None else (seen.value or 0.0) / OF_ONE_RUN
