"""Where a price makes a fleet cheaper that a plan may set aside there, since too little is known of its GPUs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fleettui.optimize.reasons.flips import Flip, first
from fleettui.optimize.reasons.inputs import Ground, words
from fleettui.optimize.reasons.price_lines import PAST, at_price


def with_aside(found: Sequence[Flip], ground: Ground) -> tuple[Flip, ...]:
    """Return the flips, those that are told with what the formulas set aside past their prices, and for which fleet."""
    told = first(found)
    return tuple(replace(one, aside=_aside(one, ground)) if one in told else one for one in found)


def _aside(flip: Flip, ground: Ground) -> str:
    winner, question = flip.winner, replace(ground.question, budget=None)
    if winner is None or flip.price is None or not any(question.sets_aside(winner, one) for one in ground.profiles):
        return ""
    past = flip.price * (1.0 + PAST if flip.direction == "above" else 1.0 - PAST)
    best = ground.best(at_price(question, flip.gpu, past))
    if best is None or not question.sets_aside(winner, best):
        return ""
    own = (one for one in ground.profiles if one.gpu in winner.fleet.gpus_by_type)
    unsure = sorted({one.gpu for one in own if question.sets_aside(one, best)})
    return f"a plan there may set {', '.join(unsure)} aside for {words(best)}"
