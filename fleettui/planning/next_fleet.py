"""Which fleet a search by simulation tries next: what may be better than the best so far, the most promising first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fleettui.domain.scenario import Objective
from fleettui.planning.pool_facts import DOUBTS
from fleettui.planning.settled import MOST_TRIED, Settled, Untried
from fleettui.planning.step import Step, by_worth
from fleettui.planning.trial import Trial
from fleettui.planning.walk import Sizes, Walk
from fleettui.planning.worth import Broken, Worth, nothing, worth_of, worth_of_sizes

FINER = 2
"""So many more than were tried are fleets that divide where those that were tried do not."""
SETTLING = 2
"""So many more than MOST_TRIED are other sizes of the best, where it is not shown to be the smallest of its shape."""
KEPT_BACK = 2
"""So many of them are for one replica fewer of the best."""
LIKELY, FAR_OFF, FARTHEST = (DOUBTS, 0.01), (1.75, 0.08), (2.25, 0.1)
"""By how many doubts what may be better may be off, and what share it is to save. FARTHEST is of one pool that was not
begun, as few are; such may be FAR_OFF and save little, too.
"""
NEAR = 1.2
"""By what factor a fleet of another make may be expected to be worse and still be tried first."""
ROUNDING = 1e-9


@dataclass(slots=True, kw_only=True)
class Search:
    """The walks of all shapes, best first, those begun in their order, and how many fleets were tried.

    A fleet by which a constraint is `broken` is tried only where no other is left, or while it looks `past_limits`;
    it `came_back` once it did, and walks none on. No more than `most_tried` are tried, but for SETTLING.
    """

    walks: list[Walk]
    objective: Objective
    broken: Broken
    begun: list[Walk]
    finer: Sequence[Walk] = ()
    tried: int = 0
    hosts: float = 0.0
    share: Worth = nothing
    most_tried: int = MOST_TRIED
    past_limits: bool = False
    came_back: bool = False

    @property
    def found(self) -> Settled:
        """What is known so far."""
        return Settled(
            walks=tuple(self.begun),
            tried=self.tried,
            most_tried=self.most_tried,
            worth=worth_of(self.objective, self.hosts),
            share=self.share,
            past_limits=self.past_limits,
        )

    def on(self, walks: Sequence[Walk], most: int) -> None:
        """Go on among more shapes, so many of which are tried at most."""
        self.walks += walks
        self.most_tried = max(self.most_tried, self.tried + most)

    def on_finer(self, walks: Sequence[Walk]) -> None:
        """Go on among shapes that divide more finely, the first of which are tried before any other."""
        self.finer = walks[:FINER]
        self.on(walks, len(self.finer))

    def past(self, walks: Sequence[Walk]) -> Search:
        """Return the search to go on with among shapes that break a limit at their sizes by formula, and may keep it.

        It is another one, which looks past the limits, where this one has no answer.
        """
        if self.found.answer is None:
            return replace(self, walks=[*walks], begun=[], most_tried=self.tried + MOST_TRIED, past_limits=True)
        self.on(walks, MOST_TRIED)
        return self

    def learn(self, step: Step, trial: Trial) -> None:
        """Take in what a trial showed."""
        walk = step.walk
        if walk not in self.begun:
            self.begun.append(walk)
        self.tried += 1
        walk.learn(trial)

    def next(self) -> Step | None:
        """Return the fleet to try next, None where there is nothing left to learn or no more are tried."""
        found = self.found
        if self.tried >= self.most_tried:
            settles = found.answer is not None and self.tried < self.most_tried + SETTLING
            return self._smaller(math.inf) if settles else None
        best = math.inf if found.answer is None else self._worth(found.answer)
        if (divided := self._divided(best)) is not None:
            return divided
        if found.answer is None:
            return self._better(math.inf) or self._beyond() or self._within() or self._onwards()
        ways = [self._better, self._smaller, self._unlike, self._daring]
        if self.most_tried - self.tried <= KEPT_BACK:
            ways = [self._smaller, self._better, self._unlike, self._daring]
        return next((step for way in ways if (step := way(best)) is not None), None)

    @property
    def most(self) -> int:
        """How many fleets may be tried in all by what is known now, the next one with them; 0 before one holds."""
        found = self.found
        if found.answer is None or found.walk is None:
            return 0
        best, walk = self._worth(found.answer), found.walk
        smaller = 0 if walk.settled or walk.stuck else max(1, sum(walk.sizes_left))
        others = self._below(self._unlike_sizes(best), best)
        bold = self._bold(best)
        if self.tried >= self.most_tried:
            return min(self.most_tried + SETTLING, self.tried + max(1, smaller))
        return min(self.most_tried, self.tried + max(1, smaller + len(others) + len(bold)))

    def put_off(self) -> Step | None:
        """Return the best fleet that more runs may prove to be better than the answer, None where there is none."""
        found = self.found
        best = math.inf if found.answer is None else self._worth(found.answer)
        open_ = [
            Step(worth=self._worth(trial), walk=walk, sizes=sizes)
            for walk in self.begun
            for sizes, trial in walk.trials.items()
            if trial.open and "fail" not in trial.pools and (self.past_limits or not trial.candidate.shortfalls)
        ]
        return min([step for step in open_ if step.worth < best * (1.0 - ROUNDING)], key=by_worth, default=None)

    def _worth(self, trial: Trial) -> float:
        return worth_of(self.objective, self.hosts)(trial.candidate)

    def untried(self) -> Untried | None:
        """Return the fleet that could be better than the answer by most, None where none could."""
        found = self.found
        if found.answer is None:
            return None
        best = self._worth(found.answer)
        step = min(self._bold(best), key=by_worth, default=None)
        if step is None:
            return None
        likely = step.walk.expected
        more = None if likely is None else self._step(step.walk, likely).worth / best - 1.0
        return Untried(shape=step.walk.shape, sizes=step.sizes, saving=1.0 - step.worth / best, more=more)

    def _divided(self, best: float) -> Step | None:
        """Return the first fleet that divides more finely, at its own sizes, which was not tried."""
        new = [(walk, walk.start) for walk in self.finer if walk not in self.begun]
        return next(iter(self._below(new, best)), None)

    def _better(self, best: float) -> Step | None:
        """Return the fleet that is expected to be the best of all and better than `best`.

        One that is NEAR it comes first where it has fewer pools and none of its make was tried yet.
        """
        steps = self._below([(walk, walk.expected) for walk in self.walks], best)
        if not steps:
            return None
        least = min(steps, key=by_worth)
        tried, pools = {walk.make for walk in self.begun}, len(least.walk.least)
        new = [step for step in steps if step.walk.make not in tried and len(step.walk.least) < pools]
        return min([step for step in new if tried and step.worth <= NEAR * least.worth] or [least], key=by_worth)

    def _smaller(self, _: float) -> Step | None:
        """Return the answer's shape at other sizes, unless it is settled."""
        walk = self.found.walk
        if walk is None or walk.settled or walk.stuck:
            return None
        return self._step(walk, walk.sizes if walk.closer in walk.trials else walk.closer)

    def _unlike(self, best: float) -> Step | None:
        """Return the largest sizes below `best` of a fleet of one pool, none of whose replicas was tried yet.

        Formulas need not err on it as on the fleets tried. So it is one that they alone would have better than the
        answer, or NEAR it if that has several pools: they may call the longest steps longer than they are.
        """
        least = self._below(self._unlike_sizes(best), best)
        return self._enlarged(least[0], best) if least else None

    def _unlike_sizes(self, best: float) -> list[tuple[Walk, Sizes | None]]:
        """Return the walks of which `_unlike` chooses, the best by formula first, each with the least that may hold.

        Of a make that was tried, that is told from the others as if nothing of their errors had been seen.
        """
        tried = {walk.make for walk in self.begun}
        new = [walk for walk in self._new(best) if len(walk.least) == 1]
        return [(walk, walk.unlike if walk.make in tried else walk.least) for walk in new]

    def _new(self, best: float) -> list[Walk]:
        """Return of the replicas that no fleet tried is mostly of the first fleet each, the best by formula first.

        By that alone they are better than the answer, or NEAR it if that has several pools.
        """
        worth, seen = worth_of(self.objective, self.hosts), {walk.main for walk in self.begun}
        several = self.found.walk is not None and len(self.found.walk.least) > 1
        most = best * (NEAR if several else 1.0) * (1.0 - ROUNDING)
        first: dict[object, Walk] = {}
        for walk in sorted(self.walks, key=lambda walk: worth(walk.shape)):
            if walk.main not in seen and worth(walk.shape) < most:
                first.setdefault(walk.main, walk)
        return list(first.values())

    def _daring(self, best: float) -> Step | None:
        """Return of the fleets that could be better than `best` the likeliest to be, at its largest sizes below it."""
        larger = [self._enlarged(step, best) for step in self._bold(best)]
        return min(larger, key=lambda step: (step.walk.doubts(step.sizes), *by_worth(step)), default=None)

    def _beyond(self) -> Step | None:
        """Return the best fleet past a constraint that is expected to hold, if no better did that breaks no more."""
        tried = [(walk, sizes, trial) for walk in self.begun for sizes, trial in walk.trials.items()]
        held = [(self._worth(one), self.broken(walk.curves, sizes)) for walk, sizes, one in tried if one.passes]
        steps = self._untried([(walk, walk.expected) for walk in self.walks], math.inf)
        own = [(step, step.worth / (1.0 - ROUNDING), self.broken(step.walk.curves, step.sizes)) for step in steps]
        news = [step for step, worth, broken in own if all(worth < least for least, others in held if others <= broken)]
        return min(news, key=by_worth, default=None)

    def _within(self) -> Step | None:
        """Return the likeliest fleet to hold that breaks no constraint, once some that break one were seen to hold."""
        return self._daring(math.inf) if self.found.holding else None

    def _onwards(self) -> Step | None:
        """Return the first shape that can be walked on where none is expected to hold, unless it came back."""
        walks = () if self.came_back else self.walks
        return next((self._step(walk, walk.sizes) for walk in walks if not walk.stuck), None)

    def _bold(self, best: float) -> list[Step]:
        """Return the fleets that could be better than `best`, and by enough to be worth a look.

        Those that are mostly of replicas of which none tried was could be as if little of the errors had been seen,
        where the formulas have them no better than `best`: nothing else comes to such. The best of all by formula could
        be as they have it.
        """
        worth = worth_of(self.objective, self.hosts)
        first = [walk for walk in sorted(self.walks, key=lambda walk: worth(walk.shape))[:1] if walk not in self.begun]
        single = [walk for walk in self.walks if len(walk.least) == 1 and walk not in self.begun]
        (likely, little), (far, much), (farthest, most) = LIKELY, FAR_OFF, FARTHEST
        sized = [
            *((walk, walk.at_best(likely), little) for walk in self.walks),
            *((walk, walk.at_best(far), much) for walk in self.walks),
            *((walk, walk.at_best(far), little) for walk in single),
            *((walk, walk.at_best(farthest), most) for walk in single),
            *((walk, walk.unlike, little) for walk in self._new(best) if worth(walk.shape) >= best),
            *((walk, walk.start, little) for walk in first),
        ]
        found: dict[Walk, Step] = {}
        for walk, sizes, saving in sized:
            for step in self._below([(walk, sizes)], best * (1.0 - saving)):
                found.setdefault(step.walk, step)
        return list(found.values())

    def _below(self, sized: Sequence[tuple[Walk, Sizes | None]], best: float) -> list[Step]:
        """Return the fleets that were not tried yet, are allowed and are worth less than `best` by the formulas."""
        return [step for step in self._untried(sized, best) if self._allows(step)]

    def _untried(self, sized: Sequence[tuple[Walk, Sizes | None]], best: float) -> list[Step]:
        """Return the same, those that are not allowed with them."""
        steps = [self._step(walk, sizes) for walk, sizes in sized if sizes is not None and sizes not in walk.trials]
        return [step for step in steps if step.worth < best * (1.0 - ROUNDING)]

    def _enlarged(self, step: Step, best: float) -> Step:
        """Return the step with one replica after the other in its slowest pool for as long as it is below `best`.

        GPUs may cost nothing, so it ends where the pool's curve does.
        """
        walk, sizes = step.walk, list(step.sizes)
        while True:
            places = range(len(sizes))
            slowest = max(places, key=lambda place: walk.strain(place, sizes[place]))
            sizes[slowest] += 1
            larger = self._step(walk, tuple(sizes))
            known = sizes[slowest] <= walk.curves[slowest].sizes[-1] and larger.sizes not in walk.trials
            if not known or larger.worth >= best * (1.0 - ROUNDING) or not self._allows(larger):
                return step
            step = larger

    def _allows(self, step: Step) -> bool:
        return self.past_limits or not self.broken(step.walk.curves, step.sizes)

    def _step(self, walk: Walk, sizes: Sizes) -> Step:
        worth = worth_of_sizes(self.objective, walk.curves, sizes, self.hosts, compressor=walk.shape.compressor_cost)
        return Step(worth=worth, walk=walk, sizes=sizes)
