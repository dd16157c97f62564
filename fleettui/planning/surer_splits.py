"""Where pools divide, looked at again where a plan is to be surer: longer steps move what divides best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Candidate
from fleettui.planning.dared_fleets import SAVING
from fleettui.planning.sized_shapes import Option, Shape, SizedShapes

if TYPE_CHECKING:
    from fleettui.planning.plan_trials import Trials

MOST = 4
"""Fleets at most that are looked at."""


async def surer_splits(
    trials: Trials,
    sized: SizedShapes,
    shapes: Sequence[Shape],
    best: Option | None,
    tried: Sequence[Candidate],
) -> list[Shape]:
    """Return fleets that divide otherwise than `shapes`, and may be as sure as wished for less than the `best`.

    They are by formula, as those that were `tried` and the looks of what is `sized` correct it. There are none where
    the question says where pools divide, or that there is one.
    """
    question, prover = trials.question, trials.prover
    if question.confidence is None or question.splits or max(question.pools) == 1:
        return []
    found = await prover.workers.run(
        "surer_splits",
        list[Candidate],
        prover.report,
        source=prover.source,
        tried=tried,
        looks=sized.looks,
        share=question.confidence,
        most=math.inf if best is None else best.worth * (1.0 - SAVING),
    )
    known = {_divided(one.fleet) for one, _ in shapes}
    new = [one for one in found if _divided(one.fleet) not in known][:MOST]
    curves = await prover.curves([one.fleet for one in new]) if new else []
    return [*zip((trials.store.add_candidate(trials.plan.plan.id, one) for one in new), curves, strict=True)]


def _divided(fleet: Fleet) -> object:
    """Return what tells a fleet from others whatever its sizes: its replicas, and where its pools divide."""
    return fleet.gamma, *((pool.replica_key, pool.up_to) for pool in fleet.pools)
