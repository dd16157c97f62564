"""What a search set aside, asked of once more: it is the answer where it costs less to be as good as sure, too.

By formula it was set aside beside the formulas' choice; simulations may find a dearer fleet than that, or one that is
less sure than what was set aside is for less.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.confidence import LIKELY
from fleettui.domain.plan import Candidate
from fleettui.planning.settled import Settled
from fleettui.planning.sized_shapes import Shape
from fleettui.planning.sure_cost import share_sure, sure_cost
from fleettui.planning.trial import Trial
from fleettui.planning.worth import cost

if TYPE_CHECKING:
    from fleettui.planning.plan_trials import Trials

MOST_KINDS = 3
"""Combinations of GPU types that are searched at most."""
CENT = 0.005
"""US dollars an hour below which fleets cost the same."""

Among = Callable[[Sequence[Shape]], Awaitable[Settled]]
"""Returns where a search by simulation ends among these shapes alone."""


async def cheaper_over_error(
    trials: Trials, aside: Sequence[Candidate], settled: Settled, among: Among
) -> tuple[Sequence[Shape], Settled]:
    """Return the shapes set `aside` that are rivals of what a search ends with after all, and where that is.

    It is a fleet of GPU types that cost no more to be as good as sure than those that it ended with do, or less to be
    as sure as that is, by formula before they are searched and as simulated then. Without one it stays as it was, and
    there are no rivals.
    """
    best, question = settled.answer, trials.question
    if best is None or question.objective != "cost":
        return (), settled
    cheaper = [one for one in aside if question.sets_aside(one, best.candidate) and _is_cheaper(one, best)]
    kinds = dict.fromkeys(frozenset(one.fleet.gpus_by_type) for one in sorted(cheaper, key=cost))
    for gpus in [*kinds][:MOST_KINDS]:
        fleets = [one for one in cheaper if one.fleet.gpus_by_type.keys() == gpus]
        if not await _costs_less(trials, settled, fleets[0], best):
            continue
        shapes = [*zip(fleets, await trials.prover.curves([one.fleet for one in fleets]), strict=True)]
        found = await among(shapes)
        settled = replace(settled, tried=settled.tried + found.tried, aside=(*settled.aside, *found.walks))
        held = found.answer
        if held is None or not _is_cheaper(held.candidate, best):
            continue
        if await _costs_less(trials, settled, held.candidate, best):
            others = [one for one in aside if one not in fleets and not question.sets_aside(one, held.candidate)]
            shapes += zip(others, await trials.prover.curves([one.fleet for one in others]), strict=True)
            return shapes, replace(found, walks=(*found.walks, *settled.walks), tried=settled.tried)
    return (), settled


def _is_cheaper(one: Candidate, best: Trial) -> bool:
    return cost(one) < cost(best.candidate) - CENT


async def _costs_less(trials: Trials, settled: Settled, one: Candidate, best: Trial) -> bool:
    """Return whether the GPUs of a fleet cost no more than those of the `best`, each to be as good as sure.

    Or whether they cost less than the best does to be as sure as that is, where that is less.
    """
    seen, held = replace(trials.plan, candidates=settled.simulated), best.candidate
    own, other = [await sure_cost(trials.prover, seen, fleet) for fleet in (one, held)]
    if math.isfinite(own) and own <= other:
        return True
    share = await share_sure(trials.prover, seen, held)
    return share < LIKELY and await sure_cost(trials.prover, seen, one, share) < cost(held) - CENT
