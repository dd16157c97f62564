"""Where two pools divide, looked at more finely beside the best and what would have cost less and did not hold."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.planning.settled import Settled
from fleettui.planning.sized_shapes import Shape
from fleettui.planning.walked_shapes import replicas_of
from fleettui.planning.worth import Worth

if TYPE_CHECKING:
    from fleettui.planning.plan_trials import Trials
    from fleettui.planning.prove import Simulator

SAVING = 0.01
"""The share of what counts that a fleet is to save for it to be looked at."""
MOST_NEAR = 12
"""Fleets, the best and those that failed nearest to their limits, beside whose splits others are looked for."""
MOST = 4
"""Fleets at most that are told, the likeliest to hold of those that save as much."""
DARED = 1.2
"""By what factor a fleet that no other is like may be expected to be worse than the best: it may be dared.

The formulas hand out so many fleets that none need be mostly of what they take to be far too slow.
"""
DEARER, MOST_AS_DEAR = 1.2, 4
"""By what factor fleets that were not tried may be dearer than what saves something, and how many are looked beside."""


async def finer_splits(trials: Trials, found: Settled, walked: Sequence[Candidate] = ()) -> list[Shape]:
    """Return the same as candidates of a plan."""
    better = await splits_near(trials.prover, trials.plan, trials.question, found, walked)
    return [(trials.store.add_candidate(trials.plan.plan.id, one), curves) for one, curves in better]


async def splits_near(
    simulator: Simulator, plan: Answer, question: Question, found: Settled, walked: Sequence[Candidate] = ()
) -> list[Shape]:
    """Return fleets that divide near where the best `found` does and those that failed and would have been better.

    What simulations showed corrects the formulas that size them. There are none where the question says where pools
    divide; without an answer any that keeps the constraints is better. None was tried, and no more than MOST are told.
    Where shapes were `walked`, after these come some up to DARED that none of them is like, which may be dared.
    Replicas of fleets of one pool that are the best, or would have been better, are combined with those of two. So are
    pairs of which none was tried that are little dearer by formula.
    """
    best = found.answer
    if question.splits or question.demand.form == "concurrency":
        return []
    most = math.inf if best is None else found.worth(best.candidate) * (1.0 - SAVING)
    trials_made = [trial for walk in found.walks for trial in walk.trials.values()]
    tried = [one.candidate for one in trials_made]
    nearest = sorted(trials_made, key=lambda one: one.strain)
    rivals = [one for one in nearest if one is best or found.worth(one.candidate) < most]
    near = [one.candidate for one in rivals if len(one.sizes) == 2][:MOST_NEAR]
    if not near:
        return []
    near += _as_dear(walked, tried, most, found.worth)
    near += [one.candidate for one in rivals if len(one.sizes) == 1]
    kinds = {kind for one in near for kind in replicas_of(one.fleet)}
    better = await simulator.workers.run(
        "finer_splits",
        list[Candidate],
        simulator.report,
        source=simulator.source,
        shown=replace(plan, candidates=tuple(tried)),
        near=near,
        most=most,
        walked=[one.fleet for one in walked if kinds.issuperset(replicas_of(one.fleet))],
        dared=0.0 if best is None or not walked else DARED * found.worth(best.candidate),
    )
    curves = await simulator.curves([one.fleet for one in better]) if better else []
    return [*zip(better, curves, strict=True)]


def _as_dear(walked: Sequence[Candidate], tried: Sequence[Candidate], most: float, worth: Worth) -> list[Candidate]:
    """Return the first fleets of two pools by formula that are little dearer than `most`, one of each pair of replicas.

    None are of replicas that were tried as a pair.
    """
    known = {replicas_of(one.fleet) for one in tried}
    new: dict[Hashable, Candidate] = {}
    for one in walked:
        pair = replicas_of(one.fleet)
        if len(one.fleet.pools) == 2 and worth(one) < DEARER * most and pair not in known:
            new.setdefault(pair, one)
    return list(new.values())[:MOST_AS_DEAR]
