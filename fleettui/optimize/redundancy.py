"""What each number of spare replicas takes and gives, for the pools of a fleet of known sizes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fleettui.domain.limit import TTFT
from fleettui.domain.redundancy import PoolRedundancy, Redundancy, SeenServing, Serving, Spread, StandBy
from fleettui.domain.scenario import Question
from fleettui.optimize import sizing
from fleettui.optimize.costs import cost_of_pools
from fleettui.optimize.fleet_shape import PoolShape, Shape
from fleettui.optimize.spares import failing, group_of, placed, placements, share_up
from fleettui.optimize.terms import Terms
from fleettui.queueing.availability import Group

MORE = 1
"""Groups of spare replicas that are told beyond those that a pool has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Needed:
    """A pool of a fleet at `rate` requests/s, the replicas that it needs then, and those of them that fail together.

    `seen` is what so many replicas came to in simulations.
    """

    pool: PoolShape
    group: Group
    replicas: int
    rate: float
    terms: Terms
    seen: Mapping[int, Serving]


def redundancy(
    shape: Shape, replicas: Sequence[int], spares: Sequence[int], rate: float, seen: Sequence[SeenServing] = ()
) -> Redundancy | None:
    """Return how pools of these sizes stand failures at `rate` requests/s; None where the question asks of none.

    Latencies are as `seen` where fleets of such sizes were simulated, else by the formulas at the step times predicted,
    as the shape's anchors correct them.
    """
    question, found = shape.question, []
    up = share_up(question)
    if up is None:
        return None
    for place, (one, needed, own) in enumerate(zip(shape.pools, replicas, spares, strict=True)):
        full, group = group_of(one.profile, question), placed(needed, needed + own, one.profile, question)
        assert full is not None, "the question has an availability"
        assert group is not None, "the question has an availability"
        terms = replace(shape.terms, anchor=one.anchor)
        known = {fleet.replicas[place]: fleet.pools[place] for fleet in seen}
        pool = _Needed(pool=one, group=group, replicas=needed, rate=rate, terms=terms, seen=known)
        counts = sorted({*range(0, own + (MORE * group.replicas) + 1, group.replicas), own})
        choices = tuple(
            _choice(pool, count, whole_nodes=question.whole_nodes, in_racks=question.rack is not None)
            for count in counts
        )
        per_node = group.replicas if group.replicas < full.replicas else 0
        told = PoolRedundancy(name=one.pool.name, replicas=needed, spares=own, choices=choices, per_node=per_node)
        found.append(replace(told, spread=_other(pool, question, told)))
    return Redundancy(
        of=failing(question), up=up, target=question.availability_target, pools=tuple(found), rack=question.rack
    )


def _other(needed: _Needed, question: Question, told: PoolRedundancy) -> Spread | None:
    """Return the placement on the fewest nodes where the pool's own does not fill them, else one that takes fewer GPUs.

    Of the former it is the one of the fewest GPUs, of the latter the one of the fewest GPUs and then nodes; None where
    none takes more, or fewer.
    """
    full, *spread = (_placement(needed, question, group) for group in placements(needed.pool.profile, question))
    if told.per_node:
        dense = min((full, *spread), key=lambda one: (one.nodes, one.standing.gpus))
        return dense if dense.standing.gpus > told.chosen.gpus else None
    best = min(spread, key=lambda one: (one.standing.gpus, one.nodes), default=None)
    return best if best is not None and best.standing.gpus < told.chosen.gpus else None


def _placement(needed: _Needed, question: Question, group: Group) -> Spread:
    """Return what a pool takes and gives with so many replicas on each node."""
    count = max(question.survive, group.spares(needed.replicas, question.availability_target))
    in_racks = question.rack is not None
    standing = _choice(replace(needed, group=group), count, whole_nodes=question.whole_nodes, in_racks=in_racks)
    nodes = math.ceil((needed.replicas + count) / group.replicas)
    return Spread(per_node=group.replicas, nodes=nodes, standing=standing)


def _choice(needed: _Needed, spares: int, *, whole_nodes: bool, in_racks: bool) -> StandBy:
    """Return what so many spare replicas of a pool take and give."""
    held, profile, group = needed.replicas + spares, needed.pool.profile, needed.group
    rack = max(1, group.in_rack) * group.replicas if in_racks else None
    gpus = held * profile.gpus_per_replica
    return StandBy(
        spares=spares,
        gpus=gpus,
        cost=cost_of_pools([(gpus, profile)], whole_nodes=whole_nodes),
        up=needed.group.all_up(needed.replicas, held),
        all_up=_serving(needed, held),
        one_down=_serving(needed, held - needed.group.replicas),
        rack_down=None if rack is None else _serving(needed, held - rack),
    )


def _serving(needed: _Needed, replicas: int) -> Serving:
    """Return what so many replicas of a pool come to in the time slice that is worst for it."""
    if replicas < 1:
        return Serving(ttft=None, holds=False, serves=False)
    if replicas in needed.seen:
        return needed.seen[replicas]
    row, terms, anchor = np.zeros(1, np.int64), needed.terms, needed.pool.anchor
    worst, holds = 0.0, replicas >= anchor.least(needed.rate)
    for load in needed.pool.loads:
        own = load.pick(row).resized(np.array([float(replicas)])).faster(np.array([needed.rate]))
        holds = holds and bool(sizing.keeps(own, terms)[0])
        is_full = float(own.occupancy.utilization[0]) >= 1.0
        worst = max(worst, math.inf if is_full else float(terms.percentile(own, TTFT.latency)[0]))
    ttft = worst if math.isfinite(worst) else None
    return Serving(ttft=ttft, holds=holds or replicas >= anchor.most(needed.rate))
