"""Of fleets that cost as much and are as sure, the one of fewer pools: it asks less of a router."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fleettui.domain.limiting import LONGER_STEPS
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.planning.plan_trials import Trials
from fleettui.planning.sized_shapes import Option, Shape, at_sizes
from fleettui.planning.trial import Trial
from fleettui.planning.worth import cost

SUREST = 0.99
"""The largest share of the cases that a fleet is asked for: what is surer is as good as that."""
ROUNDING = 1e-9


async def in_fewer_pools(trials: Trials, shapes: Sequence[Shape], answer: Answer) -> Trial | None:
    """Return a fleet of an answer's own GPU types in fewer pools that costs no more, simulated; None where none holds.

    It is one that is as sure by the formulas, as the candidates of the answer correct them, in as many replicas as cost
    no more. Of such fleets it is that which needs fewest GPUs for it.
    """
    best, sure, question = answer.answer, answer.confidence, trials.question
    if best is None or sure is None or answer.verdict != "pass" or question.objective != "cost":
        return None
    fewer = [one for one in shapes if _is_simpler(one[0], best)]
    sized = trials.sized_for(min(sure.holds, SUREST), err_alike=True)
    most = cost(best) * (1.0 + ROUNDING)
    options = [one for one in await sized.options(fewer, answer.candidates) if one.worth <= most] if fewer else []
    if not options:
        return None
    whole = _enlarged(min(options, key=_gpus), question, most)
    sized_by = trials if question.confidence is None else replace(trials, larger=LONGER_STEPS)
    trial = await sized_by.attempt(whole.shape, whole.sizes)
    return trial if trial.good else None


def _is_simpler(one: Candidate, best: Candidate) -> bool:
    """Return whether a fleet has fewer pools than another, and no GPU type that it has not."""
    own, pools = best.fleet.gpus_by_type.keys(), len(best.fleet.pools)
    return len(one.fleet.pools) < pools and one.fleet.gpus_by_type.keys() <= own


def _gpus(option: Option) -> float:
    return sum(curve.gpus_at(size) for curve, size in zip(option.curves, option.sizes, strict=True))


def _enlarged(option: Option, question: Question, most: float) -> Option:
    """Return an option with a replica more in each pool in turn for as long as that costs no more than `most`.

    GPUs may cost nothing, so it ends where the pool's curve does.
    """
    for place, curve in enumerate(option.curves):
        while option.sizes[place] < curve.sizes[-1]:
            sizes = (*option.sizes[:place], option.sizes[place] + 1, *option.sizes[place + 1 :])
            larger = at_sizes(option, sizes, question)
            if larger is None or larger.worth > most:
                break
            option = larger
    return option
