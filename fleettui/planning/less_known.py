"""What a search set aside, asked of once more: it is the answer where it costs less to be as good as sure, too.

By formula it was set aside beside the formulas' choice; simulations may find a dearer fleet than that.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fleettui.domain.advice import CENT
from fleettui.domain.plan import Candidate
from fleettui.planning.settled import Settled
from fleettui.planning.sized_shapes import Shape
from fleettui.planning.smallest_fleet import More
from fleettui.planning.sure_cost import sure_cost
from fleettui.planning.trial import Trial
from fleettui.planning.worth import cost

if TYPE_CHECKING:
    from fleettui.planning.plan_trials import Trials

MOST_KINDS = 3
"""Combinations of GPU types that are searched at most."""

Among = Callable[[Sequence[Shape], More], Awaitable[Settled]]
"""Returns where a search by simulation ends among these shapes alone, then among more that what it found asks for."""


async def cheaper_over_error(
    trials: Trials, aside: Sequence[Candidate], settled: Settled, among: Among
) -> tuple[Sequence[Shape], Settled]:
    """Return the shapes set `aside` that are rivals of what a search ends with after all, and where that is.

    It is a fleet of GPU types that cost no more to be as good as sure than those that it ended with do, by formula
    before they are searched and as simulated then; or one that is known as well and costs less. Without one it stays
    as it was, and there are no rivals.
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
        rivals = Rivals(trials=trials, settled=settled, best=best, others=[one for one in aside if one not in fleets])
        shapes = await rivals.shapes(fleets)
        found = await among(shapes, rivals.of)
        settled = replace(settled, tried=settled.tried + found.tried, aside=(*settled.aside, *found.walks))
        if rivals.begun is not None:
            return [*shapes, *rivals.begun], replace(found, walks=(*found.walks, *settled.walks), tried=settled.tried)
    return (), settled


@dataclass(slots=True, kw_only=True)
class Rivals:
    """What rivals a fleet that was set aside, among the `others`, once it is the answer in place of the `best`.

    `begun` are their shapes, None where it is not.
    """

    trials: Trials
    settled: Settled
    best: Trial
    others: Sequence[Candidate]
    begun: Sequence[Shape] | None = None

    async def of(self, found: Settled) -> Sequence[Shape]:
        """Return the shapes of which as much is known as of the fleet that was found, if that is the answer."""
        held, seen = found.answer, replace(self.settled, aside=(*self.settled.aside, *found.walks))
        if held is None or not _is_cheaper(held.candidate, self.best):
            return ()
        if not await _costs_less(self.trials, seen, held.candidate, self.best):
            return ()
        aside = self.trials.question.sets_aside
        self.begun = await self.shapes([one for one in self.others if not aside(one, held.candidate)])
        return self.begun

    async def shapes(self, fleets: Sequence[Candidate]) -> Sequence[Shape]:
        """Return fleets with their curves."""
        return [*zip(fleets, await self.trials.prover.curves([one.fleet for one in fleets]), strict=True)]


def _is_cheaper(one: Candidate, best: Trial) -> bool:
    return cost(one) < cost(best.candidate) - CENT


async def _costs_less(trials: Trials, settled: Settled, one: Candidate, best: Trial) -> bool:
    """Return whether the GPUs of a fleet cost no more than those of the `best`, each to be as good as sure."""
    seen = replace(trials.plan, candidates=settled.simulated)
    own, other = [await sure_cost(trials.prover, seen, fleet) for fleet in (one, best.candidate)]
    return math.isfinite(own) and own <= other
