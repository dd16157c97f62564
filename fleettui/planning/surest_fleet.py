"""From the fleets that were simulated to the best that suffices in a wished share of the cases.

A case is a step time that the evidence on the hardware allows. Each shape of fleet is sized for the step times that the
share asks for, by the formulas as what was simulated corrects them; the best is then simulated at the step times
predicted, and under the load that longer ones would be, which may correct the formulas again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from fleettui.domain.anchor import Anchor
from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Candidate, Look
from fleettui.domain.replica import ReplicaKey
from fleettui.domain.scenario import Question
from fleettui.domain.seen_fleets import by_replica
from fleettui.domain.size_curve import SizeCurve, within_constraints
from fleettui.planning.anchors import anchors_from, kinds_of
from fleettui.planning.kept_looks import with_looks
from fleettui.planning.ladder import as_the_rungs_tell
from fleettui.planning.smallest_fleet import Settled
from fleettui.planning.trial import Trial
from fleettui.planning.walk import Sizes
from fleettui.planning.worth import Curves, worth_of_sizes

MOST_TRIED = 6
"""Fleets that are simulated at most for it."""

Shape = tuple[Candidate, tuple[SizeCurve, ...]]
Known = tuple[Fleet, tuple[Anchor, ...]]
"""A fleet with what simulations showed of each of its pools."""
Wish = Callable[[Sequence[Known]], Awaitable[list[Sizes | None]]]
"""Sizes fleets for the wished share of the cases; None where no size does."""
Try = Callable[[Candidate, Sizes], Awaitable[Trial]]
"""Simulates a candidate's fleet at other sizes."""

Decide = Callable[[Candidate, Sequence[Candidate], Sequence[Look]], Awaitable[Sequence[Look]]]
"""Looks at a fleet where the wished share decides, all that was simulated being known; none where that was seen."""


@dataclass(frozen=True, slots=True)
class Option:
    """A shape of fleet at the sizes that suffice in the wished share of the cases, and what they are worth."""

    worth: float
    shape: Candidate
    sizes: Sizes

    @property
    def key(self) -> tuple[str, Sizes]:
        """What tells it from others: the shape's candidate, and the sizes."""
        return self.shape.candidate, self.sizes


@dataclass(frozen=True, slots=True)
class Wishes:
    """A question with a wished confidence at a rate in requests/s, and what sizes and simulates its fleets.

    `sized` remembers the sizes of fleets by what was known of their pools; `tried` are the fleets that were simulated
    for the wish, `looks` what was at other rates.
    """

    question: Question
    rate: float
    wish: Wish
    attempt: Try
    decide: Decide
    sized: dict[Known, Sizes | None] = field(default_factory=dict)
    tried: list[Candidate] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)

    async def surest(self, shapes: Sequence[Shape], settled: Settled) -> Trial | None:
        """Return the best fleet that passes and is as sure as wished; None where there is none among `shapes`.

        A shape whose pools no trial was of is sized by what others showed of the same replicas. The last of MOST_TRIED
        is the best of those shapes that were tried.
        """
        known = {(walk.shape.candidate, sizes): trial for walk in settled.walks for sizes, trial in walk.trials.items()}
        for left in reversed(range(MOST_TRIED)):
            best = await self._best(shapes, known, begun_alone=not left)
            while best is not None and best.key in known:
                seen = [trial.candidate for trial in known.values()]
                more = await self.decide(known[best.key].candidate, seen, self.looks)
                if not more:
                    return known[best.key]
                self.looks.extend(more)
                best = await self._best(shapes, known, begun_alone=not left)
            if best is None:
                return None
            last = known[best.key] = await self.attempt(best.shape, best.sizes)
            self.tried.append(last.candidate)
        return last if last.good else None

    async def _best(
        self, shapes: Sequence[Shape], known: Mapping[tuple[str, Sizes], Trial], *, begun_alone: bool
    ) -> Option | None:
        """Return the best of `shapes` at the wished sizes that is not known to fail, of those begun alone or of all."""
        found = await self._options(shapes, [trial.candidate for trial in known.values()])
        options = [one for one in found if one.key not in known or known[one.key].good]
        begun = {shape for shape, _ in known}
        return next((one for one in options if not begun_alone or one.shape.candidate in begun), None)

    def _anchors(
        self, shape: Candidate, tried: Sequence[Candidate], alike: Mapping[ReplicaKey, Anchor]
    ) -> tuple[Anchor, ...]:
        """Return what was seen of each pool of a shape, or else of pools of the same replicas."""
        looks = [look for look in self.looks if kinds_of(look.candidate) == kinds_of(shape)]
        known = with_looks(anchors_from(tried, shape, self.question, self.rate), looks, shape, self.question)
        own = as_the_rungs_tell(known, (look for look in looks if look.sizes == looks[-1].sizes))
        pairs = zip(own, shape.fleet.pools, strict=True)
        return tuple(one if one.seen else alike.get(pool.replica_key, one) for one, pool in pairs)

    async def _options(self, shapes: Sequence[Shape], tried: Sequence[Candidate]) -> list[Option]:
        """Return the shapes at the wished sizes that keep every constraint, best first."""
        alike = by_replica(tried, self.question, self.rate)
        known = [(one.fleet, self._anchors(one, tried, alike)) for one, _ in shapes]
        new = [one for one in known if one not in self.sized]
        self.sized.update(zip(new, await self.wish(new), strict=True))
        found = [
            Option(self._worth(shape, curves, sizes), shape, sizes)
            for (shape, curves), own in zip(shapes, known, strict=True)
            if (sizes := self.sized[own]) is not None and within_constraints(curves, sizes, self.question)
        ]
        return sorted(found, key=lambda one: one.worth)

    def _worth(self, shape: Candidate, curves: Curves, sizes: Sizes) -> float:
        asked = self.question
        return worth_of_sizes(asked.objective, curves, sizes, asked.host_power, compressor=shape.compressor_cost)
