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
from fleettui.domain.replica import ReplicaKey
from fleettui.domain.seen_fleets import make_of
from fleettui.planning.dared_fleets import MOST_DARED, SAVING, Dares
from fleettui.planning.settled import Settled
from fleettui.planning.sized_shapes import Key, Option, Shape, SizedShapes, at_sizes
from fleettui.planning.trial import Trial
from fleettui.planning.walk import Sizes

MOST_TRIED, MOST_DIVIDED, FIRST = 6, 2, 2
"""Fleets that are simulated at most for it, times that pools are divided elsewhere, and how many of the fleets are
simulated before others are looked at, while none is as sure.
"""

Try = Callable[[Candidate, Sizes], Awaitable[Trial]]
"""Simulates a candidate's fleet at other sizes."""


class Decision(NamedTuple):
    """The looks that were taken at a fleet, none where all was seen, and whether it is as sure as wished then.

    One that is not has fewer replicas than it `needs`.
    """

    looks: Sequence[Look]
    enough: bool
    needs: Sizes | None = None


Divide = Callable[[Sequence[Shape], Option | None, Sequence[Candidate]], Awaitable[list[Shape]]]
"""Returns shapes divided elsewhere that may be better than the best one, all that was simulated being known."""
Decide = Callable[[Candidate, Sequence[Candidate], Sequence[Look]], Awaitable[Decision]]
"""Looks at a fleet where the wished share decides, all that was simulated being known."""


@dataclass(slots=True)
class Wishes:
    """What sizes fleets for a wished share of the cases, and simulates them; `tried` are those that were.

    Those that are `enough` were as sure as wished when they were looked at. Those that are `short` are less sure as all
    their looks tell, whatever sizes say, and need as many replicas as stand there. All that were looked at for that are
    `decided`. The search has `left_off` where it found none as no more are simulated, and not as there are no others
    that may be. Shapes that are `divided` elsewhere than its own were looked for after so many `divisions`. Once one is
    as sure, at `most` so many are simulated. What is `untried` may be as sure as the one it found, and save such a
    share.
    """

    sized: SizedShapes
    attempt: Try
    decide: Decide
    dares: Dares
    divide: Divide
    divided: list[Shape] = field(default_factory=list)
    divisions: int = 0
    most: int = 0
    tried: list[Candidate] = field(default_factory=list)
    enough: dict[Key, Option] = field(default_factory=dict)
    short: dict[Key, Sizes | None] = field(default_factory=dict)
    decided: set[Key] = field(default_factory=set)
    left_off: bool = False
    untried: tuple[Option, float] | None = None

    async def surest(self, shapes: Sequence[Shape], settled: Settled) -> Trial | None:
        """Return the best fleet that passes and is as sure as wished; None where there is none among `shapes`.

        The last of MOST_TRIED is the best of those shapes that were tried or looked at. After it come MOST_DARED more
        while none is as sure, and then as many that looks showed to be cheaper than one that is.
        """
        known = {(walk.shape.candidate, sizes): trial for walk in settled.walks for sizes, trial in walk.trials.items()}
        while True:
            best = await self._best(shapes, known)
            if best is not None and best.key in known:
                if await self._is_sure(best, known) and await self._is_best(best, shapes, known):
                    return known[best.key]
            elif not await self._begins(best, shapes, known):
                if best is None:
                    break
                trial = known[best.key] = await self.attempt(best.shape, best.sizes)
                self.tried.append(trial.candidate)
        self.left_off = bool(await self._options(shapes, known)) or await self._may_be_one(shapes, known)
        return None

    async def _may_be_one(self, shapes: Sequence[Shape], known: Mapping[Key, Trial]) -> bool:
        """Return whether a shape that was not looked at would be as sure if the formulas err as far as they may."""
        begun, tried = {shape for shape, _ in known} | self.dares.looked, [trial.candidate for trial in known.values()]
        return bool(await self.sized.at_best([one for one in shapes if one[0].candidate not in begun], tried))

    async def _begins(self, best: Option | None, shapes: Sequence[Shape], known: Mapping[Key, Trial]) -> bool:
        """Look at fleets that were not begun where none is as sure: after the FIRST tries, or as there is no best one.

        Where there is none still, look at some that divide elsewhere. Return whether that was done now.
        """
        if self.enough or (best is not None and len(self.tried) < FIRST):
            return False
        if not self.dares.begun:
            tried, begun = [trial.candidate for trial in known.values()], {shape for shape, _ in known}
            await self.dares.begin([one for one in shapes if one[0].candidate not in begun], tried)
            return True
        return best is None and await self._divides(None, shapes, known)

    async def _is_sure(self, one: Option, known: Mapping[Key, Trial]) -> bool:
        """Return whether a fleet that was simulated is as sure as wished; not yet where looks at it showed more."""
        found = await self.decide(known[one.key].candidate, [each.candidate for each in known.values()], self.looks)
        self.looks.extend(found.looks)
        self.decided |= {one.key, *((one.shape.candidate, look.sizes) for look in found.looks)}
        if found.enough:
            self.enough[one.key] = one
            self.most = self.most or max(MOST_TRIED, len(self.tried)) + MOST_DARED
        elif self.enough.pop(one.key, None) or not found.looks:
            self.short[one.key] = found.needs
        return found.enough and not found.looks

    async def _is_best(self, found: Option, shapes: Sequence[Shape], known: Mapping[Key, Trial]) -> bool:
        """Return whether a fleet that is as sure as wished is the best still once others were looked at."""
        tried = [trial.candidate for trial in known.values()]
        seen = {*self.decided, *(key for key, trial in known.items() if not trial.good)}
        async for _ in self.dares.shown(found, shapes, tried, seen):
            if await self._is_better(found, shapes, known):
                return False
        if await self._divides(found, shapes, known):
            return False
        async for _ in self.dares.greatest(found, tried, seen):
            if await self._is_better(found, shapes, known):
                return False
        left = [await self.dares.left(found, tried, seen), *await self._left(found, shapes, known)]
        least = min(filter(None, left), key=_worth, default=None)
        self.untried = None if least is None else (least, 1.0 - least.worth / found.worth)
        return True

    async def _divides(self, best: Option | None, shapes: Sequence[Shape], known: Mapping[Key, Trial]) -> bool:
        """Look at fleets that divide elsewhere and may be better than the best; return whether one may be still.

        What these showed moves where the next ones divide.
        """
        tried = [trial.candidate for trial in known.values()]
        while self.divisions < MOST_DIVIDED:
            self.divisions += 1
            more = await self.divide([*shapes, *self.divided], best, tried)
            for shape, _ in more:
                own = tuple(pool.replicas for pool in shape.fleet.pools)
                self.looks.extend(await self.dares.look_at(shape, own, tried, self.looks))
            self.divided += more
            if not more:
                break
            if best is None or await self._is_better(best, shapes, known):
                return True
        return False

    async def _left(self, found: Option, shapes: Sequence[Shape], known: Mapping[Key, Trial]) -> list[Option]:
        """Return other shapes that were looked at or tried, and would be better at sizes at which they were not."""
        begun = {*self.dares.seen, *self._divided, *(shape for shape, _ in known)} - {found.shape.candidate}
        options = [one for one in await self._options(shapes, known) if one.shape.candidate in begun]
        return [one for one in options if one.key not in known and one.worth < found.worth * (1.0 - SAVING)]

    async def _is_better(self, found: Option, shapes: Sequence[Shape], known: Mapping[Key, Trial]) -> bool:
        """Return whether something else is the best by now."""
        best = await self._best(shapes, known)
        return best is None or best.key != found.key

    @property
    def _divided(self) -> set[str]:
        return {shape.candidate for shape, _ in self.divided}

    @property
    def simulated(self) -> int:
        """How many fleets were simulated for it, for a proof or in short."""
        return len({one.fleet for one in (*self.tried, *(look.candidate for look in self.looks))})

    @property
    def looks(self) -> list[Look]:
        """What was simulated of fleets at other rates."""
        return self.sized.looks

    async def _best(self, shapes: Sequence[Shape], known: Mapping[Key, Trial]) -> Option | None:
        """Return the best of `shapes` at the wished sizes that is not known to fail, and was or may be simulated.

        While none is as sure, shapes that differ come before those that are like one that was tried, and at last those
        that were begun before all others. Once one is, those that were not begun are looked at before they are
        simulated, and after MOST_TRIED those alone are that looks showed to be cheaper.
        """
        open_ = self._open(await self._options(shapes, known), known)
        sure = [one for one in self.enough.values() if known[one.key].good]
        return min((*open_, *sure), key=_worth, default=None)

    def _open(self, options: Sequence[Option], known: Mapping[Key, Trial]) -> list[Option]:
        """Return which of the options come next, those that were simulated with those that may be."""
        tried, looked = len(self.tried), {*self.dares.seen, *self._divided}
        begun = {*looked, *(shape for shape, _ in known)}
        if self.enough:
            begun = {*begun, *self.dares.looked} if tried < MOST_TRIED else looked
            return [one for one in options if one.key in known or (one.shape.candidate in begun and tried < self.most)]
        own = [one for one in options if one.shape.candidate in begun]
        next_ = self._unlike(options) if tried < MOST_TRIED - 1 else own or options
        return [one for one in next_ if one.key in known or tried < MOST_TRIED + MOST_DARED]

    async def _options(self, shapes: Sequence[Shape], known: Mapping[Key, Trial]) -> list[Option]:
        """Return `shapes` at the wished sizes that are not known to fail, nor to be too few."""
        tried = [trial.candidate for trial in known.values()]
        found = await self.sized.options([*shapes, *self.divided], tried)
        larger = (one if one.key not in self.short else self._larger(one) for one in found)
        return [one for one in larger if one is not None and (one.key not in known or known[one.key].good)]

    def _unlike(self, options: Sequence[Option]) -> Sequence[Option]:
        """Return those of a make that was tried, and those whose main pool is unlike that of all these; else all.

        Fleets with the same main pool are about as sure as each other, whatever stands beside it.
        """
        makes, seen = {make_of(one) for one in self.tried}, {_main_pool(one) for one in self.tried}
        unlike = [one for one in options if make_of(one.shape) in makes or _main_pool(one.shape) not in seen]
        return unlike or options

    def _larger(self, one: Option) -> Option | None:
        """Return a shape at the sizes that it needs where it is short at these, None where none are known."""
        found: Option | None = one
        while found is not None and found.key in self.short:
            needs = self.short[found.key]
            found = None if needs is None else at_sizes(found, needs, self.sized.question)
        return found


def _worth(one: Option) -> float:
    return one.worth


def _main_pool(one: Candidate) -> ReplicaKey:
    """Return what the pool of most GPUs runs on."""
    return max(one.fleet.pools, key=lambda pool: pool.gpus).replica_key
