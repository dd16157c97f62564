"""From the formula's fleets to the smallest that holds in simulation: which to try next, and when to stop.

The formulas rank the fleets; what trials show of their error corrects the ranking, pool by pool (`pool_facts`). Tried
is first what is expected to be better than the best so far, then one replica fewer of that, then, the likeliest first,
what could be better if the formulas erred to the safe side by some times as much as they were seen to differ. A size
beyond the utilization limit is out without a trial, since utilization is offered work over capacity. A fleet whose
latency lingers at its limit is put off: the search goes on as if it did not hold, and takes it up again where it would
be better than what was found.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Objective
from fleettui.planning.pool_facts import DOUBTS, Known
from fleettui.planning.settled import MOST_TRIED, Settled, Untried
from fleettui.planning.step import Step, by_worth
from fleettui.planning.trial import Trial
from fleettui.planning.walk import Sizes, Walk
from fleettui.planning.worth import Broken, Curves, Worth, nothing, worth_of, worth_of_sizes

FINER, ROUNDS = 2, 3
"""So many more than were tried are fleets that divide where those that were tried do not, and so often."""
SETTLING = 2
"""So many more than MOST_TRIED are other sizes of the best, where it is not shown to be the smallest of its shape."""
KEPT_BACK = 2
"""So many of them are for one replica fewer of the best."""
LIKELY, FAR_OFF = (DOUBTS, 0.01), (1.75, 0.08)
"""By how many doubts what may be better may be off, and what share it is to save; of one pool, as few are, less."""
NEAR = 1.2
"""By what factor a fleet of another make may be expected to be worse and still be tried first."""
ROUNDING = 1e-9

Try = Callable[[Candidate, Sizes], Awaitable[Trial]]
"""Simulates a candidate's fleet at other sizes."""
Shapes = Sequence[tuple[Candidate, Curves]]
More = Callable[[Settled], Awaitable[Shapes]]
"""Returns more shapes to search among, once it is known where the search among the others ended."""


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
        worth, tried = worth_of(self.objective, self.hosts), {walk.make for walk in self.begun}
        several = self.found.walk is not None and len(self.found.walk.least) > 1
        new = [walk for walk in self.walks if len(walk.least) == 1 and walk not in self.begun]
        near = [walk for walk in new if worth(walk.shape) < best * (NEAR if several else 1.0) * (1.0 - ROUNDING)]
        ordered = sorted(near, key=lambda walk: worth(walk.shape))
        return [(walk, walk.unlike if walk.make in tried else walk.least) for walk in ordered]

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
        """Return the fleets that could be better than `best`, and by enough to be worth a look."""
        found: dict[Walk, Step] = {}
        single = [walk for walk in self.walks if len(walk.least) == 1 and walk not in self.begun]
        for walks, doubts, saving in ((self.walks, *LIKELY), (self.walks, *FAR_OFF), (single, FAR_OFF[0], LIKELY[1])):
            for step in self._below([(walk, walk.at_best(doubts)) for walk in walks], best * (1.0 - saving)):
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


async def settle(
    shapes: Shapes,
    attempt: Try,
    *,
    max_utilization: float,
    objective: Objective = "cost",
    hosts: float = 0.0,
    broken: Broken = lambda _curves, _sizes: frozenset(),
    begin: Callable[[int, int], None] = lambda _number, _most: None,
    finish: Try | None = None,
    pause: Callable[[Settled, Trial], Awaitable[None]] | None = None,
    share: Worth = nothing,
    finer: More | None = None,
    past_limits: More | None = None,
    less_known: More | None = None,
) -> Settled:
    """Return the fleet that passes and has least of what the objective names, of those that a Search tries.

    `shapes` are the formula's fleets, best first, each with the curves of its pools. A fleet that breaks a constraint
    (its `shortfalls`) is no answer; one by which some are `broken` is tried only where no other is left. `begin` hears
    the number of each fleet before it is simulated, and how many there may be at most, 0 where that is not known yet.
    `hosts` are as in `worth_of`. `finish` simulates on what `attempt` has left open, after `pause` has heard what was
    found by then and which fleet that is. `share` is how near to the constraints a fleet comes. The search goes on
    among shapes that divide `finer` than these, then by what they show, hold or fail, among others, before it finishes
    what is open beside an answer, then among those `past_limits`. Where it had no answer it first comes there to what
    it would without constraints: where that keeps them it is the answer, else the search goes on within them. Last come
    shapes that are `less_known`.
    """
    known = Known()
    walks = [Walk.of(shape, curves, known, max_utilization=max_utilization) for shape, curves in shapes]
    search = Search(walks=walks, objective=objective, broken=broken, begun=[], hosts=hosts, share=share)

    async def briefly() -> None:
        while (step := search.next()) is not None:
            begin(search.tried + 1, search.most)
            search.learn(step, await attempt(step.walk.shape, step.sizes))

    async def to_its_end() -> None:
        while True:
            await briefly()
            left = search.put_off()
            if finish is None or left is None:
                break
            if pause is not None:
                await pause(search.found, left.walk.trials[left.sizes])
            begin(search.tried, search.tried)
            left.walk.settle(await finish(left.walk.shape, left.sizes))

    async def and_finer() -> None:
        await briefly()
        if search.found.answer is None:
            await to_its_end()
        for _ in range(ROUNDS):
            found = search.found
            if finer is None or not (more := await finer(found)):
                break
            search.on_finer([Walk.of(*shape, known, max_utilization=max_utilization) for shape in more])
            await briefly()
            if search.tried == found.tried:
                break
        await to_its_end()

    await and_finer()
    within = search.found
    more = () if past_limits is None else await past_limits(within)
    if more:
        known = known if within.answer is not None else Known()
        search = search.past([Walk.of(*shape, known, max_utilization=max_utilization) for shape in more])
        await to_its_end()
    if search.past_limits:
        search.past_limits, search.came_back = False, True
        await and_finer()
    if less_known is not None and (more := await less_known(search.found)):
        search.came_back, known = True, Known() if search.found.answer is None else known
        search.on([Walk.of(*shape, known, max_utilization=max_utilization) for shape in more], MOST_TRIED)
        await and_finer()
    return replace(search.found, walks=(*dict.fromkeys((*within.walks, *search.begun)),), untried=search.untried())
