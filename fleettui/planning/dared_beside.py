"""What a plan of other GPU types would try of fleets that the formulas refuse: a few are simulated in short.

The search is that of a plan (`smallest_fleet`), begun with all that was simulated beside an answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.seen_fleets import simulated
from fleettui.domain.size_curve import constraints_broken
from fleettui.planning.next_fleet import KEPT_BACK, Search
from fleettui.planning.pool_facts import Known
from fleettui.planning.prepared_fleet import prepared
from fleettui.planning.settled import Settled
from fleettui.planning.shown_fleets import ShownFleets
from fleettui.planning.sized_shapes import Shape
from fleettui.planning.smallest_fleet import ROUNDS
from fleettui.planning.step import Step
from fleettui.planning.trial import trial_of
from fleettui.planning.walk import Walk

MOST_DARED = 4
"""Fleets at most that are simulated as they may be better."""

Counts = Callable[[Candidate], bool]
Finer = Callable[[Settled], Awaitable[Sequence[Shape]]]
"""Returns shapes that divide more finely near those that failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DaredBeside:
    """A search beside what was `shown`, among `shapes`, best first, and `finer` ones once none of these may be better.

    Of what was simulated those fleets count that `counts` says. It tries `most` fleets at most, but for those that are
    finer and for other sizes of what holds.
    """

    shown: ShownFleets
    shapes: Sequence[Shape]
    counts: Counts
    finer: Finer
    most: int = MOST_DARED

    async def left(self) -> list[Candidate]:
        """Look at the fleets that a plan would try next; return the first that is left, nothing where none is."""
        known = Known()
        search = await self._begun(known)
        for _ in range(ROUNDS):
            step = await self._tried(search)
            if step is not None:
                simulator, fleet = self.shown.simulator, step.walk.shape.fleet
                return [(await prepared(simulator.workers, simulator.source, fleet, step.sizes)).candidate]
            more = await self.finer(search.found)
            if not more:
                return []
            search.on_finer([self._walk(one, known) for one in more])
        return [more[0][0]]

    async def _begun(self, known: Known) -> Search:
        """Return the search with all that was simulated: what does not count shows how the formulas err."""
        walks, begun = [self._walk(one, known) for one in self.shapes], list[Walk]()
        seen = simulated(self.shown.seen.candidates)
        curves = await self.shown.simulator.curves([one.fleet for one in seen])
        for shape in zip(seen, curves, strict=True):
            own = self._walk(shape, known)
            walk = next((one for one in walks if one.kinds == own.kinds), own)
            walk.learn(trial_of(shape[0], self.question))
            if self.counts(shape[0]) and walk not in begun:
                begun.append(walk)
        return Search(
            walks=[*walks, *(one for one in begun if one not in walks)],
            objective=self.question.objective,
            broken=lambda curves, sizes: constraints_broken(curves, sizes, self.question),
            begun=begun,
            hosts=self.question.host_power,
            most_tried=self.most,
        )

    async def _tried(self, search: Search) -> Step | None:
        """Simulate the fleets that the search tries; return the one that it would try next if it went on."""
        while (step := search.next()) is not None:
            look = await self.shown.try_at(step.walk.shape, step.sizes)
            if look is None:
                return step
            search.learn(step, trial_of(look.candidate, self.question))
        return replace(search, most_tried=search.tried + KEPT_BACK + 1).next()

    @property
    def question(self) -> Question:
        """What fleets are held to."""
        return self.shown.simulator.source.question

    def _walk(self, shape: Shape, known: Known) -> Walk:
        return Walk.of(*shape, known, max_utilization=self.question.max_utilization)
