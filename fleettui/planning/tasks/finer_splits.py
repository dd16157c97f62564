"""The task `finer_splits`: fleets of two pools that divide between the grid's points, as simulations correct them."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from fleettui.domain.anchor import Anchor
from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.replica import ReplicaKey
from fleettui.domain.seen_fleets import by_replica, worst
from fleettui.optimize.offers import NO_ANCHORS, Anchors
from fleettui.planning.finer_splits import MOST, SAVING
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.plan import answer_case
from fleettui.planning.tasks.simulation_inputs import Scene, scene_of
from fleettui.planning.walked_shapes import distinct, is_like, replicas_of
from fleettui.planning.worth import worth_of

ROUNDING = 1e-9
PARTS = 8
"""Into so many parts what lies between a split and the next one of the grid is cut."""
REACH = 2
"""So many points of the grid away from a split others are looked at: the best one need not be beside it."""
MILDER = 1.05
"""By what factor latencies may be shorter beside a split than what was seen elsewhere has them."""
CLOSE = 1.11
"""By what factor of its limit a fleet's latency may be too long for others to be tried beside its split."""


def run(
    context: Context,
    *,
    source: SceneSource,
    shown: Answer,
    near: Sequence[Candidate],
    most: float,
    walked: Sequence[Fleet] = (),
    dared: float = 0.0,
) -> list[Candidate]:
    """Return the first MOST fleets of the replicas of `near` that divide near where these do, best first.

    They are worth less than `most` of what the question's objective counts, with the figures of the formulas alone,
    which what was simulated is told beside. After them comes the first of each pair of replicas that is worth less than
    `dared` and that none of `walked` is like.

    The candidates of `shown` are all that was simulated, and none of what is returned. They correct the formulas: what
    these refuse at each point of the grid may hold between two. Where none is better, the first is told that would be
    if it were a little faster than that, beside those that failed by little and those that were not simulated.
    """
    context.check()
    scene, known = scene_of(source), {one.fleet for one in shown.candidates}
    anchors = by_replica(shown.candidates, scene.question, scene.rate)
    found = [one for one in divided_near(scene, near, anchors, max(most, dared)) if one.fleet not in known]
    worth = worth_of(scene.question.objective, scene.question.host_power)
    better = [one for one in found if worth(one) < most]
    if not better:
        seen = [one for one in near if one.simulation is not None and worth(one) < most]
        close = [one for one in seen if _is_close(one, scene) and _is_relieved(one, seen, scene)]
        close += [one for one in near if one.simulation is None]
        better = [one for one in _divided_milder(scene, close, anchors, most) if one.fleet not in known][:1]
    others = [one for one in found if worth(one) >= most and not any(is_like(one.fleet, other) for other in walked)]
    new: dict[object, Candidate] = {}
    for one in others:
        new.setdefault(replicas_of(one.fleet), one)
    return [_by_formula(one, scene) for one in [*better, *new.values()][:MOST]]


def _is_close(one: Candidate, scene: Scene) -> bool:
    """Return whether a fleet of two pools misses a limit by little."""
    return len(one.fleet.pools) == 2 and 1.0 < max(_shares(one, scene)) <= CLOSE


def _is_relieved(one: Candidate, near: Sequence[Candidate], scene: Scene) -> bool:
    """Return whether the pool that fails has another share of its limit where a fleet divides elsewhere, if seen."""
    shares = _shares(one, scene)
    place = shares.index(max(shares))
    like = [other for other in near if _replicas(other, place) == _replicas(one, place)]
    seen = {other.fleet.pools[0].up_to: _shares(other, scene)[place] for other in like}
    return len(seen) == 1 or max(seen.values()) > (1.0 + SAVING) * min(seen.values())


def _replicas(one: Candidate, place: int) -> tuple[ReplicaKey, int] | None:
    """Return of which replicas a fleet of two pools has how many at a place, None where it has not two."""
    pools = one.fleet.pools
    return (pools[place].replica_key, pools[place].replicas) if len(pools) == 2 else None


def _shares(one: Candidate, scene: Scene) -> list[float]:
    """Return the largest share of its limit that a latency was in each pool as it was simulated, 0 where none was."""
    seen = () if one.evidence is None else one.evidence.pools
    limits = scene.question.held_limits()
    return [max((own.at(limit).value or 0.0) / limit.seconds for limit in limits) for own in seen] or [0.0]


def _divided_milder(scene: Scene, near: Sequence[Candidate], anchors: Anchors, most: float) -> list[Candidate]:
    """Return the fleets that divide near where these do with all latencies MILDER than the anchors have them."""
    milder = {key: _milder(anchor) for key, anchor in anchors.items()}
    return divided_near(scene, near, milder, most) if near else []


def _milder(anchor: Anchor) -> Anchor:
    seen = (replace(one, ratios=tuple((name, ratio / MILDER) for name, ratio in one.ratios)) for one in anchor.seen)
    return Anchor(seen=tuple(seen))


def divided_near(scene: Scene, near: Sequence[Candidate], anchors: Anchors, most: float = math.inf) -> list[Candidate]:
    """Return the fleets of the replicas of `near`, which divide near where these do, best first.

    They hold by formula as the anchors correct it, as their figures are. They are worth less than `most`; of those that
    save as much, but for SAVING, the one that keeps its limits best comes first.
    """
    kinds = {pool.replica_key for one in near for pool in one.fleet.pools}
    alike = [one for one in scene.profiles if one.replica_key in kinds]
    asked = replace(scene.question, pools=(2,), splits=tuple(sorted(between(scene, near))))
    found = answer_case(asked, scene.case, alike, scene.context, anchors=anchors).candidates
    holding = sorted((one for one in found if not one.shortfalls), key=lambda one: strain(one, scene))
    worth = worth_of(scene.question.objective, scene.question.host_power)
    best = [one for one in distinct(holding) if worth(one) < most]
    step = SAVING * min(map(worth, best), default=0.0) or math.inf
    return sorted(best, key=lambda one: math.floor(worth(one) / step + ROUNDING))


def between(scene: Scene, near: Sequence[Candidate], reach: int = REACH) -> Iterator[int]:
    """Yield where a pool may divide from `reach` points of the grid below a fleet's own split to as many above.

    So it may all the way from a split at which only the longer requests' pool fails to the next one at which only the
    shorter requests' does, of the same replicas.
    """
    own = {one.fleet.pools[0].up_to for one in near if len(one.fleet.pools) > 1}
    grid = scene.case.grid()
    ranges = [*_failing_apart(near), *(_around(grid, split, reach) for split in own)]
    for low, high in pairwise(sorted({*grid, *own})):
        if any(start <= low and high <= end for start, end in ranges):
            yield from (low + (high - low) * part // PARTS for part in range(PARTS + 1))


def _around(grid: Sequence[int], split: int, reach: int) -> tuple[int, int]:
    """Return the first and the last point of the grid between which others are looked at around a split."""
    before, after = bisect_left(grid, split) - reach, bisect_right(grid, split) - 1 + reach
    return grid[max(0, before)], grid[min(after, len(grid) - 1)]


def _failing_apart(near: Sequence[Candidate]) -> Iterator[tuple[int, int]]:
    """Yield the splits between which one pool of a fleet's replicas ceases to fail and the other begins to."""
    found: dict[tuple[ReplicaKey, ...], set[tuple[int, bool]]] = {}
    for one in near:
        failing = [pool.verdict == "fail" for pool in one.evidence.pools] if one.evidence is not None else []
        if failing.count(True) == 1:
            kinds = tuple(pool.replica_key for pool in one.fleet.pools)
            found.setdefault(kinds, set()).add((one.fleet.pools[0].up_to, failing[0]))
    for own in found.values():
        for (low, too_high), (high, is_too_high) in pairwise(sorted(own)):
            if is_too_high and not too_high:
                yield low, high


def strain(one: Candidate, scene: Scene) -> float:
    """Return the largest share of its limit that some pool's latency is: of splits that cost as much the least is."""
    return max(worst(one, limit, NO_ANCHORS) / limit.seconds for limit in scene.question.held_limits())


def _by_formula(one: Candidate, scene: Scene) -> Candidate:
    """Return a fleet with the figures of the formulas alone."""
    sizes = [pool.replicas for pool in one.fleet.pools]
    return scene.resize(one.fleet, sizes)[0].candidate
