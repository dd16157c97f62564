"""What simulated fleets showed of the formulas' error, by kind of replica, and what a formula comes to with it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from fleettui.domain.anchor import NOTHING_SEEN, Anchor, SeenPool
from fleettui.domain.fleet import Fleet, Pool
from fleettui.domain.limit import ALWAYS, Latency
from fleettui.domain.plan import Candidate, Evidence, PoolEvidence, PoolFigures
from fleettui.domain.replica import ReplicaKey
from fleettui.domain.scenario import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenFleet:
    """A fleet of which simulations showed more than of its kinds of replicas: an anchor of each of its pools."""

    fleet: Fleet
    anchors: tuple[Anchor, ...]

    def is_like(self, other: Fleet) -> bool:
        """Return whether another fleet is the same but for how many replicas its pools have."""
        return of_one_each(self.fleet) == of_one_each(other)


def of_one_each(fleet: Fleet) -> Fleet:
    """Return a fleet with one replica in each pool: what all that differ in sizes alone have in common."""
    return replace(fleet, pools=tuple(replace(pool, replicas=1) for pool in fleet.pools))


def make_of(one: Candidate) -> Fleet:
    """Return a fleet with one replica in each pool and none spare: what all sizes of it have in common."""
    return replace(one.fleet, pools=tuple(replace(pool, replicas=1, spares=0) for pool in one.fleet.pools))


def by_replica(tried: Iterable[Candidate], question: Question, rate: float) -> dict[ReplicaKey, Anchor]:
    """Return what those of fleets `tried` at a rate in requests/s that were simulated showed of kinds of replicas."""
    found: dict[ReplicaKey, list[SeenPool]] = {}
    for one in simulated(tried):
        for pool, seen in zip(one.fleet.pools, seen_pools(one, question, rate), strict=True):
            found.setdefault(pool.replica_key, []).append(seen)
    return {key: Anchor(seen=tuple(dict.fromkeys(own))).elsewhere for key, own in found.items()}


def merged(seen: Iterable[tuple[ReplicaKey, Anchor]]) -> tuple[tuple[ReplicaKey, Anchor], ...]:
    """Return all that is known of each kind of replicas as one anchor, in the order in which it comes."""
    found: dict[ReplicaKey, Anchor] = {}
    for key, anchor in seen:
        found[key] = Anchor(seen=(*found.get(key, NOTHING_SEEN).seen, *anchor.seen))
    return tuple(found.items())


def worst(candidate: Candidate, latency: Latency, anchors: Mapping[ReplicaKey, Anchor]) -> float:
    """Return a latency of the worst pool in seconds, each as its anchor corrects it."""
    pairs = zip(candidate.fleet.pools, candidate.pools, strict=True)
    return max(
        figures.at(latency) * anchors.get(pool.replica_key, NOTHING_SEEN).ratio(latency.name, *_loaded(pool, figures))
        for pool, figures in pairs
    )


def with_unseen(anchors: Mapping[ReplicaKey, Anchor], keys: Iterable[ReplicaKey]) -> dict[ReplicaKey, Anchor]:
    """Return anchors of these replicas, too, where none was seen of them: they err as little as any that were.

    Empty where none was seen of any.
    """
    least: dict[str, tuple[float, float]] = {}
    for one in (seen for anchor in anchors.values() for seen in anchor.seen):
        for name, ratio in one.ratios:
            least[name] = min(least.get(name, (ratio, one.utilization)), (ratio, one.utilization))
    if not least:
        return {}
    seen = (
        SeenPool(utilization=load, ratios=((name, ratio),), replicas=0, rate=0.0)
        for name, (ratio, load) in least.items()
    )
    return dict.fromkeys(keys, Anchor(seen=tuple(seen))) | {**anchors}


def mildest(candidate: Candidate, latency: Latency, anchors: Mapping[ReplicaKey, Anchor]) -> float:
    """Return the same where a pool of replicas that none was seen of errs as little as any that was."""
    pairs = zip(candidate.fleet.pools, candidate.pools, strict=True)
    return max(figures.at(latency) * _mildest(pool, figures, latency, anchors) for pool, figures in pairs)


def _mildest(pool: Pool, figures: PoolFigures, latency: Latency, anchors: Mapping[ReplicaKey, Anchor]) -> float:
    own = anchors.get(pool.replica_key, NOTHING_SEEN)
    known = [own] if own.ratios(latency.name) else [one for one in anchors.values() if one.ratios(latency.name)]
    return min((one.ratio(latency.name, *_loaded(pool, figures)) for one in known), default=1.0)


def _loaded(pool: Pool, figures: PoolFigures) -> tuple[float, float]:
    """Return how busy a pool is, and what a request takes of a replica in seconds."""
    return figures.utilization, figures.utilization * pool.replicas / figures.arrival_rate


def simulated(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return those that a simulation looked at, or whose load alone condemns them."""
    return [one for one in candidates if one.evidence is not None and any(map(_ruled, one.evidence.pools))]


def _ruled(pool: PoolEvidence) -> bool:
    return pool.verdict is not None


def seen_pools(candidate: Candidate, question: Question, rate: float) -> list[SeenPool]:
    """Return what a simulated fleet showed of its pools under a question at a rate in requests/s."""
    evidence = candidate.evidence
    assert evidence is not None, "it was simulated"
    closed, most = question.demand.form == "concurrency", question.max_utilization * (1 + 1e-9)
    rows = zip(candidate.fleet.pools, candidate.pools, evidence.pools, strict=True)
    return [
        SeenPool(
            utilization=figures.utilization,
            ratios=tuple(_ratios(figures, own, question)),
            replicas=pool.replicas,
            rate=rate,
            passed=_passed(own, evidence) if closed or figures.utilization <= most else None,
            work=figures.utilization * pool.replicas / figures.arrival_rate,
        )
        for pool, figures, own in rows
    ]


def _ratios(figures: PoolFigures, seen: PoolEvidence, question: Question) -> Iterable[tuple[str, float]]:
    """Yield each latency's name with the simulated seconds over the formula's, where both are known."""
    latencies = {one.name: one for one in (*(metric.latency for metric in ALWAYS), *question.slo.limits())}
    for name, latency in latencies.items():
        formula, value = figures.at(latency), seen.at(latency).value
        if value is not None and 0.0 < formula < math.inf:
            yield name, value / formula


def _passed(pool: PoolEvidence, evidence: Evidence) -> bool | None:
    """Return whether a pool is known to hold; what is not proven says nothing where another pool fails.

    It was not looked at for long then. Else what was not proven does not hold: the search, too, went on to more.
    """
    fails = any(one.verdict == "fail" for one in evidence.pools)
    return None if pool.verdict is None or (pool.verdict == "unproven" and fails) else pool.verdict == "pass"
