"""Which other division of the GPUs of a given fleet is as good as sure for less than more like these, as simulated.

What was simulated of replicas of a kind corrects the formulas that size one; it is told once its own runs show as much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from fleettui.domain.confidence import LIKELY, Confidence, SureFleet
from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Answer, Candidate
from fleettui.errors import InputError
from fleettui.planning.fleet_limits import FleetLimits
from fleettui.planning.plan_trials import Trials
from fleettui.planning.sized_shapes import Option, Shape, SizedShapes, at_sizes, beside, better, needs_more
from fleettui.planning.surest_rate import more_than, sure_at
from fleettui.planning.walk import Sizes

MOST_LOOKED = 4
"""Fleets at most that are looked at."""


async def with_sure(trials: Trials, shapes: Sequence[Shape], answer: Answer) -> Answer:
    """Return the answer of a given fleet, the first of the `shapes`, with another of them that is as good as sure.

    None is told where none is seen to be for clearly less than more like these. What was simulated is kept.
    """
    best, sure, question = answer.answer, answer.confidence, trials.question
    if best is None or sure is None or not needs_more(sure, question):
        return answer
    sized = trials.sized_for(LIKELY, err_alike=True)
    sized.looks.extend(answer.looks)
    found = await _Division(trials, sized, best, sure).first(shapes)
    new = tuple(look for look in sized.looks if look not in answer.looks)
    return replace(answer, confidence=replace(sure, instead=found), looks=(*answer.looks, *new))


@dataclass(slots=True)
class _Division:
    """The search for it. A shape is `short` at fewer replicas than stand there, at any where that is not known."""

    trials: Trials
    sized: SizedShapes
    best: Candidate
    sure: Confidence
    short: dict[Fleet, Sizes | None] = field(default_factory=dict)

    async def first(self, shapes: Sequence[Shape]) -> SureFleet | None:
        """Return the first that is as good as sure as its own runs show, the best by formula looked at first."""
        question = self.trials.question
        for _ in range(MOST_LOOKED):
            other = better(await self._options(shapes[1:]), shapes[0], self.sure, question)
            if other is None:
                return None
            fleet, sure = await self._look(other)
            if sure is not None and sure.is_likely:
                return beside(self.best, fleet, other.curves, question)
            needs = None if sure is None else more_than(other.sizes, sure.replicas)
            self.short[other.shape.fleet] = needs
        return None

    async def _options(self, shapes: Sequence[Shape]) -> list[Option]:
        """Return the shapes at the sizes that suffice as all that was simulated tells, best first."""
        rate = self.sized.rate
        tried = [self.best, *(look.candidate for look in self.sized.looks if look.rate == rate)]
        found = (self._enlarged(one) for one in await self.sized.options(shapes, tried))
        return sorted((one for one in found if one is not None), key=lambda one: one.worth)

    def _enlarged(self, one: Option) -> Option | None:
        """Return a shape at no fewer replicas than it was seen to need, None where nobody knows how many these are."""
        if one.shape.fleet not in self.short:
            return one
        needs = self.short[one.shape.fleet]
        return None if needs is None else at_sizes(one, tuple(map(max, one.sizes, needs)), self.trials.question)

    async def _look(self, one: Option) -> tuple[Candidate, Confidence | None]:
        """Return a fleet and how sure it is as its own runs show it, which is not known where these would take long."""
        fleet = (await self.trials.prover.stage(one.shape.fleet, one.sizes)).candidate
        limits = self._limits(fleet)
        try:
            sure = await sure_at(limits, one.sizes)
        except InputError:
            sure = None
        self.sized.looks.extend(look for look in limits.looks if look not in self.sized.looks)
        return fleet, sure

    def _limits(self, fleet: Candidate) -> FleetLimits:
        plan = replace(self.trials.plan, answer=fleet, candidates=(), stock=None)
        return replace(self.trials.prover.limits(plan, fleet, self.sized.looks), purpose="divided otherwise")
