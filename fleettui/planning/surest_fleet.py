"""From the fleets that were simulated to the best that suffices in a wished share of the cases.

A case is a step time that the evidence on the hardware allows. Each shape of fleet is sized for the step times that the
share asks for, by the formulas as what was simulated corrects them; the best is then simulated at the step times
predicted, and under the load that longer ones would be, which may correct the formulas again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fleettui.domain.plan import Candidate, Look
from fleettui.planning.sized_shapes import Option, Shape, SizedShapes
from fleettui.planning.smallest_fleet import Settled
from fleettui.planning.trial import Trial
from fleettui.planning.walk import Sizes

MOST_TRIED = 6
"""Fleets that are simulated at most for it."""

Try = Callable[[Candidate, Sizes], Awaitable[Trial]]
"""Simulates a candidate's fleet at other sizes."""


class Decision(NamedTuple):
    """The looks that were taken at a fleet, none where all was seen, and whether it is as sure as wished then."""

    looks: Sequence[Look]
    enough: bool


Decide = Callable[[Candidate, Sequence[Candidate], Sequence[Look]], Awaitable[Decision]]
"""Looks at a fleet where the wished share decides, all that was simulated being known."""


@dataclass(slots=True)
class Wishes:
    """What sizes fleets for a wished share of the cases, and simulates them; `tried` are those that were.

    Those that are `short` are less sure than wished as all their looks tell, whatever sizes say. The search has
    `left_off` where it found none as no more are simulated, and not as there are no others.
    """

    sized: SizedShapes
    attempt: Try
    decide: Decide
    tried: list[Candidate] = field(default_factory=list)
    short: set[tuple[str, Sizes]] = field(default_factory=set)
    left_off: bool = False

    async def surest(self, shapes: Sequence[Shape], settled: Settled) -> Trial | None:
        """Return the best fleet that passes and is as sure as wished; None where there is none among `shapes`.

        The last of MOST_TRIED is the best of those shapes that were tried.
        """
        known = {(walk.shape.candidate, sizes): trial for walk in settled.walks for sizes, trial in walk.trials.items()}
        for left in reversed(range(MOST_TRIED)):
            best = await self._best(shapes, known, begun_alone=not left)
            while best is not None and best.key in known:
                seen = [trial.candidate for trial in known.values()]
                more, enough = await self.decide(known[best.key].candidate, seen, self.sized.looks)
                if not more and enough:
                    return known[best.key]
                if not more:
                    self.short.add(best.key)
                self.sized.looks.extend(more)
                best = await self._best(shapes, known, begun_alone=not left)
            if best is None:
                self.left_off = await self._best(shapes, known, begun_alone=False) is not None
                return None
            last = known[best.key] = await self.attempt(best.shape, best.sizes)
            self.tried.append(last.candidate)
        self.left_off = not last.good
        return last if last.good else None

    async def _best(
        self, shapes: Sequence[Shape], known: Mapping[tuple[str, Sizes], Trial], *, begun_alone: bool
    ) -> Option | None:
        """Return the best of `shapes` at the wished sizes that is not known to fail, of those begun alone or of all."""
        found = await self.sized.options(shapes, [trial.candidate for trial in known.values()])
        options = [one for one in found if one.key not in self.short and (one.key not in known or known[one.key].good)]
        begun = {shape for shape, _ in known}
        return next((one for one in options if not begun_alone or one.shape.candidate in begun), None)
