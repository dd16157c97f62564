"""What fleets that the formulas name beside an answer come to as simulated: in short runs, the smallest that holds."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from fleettui.domain.confidence import AS_MUCH
from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Answer, Candidate, Look
from fleettui.domain.remedy import keeps_constraints
from fleettui.domain.seen_fleets import by_replica, make_of, worst
from fleettui.planning.anchors import anchors_from
from fleettui.planning.fleet_limits import FleetLimits, Sizes, can_be_told
from fleettui.planning.kept_looks import is_of
from fleettui.planning.least_size import takes_all
from fleettui.planning.prepared_fleet import prepared
from fleettui.planning.prove import Simulator
from fleettui.planning.surest_rate import NEARLY, how_sure
from fleettui.planning.worth import worth_of

MOST_MAKES, MOST_SIZES = 4, 3
"""Makes of fleets that are looked at for one advice at most, and sizes of each."""
SHORTER = 16
"""Runs are so many times shorter than a proof's: an answer is not to take much longer for what stands beside it."""
NEAR = 1.2
"""A fleet of fewer GPU types and pools that is so many times as dear as the best is looked at before it, but first."""
ROUNDING = 1e-9
OVER = 1.1
"""A make that is so many times as dear by formula as the best shown to be as sure as wished may be cheaper."""
MUCH_MORE = 1.5
"""A fleet that is expected to take so many times what the formulas said is not looked at any more."""
PURPOSE = "what else would do"
"""What is simulated, before each step of it."""

Find = Callable[[Answer], Awaitable[Sequence[Candidate]]]
"""Returns fleets that hold by formula, as the candidates of an answer correct it, best first."""


@dataclass(slots=True, kw_only=True)
class ShownFleets:
    """What simulates fleets beside an `answer`, whose candidates are all that was simulated for it.

    By make, whatever its sizes, `known` has the best fleet that was shown to be what the question asks for: to hold, to
    keep its constraints and to be as sure as is wished; None where no size was. `looks` are what was simulated, `left`
    and `untried` what was not and may be better, by the formulas and as far as these may err. Makes that are up to
    `beyond` times as dear by formula as what was shown are looked at, too. What was simulated `before` is not again.
    """

    simulator: Simulator
    answer: Answer
    known: dict[Fleet, Candidate | None] = field(default_factory=dict)
    looks: list[Look] = field(default_factory=list)
    left: Sequence[Candidate] = ()
    untried: Sequence[Candidate] = ()
    beyond: float = 1.0
    before: Sequence[Look] = ()

    def __post_init__(self) -> None:
        """Begin with what the answer's own simulations showed, unless it takes more than to hold."""
        question = self.simulator.source.question
        if question.confidence is None:
            for one in self.answer.candidates:
                if one.simulation is not None and one.simulation.verdict == "pass":
                    self._learn(make_of(one), one)

    @property
    def seen(self) -> Answer:
        """The answer with all that was simulated at its rate as candidates."""
        looked = (look.candidate for look in self.looks if look.rate == self.simulator.source.rate)
        return replace(self.answer, candidates=(*self.answer.candidates, *looked))

    @property
    def shown(self) -> list[Candidate]:
        """The fleets that looks showed to be what the question asks for."""
        return [one for one in self.known.values() if one is not None]

    def may_hold(self, fleets: Iterable[Candidate]) -> list[Candidate]:
        """Return those that hold with the error that was seen on replicas like theirs, of makes not yet looked at."""
        question, rate = self.simulator.source.question, self.simulator.source.rate
        anchors = by_replica(self.seen.candidates, question, rate)
        limits = question.held_limits()
        return [
            one
            for one in filter(self.is_open, fleets)
            if all(worst(one, limit, anchors) <= limit.seconds for limit in limits)
        ]

    def is_open(self, one: Candidate) -> bool:
        """Return whether nothing is known of a fleet's make as simulated."""
        return make_of(one) not in self.known

    async def best(self, find: Find, counts: Callable[[Candidate], bool]) -> Candidate | None:
        """Return the best of the fleets that are found by formula or shown by simulation, of those that `counts` names.

        None where all that were found are refuted. It is by formula alone where it would take long to simulate it, or
        once MOST_MAKES were looked at and none of them was shown to do.
        """
        worth = self.worth
        for looked in range(1 + MOST_MAKES):
            self.left = fleets = [*filter(self.is_open, await find(self.seen))]
            shown = min(filter(counts, self.shown), key=worth, default=None)
            first = next(iter(fleets), None)
            if first is None or (shown is not None and (looked == MOST_MAKES or self._is_beyond(first, shown))):
                return shown
            least = math.inf if shown is None else worth(shown)
            if looked == MOST_MAKES or not await self.look_at(
                self._simplest(fleets, shown) if looked else first, least
            ):
                return first
        return None

    def is_least(self, one: Candidate, counts: Callable[[Candidate], bool]) -> bool:
        """Return whether simulations refuted all that is better than a fleet, of those that `counts` names.

        That are smaller sizes of it, what was run and not proven to fail, and what is `left` or `untried`.
        """
        seen = self.seen.candidates
        unproven = (other for other in seen if other.evidence is not None and other.evidence.verdict == "unproven")
        better = (
            other for other in (*self.left, *self.untried, *unproven) if counts(other) and self._keeps_limits(other)
        )
        own = [other for other in seen if make_of(other) == make_of(one)]
        most = self.simulator.source.question.max_utilization
        least = all(self.worth(other) >= self.worth(one) * (1.0 - ROUNDING) for other in better)
        return least and takes_all(one, own, most)

    def _is_beyond(self, one: Candidate, shown: Candidate) -> bool:
        """Return whether a fleet costs too much by formula to be looked at beside one that was shown to do."""
        return self.beyond * self.worth(shown) <= self.worth(one)

    def _simplest(self, fleets: Sequence[Candidate], shown: Candidate | None) -> Candidate:
        """Return of the fleets NEAR the first, which is the best, the one of the fewest pools and GPU types.

        The formulas err less on it. It is better than the one that was `shown`.
        """
        most = NEAR * self.worth(fleets[0]) * (1.0 + ROUNDING)
        if shown is not None:
            most = min(most, self.worth(shown) * (1.0 - ROUNDING))
        near = [one for one in fleets if self.worth(one) <= most] or fleets[:1]
        return min(near, key=lambda one: (len(one.fleet.pools), len(one.fleet.gpus_by_type), self.worth(one)))

    async def look_at(self, one: Candidate, least: float = math.inf) -> bool:
        """Simulate a fleet and smaller or larger ones of its make; return whether that showed anything.

        Those count that are better than the `least` that was shown of others.
        """
        question = self.simulator.source.question
        if not can_be_told(question):
            return False
        before = len(self.looks)
        wished = question.confidence
        found = await (self._smallest(one, least) if wished is None else self._surest(one, wished, least))
        if len(self.looks) == before:
            return False
        self.known[make_of(one)] = None
        for shown in found:
            self._learn(make_of(one), shown)
        return True

    async def try_at(self, shape: Candidate, sizes: Sizes) -> Look | None:
        """Simulate a fleet at other sizes alone, for as long as a proof where short runs leave it open.

        None where nothing can be seen of it in short.
        """
        limits = self._limits(shape)
        look = await limits.look(sizes, limits.source.rate, longer=True)
        if look is None:
            return None
        self.looks.append(look)
        self.known.setdefault(make_of(shape), None)
        if look.holds and self._keeps_limits(look.candidate):
            self._learn(make_of(shape), look.candidate)
        return look

    def _learn(self, make: Fleet, shown: Candidate) -> None:
        self.known[make] = min(filter(None, (self.known.get(make), shown)), key=self.worth)

    async def _smallest(self, one: Candidate, least: float) -> list[Candidate]:
        """Return the fleets of a make that looks showed to hold: at its own sizes first, then smaller or larger ones.

        What short runs leave open is run for longer where it is better than the `least`. No more sizes are taken once
        what is expected is not, or takes MUCH_MORE than the formulas said.
        """
        limits, most = self._limits(one), MUCH_MORE * self.worth(one)
        if not _is_too_small(limits):
            await limits.look(limits.sizes, limits.source.rate, longer=self.worth(one) < least)
        expected, _ = await limits.smallest(0)
        for taken in range(len(limits.looks), MOST_SIZES):
            if expected is None or self.worth(expected) > most or self._is_idle(expected, limits, least):
                break
            expected, _ = await limits.smallest(1, longer=True)
            if len(limits.looks) <= taken:
                break
        self.looks += limits.looks
        return [look.candidate for look in limits.looks if look.holds and self._keeps_limits(look.candidate)]

    def _is_idle(self, expected: Candidate, limits: FleetLimits, least: float) -> bool:
        """Return whether to look at a size that is expected to hold would show nothing better than the `least`."""
        seen = {look.candidate.fleet for look in limits.looks}
        return expected.fleet not in seen and self.worth(expected) >= least

    async def _surest(self, one: Candidate, wished: float, least: float) -> list[Candidate]:
        """Return the fleet of a make that is as sure as wished, with more replicas where so many were not shown to.

        It begins with a replica fewer where that is nearly as sure by formula. Those that are no better than the
        `least` are not looked at, or at the question's rate alone.
        """
        sizes: Sizes | None = await self._nearly(self._limits(one), wished)
        before: list[Look] = []
        for _ in range(MOST_SIZES):
            if sizes is None:
                break
            stage = await prepared(self.simulator.workers, self.simulator.source, one.fleet, sizes)
            if before and self.worth(stage.candidate) >= least:
                break
            limits = self._limits(stage.candidate, before)
            look = await limits.look(sizes, limits.source.rate)
            if look is None:
                break
            before = limits.looks
            if self.worth(stage.candidate) >= least:
                break
            sure = await how_sure(limits, sizes=False)
            if look.holds and self._keeps_limits(look.candidate) and (sure is None or sure.holds >= wished - AS_MUCH):
                self.looks += before
                return [look.candidate]
            sizes = _larger(sizes, await self._sizes_for(limits, wished))
        self.looks += before
        return []

    async def _nearly(self, limits: FleetLimits, wished: float) -> Sizes:
        """Return a fleet's sizes, a replica fewer of each pool that needs no more to be nearly as sure as wished."""
        few = await self._sizes_for(limits, wished - NEARLY) or limits.sizes
        return tuple(own - 1 if need < own else own for own, need in zip(limits.sizes, few, strict=True))

    async def _sizes_for(self, limits: FleetLimits, wished: float) -> Sizes | None:
        (found,) = await self.simulator.workers.run(
            "confidence-sizes",
            list[tuple[int, ...] | None],
            source=limits.source,
            fleets=[limits.fleet.fleet],
            anchors=[limits.anchors],
            share=wished,
        )
        return found

    def _limits(self, one: Candidate, looks: Sequence[Look] = ()) -> FleetLimits:
        simulator = self.simulator
        question, rate = simulator.source.question, simulator.source.rate
        return FleetLimits(
            workers=simulator.workers,
            source=simulator.source,
            fleet=one,
            seed=simulator.seed,
            precision=question.precision,
            known=anchors_from(self.answer.candidates, one, question, rate),
            purpose=PURPOSE,
            tell=simulator.tell_aside,
            looks=[*looks],
            before=[each for each in self.before if is_of(each, one, question)],
            shorter=SHORTER,
        )

    def _keeps_limits(self, one: Candidate) -> bool:
        return keeps_constraints(one, self.simulator.source.question)

    def worth(self, one: Candidate) -> float:
        """Return what fleets are compared by."""
        question = self.simulator.source.question
        return worth_of(question.objective, question.host_power)(one)


def _is_too_small(limits: FleetLimits) -> bool:
    """Return whether simulations of some pool showed that it takes more replicas."""
    pairs = zip(limits.anchors, limits.sizes, strict=True)
    return any(anchor.least(limits.source.rate) > size for anchor, size in pairs)


def _larger(sizes: Sizes, wanted: Sizes | None) -> Sizes | None:
    """Return the sizes that are wanted, at least one replica more in all than there are; None where none are."""
    if wanted is None:
        return None
    more = tuple(max(pair) for pair in zip(sizes, wanted, strict=True))
    return more if more != sizes else tuple(size + 1 for size in sizes)
