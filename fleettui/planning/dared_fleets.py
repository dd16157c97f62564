"""Fleets that are expected to be dearer than the best one found, and need not be: the formulas may err on them.

How far they may is what simulations showed of their error (`at_best`). The likeliest to be cheaper are looked at first,
each at the largest sizes at which it would be: for a few short runs, under the load that longer steps would be.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Callable, Container, Sequence
from dataclasses import dataclass, field

from fleettui.domain.plan import Candidate, Look
from fleettui.planning.sized_shapes import Key, Option, Shape, SizedShapes, at_sizes
from fleettui.planning.walk import Sizes

MOST_DARED, MOST_GREATEST = 4, 4
"""Fleets at most that are looked at as they may be cheaper: the likeliest, then those that may save most."""
SAVING, SMALL = 0.01, 0.05
"""The share of what counts that the likeliest are to save, and one that is so small that no more are looked at."""
LookAt = Callable[[Candidate, Sizes, Sequence[Candidate], Sequence[Look]], Awaitable[Sequence[Look]]]
"""Looks at a shape at these sizes, where longer steps decide, beside what was tried and looked at before."""


@dataclass(slots=True)
class Dares:
    """What sizes fleets for a wished share of the cases, and for one that is `nearly` as large; `looked` are the shapes
    that were looked at by `look_at` or would take too long, `seen` those that were, `rest` those that may be cheaper
    and were not.
    """

    sized: SizedShapes
    nearly: SizedShapes
    look_at: LookAt
    looked: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)
    rest: Sequence[Shape] = ()
    turns: int = MOST_GREATEST
    likely: int = MOST_DARED
    begun: bool = False

    async def begin(self, shapes: Sequence[Shape], tried: Sequence[Candidate]) -> None:
        """Look at fleets whatever they cost, those of fewer pools first, each as large as it is by formula alone.

        What others showed of their replicas, whose requests are others, may ask for more than a constraint lets be had.
        """
        self.begun = True
        by_formula = {one.shape.candidate: one for one in await self.sized.by_formula(shapes)}
        at_best = await self.sized.at_best(shapes, tried)

        def rank(one: Option) -> tuple[int, float]:
            own = by_formula.get(one.shape.candidate)
            return len(one.sizes), math.inf if own is None else own.worth

        for one in sorted(at_best, key=rank)[:MOST_DARED]:
            await self._look(self._enlarged(one, by_formula.get(one.shape.candidate), math.inf), tried)

    async def shown(
        self, best: Option, shapes: Sequence[Shape], tried: Sequence[Candidate], known: Container[Key]
    ) -> AsyncIterator[Option]:
        """Look at the likeliest fleets that may be as sure as the best one and cheaper, and yield each.

        Those that are `known` are not looked at.
        """
        new = [one for one in shapes if one[0].candidate not in self.looked]
        found = await self._open(best, new, tried, known) if self.likely > 0 else []
        self.rest = [(one.shape, one.curves) for one in found] or self.rest
        for one in found[: self.likely]:
            self.likely -= 1
            await self._look(one, tried)
            yield one

    async def greatest(self, best: Option, tried: Sequence[Candidate], known: Container[Key]) -> AsyncIterator[Option]:
        """Look at the fleets that may save most beside the best one, for as long as that is not SMALL, and yield each.

        What one shows tells what the others may save.
        """
        most = best.worth * (1.0 - SMALL)
        while self.turns > 0:
            rest = [one for one in self.rest if one[0].candidate not in self.looked]
            left = await self._most(best, rest, tried, known)
            if left is None or left.worth >= most:
                break
            self.turns -= 1
            expected = await self.sized.options([(left.shape, left.curves)], tried)
            one = self._enlarged(left, next(iter(expected), None), best.worth * (1.0 - SAVING))
            await self._look(left if one.key in known else one, tried)
            yield one

    async def _look(self, one: Option, tried: Sequence[Candidate]) -> None:
        self.looked.add(one.shape.candidate)
        if looks := await self.look_at(one.shape, one.sizes, tried, self.sized.looks):
            self.sized.looks.extend(looks)
            self.seen.add(one.shape.candidate)
            self.rest = [left for left in self.rest if left[0] is not one.shape]

    async def left(self, best: Option, tried: Sequence[Candidate], known: Container[Key]) -> Option | None:
        """Return the fleet that may save most and was not looked at, None where all were that may be cheaper."""
        return await self._most(best, self.rest, tried, known)

    async def _most(
        self, best: Option, shapes: Sequence[Shape], tried: Sequence[Candidate], known: Container[Key]
    ) -> Option | None:
        found = await self._at_best(best, shapes, tried) if shapes else []
        return min((one for one in found if one.key not in known), key=lambda one: one.worth, default=None)

    async def _open(
        self, best: Option, shapes: Sequence[Shape], tried: Sequence[Candidate], known: Container[Key]
    ) -> list[Option]:
        """Return the fleets that may be cheaper by SAVING, each as large as it then can be.

        The likeliest come first, and before them those of fewer pools: these are few and unlike the others.
        """
        at_best, most = await self._at_best(best, shapes, tried), best.worth * (1.0 - SAVING)
        close = [(one.shape, one.curves) for one in at_best]
        expected = {one.shape.candidate: one for one in await self.sized.options(close, tried)}
        likely = {one.shape.candidate for one in await self.nearly.options(close, tried) if one.worth < most}

        def rank(one: Option) -> tuple[int, bool, float]:
            own, unlikely = expected.get(one.shape.candidate), one.shape.candidate not in likely
            return len(one.sizes), unlikely, math.inf if own is None else own.worth

        larger = (self._enlarged(one, expected.get(one.shape.candidate), most) for one in sorted(at_best, key=rank))
        return [one for one in larger if one.key not in known]

    async def _at_best(self, best: Option, shapes: Sequence[Shape], tried: Sequence[Candidate]) -> list[Option]:
        """Return the same at the sizes that they need at best; none where nothing counts, so that all are equal.

        Other shapes need at best no more than what makes them `nearly` as sure: that is looked at of the best, too.
        """
        most, found = best.worth * (1.0 - SAVING), dict[str, Option]()
        others = [one for one in shapes if one[0].candidate != best.shape.candidate]
        for one in (*await self.sized.at_best(shapes, tried), *await self.nearly.options(others, tried)):
            least = found.setdefault(one.shape.candidate, one)
            found[one.shape.candidate] = min(least, one, key=lambda own: own.worth)
        return [one for one in found.values() if one.worth < most]

    def _enlarged(self, one: Option, expected: Option | None, most: float) -> Option:
        """Return a fleet with one replica after the other where most are lacking of those that are expected to do."""
        wanted = one.sizes if expected is None else expected.sizes
        while True:
            lacks = [want / size for want, size in zip(wanted, one.sizes, strict=True)]
            place = lacks.index(max(lacks))
            sizes = (*one.sizes[:place], one.sizes[place] + 1, *one.sizes[place + 1 :])
            larger = at_sizes(one, sizes, self.sized.question)
            if lacks[place] <= 1.0 or larger is None or larger.worth >= most:
                return one
            one = larger
