"""What keeps the pools of a fleet from being smaller: as its simulation shows where there was one, else by formula."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fleettui.domain.fleet import Fleet
from fleettui.domain.limit import Limit
from fleettui.domain.plan import Candidate, PoolEvidence
from fleettui.domain.scenario import Question
from fleettui.domain.seen_fleets import of_one_each

ONE_REPLICA = "one replica"
"""What limits a pool that has no replica to take away."""
LONGER_STEPS = "the wished confidence"
"""What limits a pool that a wished confidence made larger than the formula would have it."""
LARGER = "latency as simulated"
"""What limits a pool that simulation made larger than the formula would have it."""
WHOLE_NODES = "whole nodes"
"""What limits a pool that is larger for the same price."""
AS_THEY_ARE = (ONE_REPLICA, LONGER_STEPS, WHOLE_NODES)
"""Reasons that no latency decides."""


def limited_by(candidate: Candidate, question: Question, tried: Iterable[Candidate] = ()) -> tuple[str, ...]:
    """Return what limits each pool of a fleet; `tried` are the fleets that were simulated beside it, and others.

    Of a pool that holds as simulated it is the latency with the least room that a replica fewer was seen to break, or
    the one with the least room at all where none was looked at; of one that is not known to hold it is that, too, which
    it may be over. Where a replica fewer would be too busy, and no latency has less room than its load, it is what the
    formulas say, as it is of a pool that was not simulated, or of which some latency is not known.
    """
    beside = tuple(tried)
    return tuple(_limited(candidate, place, question, beside) for place in range(len(candidate.pools)))


def _limited(candidate: Candidate, place: int, question: Question, tried: Sequence[Candidate]) -> str:
    figures, seen = candidate.pools[place], candidate.simulation
    by_formula = figures.limited_by
    if seen is None or by_formula in AS_THEY_ARE:
        return by_formula
    own = seen.pools[place]
    room, holds = _room(own, question), own.verdict == "pass"
    if not holds and len(room) < len(question.held_limits()):
        return by_formula
    broken = {label for label in _broken(candidate.fleet, place, question, tried) if holds and label in room}
    label = min(broken or room, key=lambda one: room[one], default=None)
    if label is None or label == _label(by_formula):
        return by_formula
    size, most = candidate.fleet.pools[place].replicas, question.max_utilization
    by_latency = _label(by_formula) in room or by_formula == LARGER
    too_busy = figures.utilization * size > most * (size - 1)
    by_load = too_busy and not by_latency and 1.0 - figures.utilization / most <= room[label]
    return by_formula if by_load else label


def _label(reason: str) -> str:
    """Return a latency's label without the part of it that breaks."""
    return reason.partition(":")[0]


def _room(pool: PoolEvidence, question: Question) -> dict[str, float]:
    """Return the share of each latency limit that a pool leaves, up to the end of the interval, by its label."""
    ends = [(one, pool.at(one)) for one in question.held_limits()]
    known = [(one, seen.value if seen.high is None else seen.high) for one, seen in ends]
    return {one.label: 1.0 - end / one.seconds for one, end in known if end is not None}


def _broken(fleet: Fleet, place: int, question: Question, tried: Sequence[Candidate]) -> set[str]:
    """Return the labels of the latencies that a pool with one replica fewer was seen to break."""
    size, alike = fleet.pools[place].replicas - 1, of_one_each(fleet)
    fewer = [
        one.simulation.pools[place]
        for one in tried
        if one.simulation is not None
        and len(one.fleet.pools) == len(fleet.pools)
        and one.fleet.pools[place].replicas == size
        and of_one_each(one.fleet) == alike
    ]
    return {
        limit.label
        for pool in fewer
        if pool.verdict == "fail"
        for limit in question.held_limits()
        if _least(pool, limit) > limit.seconds
    }


def _least(pool: PoolEvidence, limit: Limit) -> float:
    """Return the lower end of what a pool takes of a latency, 0 where nothing is known."""
    seen = pool.at(limit)
    return next((end for end in (seen.low, seen.value) if end is not None), 0.0)
