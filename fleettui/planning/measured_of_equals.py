"""Of fleets that cost as much, the one whose hardware the question's own fit knows."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.plan import Candidate
from fleettui.planning.fleet_limits import EVEN
from fleettui.planning.plan_trials import Trials
from fleettui.planning.sized_shapes import Shape
from fleettui.planning.trial import Trial
from fleettui.planning.worth import cost

MOST = 2
"""Fleets at most that are simulated for it."""
ROUNDING = 1e-9


async def measured_of_equals(
    trials: Trials, shapes: Sequence[Shape], found: Trial, tried: Sequence[Candidate]
) -> Trial | None:
    """Return a fleet that costs no more than the one that was `found` and that the own fit knows, which that is not.

    It is simulated, in as many replicas as those that were `tried` let expect. None where there is no such fleet, or
    it does not hold; and where a confidence was wished, which says itself how well a fleet is to be known.
    """
    question, best = trials.question, found.candidate
    if question.fit is None or question.objective != "cost" or question.confidence is not None or not found.good:
        return None
    own = [] if question.has_measured(best.fleet) else [one for one in shapes if question.has_measured(one[0].fleet)]
    options = await trials.sized_for(EVEN).options(own, tried) if own else []
    for option in [one for one in options if one.worth <= cost(best) * (1.0 + ROUNDING)][:MOST]:
        trial = await trials.attempt(option.shape, option.sizes)
        if trial.good:
            return trial
    return None
