"""The whole nodes that a fleet pays for, filled by formula: what its pools leave of them would serve for no more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.size_curve import filled, fills_nodes
from fleettui.optimize.ranges import Slices
from fleettui.optimize.size_curves import size_curves


def in_all_paid(
    best: Candidate, question: Question, *, slices: Slices, profiles: Sequence[Profile], context: int
) -> Candidate:
    """Return a fleet that a search found with as many more replicas as its whole nodes have room for.

    Its figures stay those of its own size. It is the fleet itself where there is no room, and where the question pays
    for GPUs alone.
    """
    if not fills_nodes(question):
        return best
    (curves,) = size_curves([best.fleet], question=question, slices=slices, profiles=profiles, context=context)
    sizes = filled(curves, [pool.replicas for pool in best.fleet.pools], question)
    pools = tuple(replace(pool, replicas=size) for pool, size in zip(best.fleet.pools, sizes, strict=True))
    gpus = sum(curve.gpus_at(size) for curve, size in zip(curves, sizes, strict=True))
    return replace(best, fleet=replace(best.fleet, pools=pools), gpus=round(gpus))
