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
from fleettui.planning.prepared_fleet import prepared
from fleettui.planning.prove import Simulator
from fleettui.planning.surest_rate import how_sure
from fleettui.planning.worth import worth_of

MOST_MAKES, MOST_SIZES = 4, 3
"""Makes of fleets that are looked at for one advice at most, and sizes of each."""
SHORTER = 16
"""Runs are so many times shorter than a proof's: an answer is not to take much longer for what stands beside it."""
NEAR = 1.2
"""A fleet of fewer GPU types and pools that is so many times as dear as the best is looked at before it, but first."""
ROUNDING = 1e-9
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
    keep its constraints and to be as sure as is wished; None where no size was. `looks` are what was simulated. Makes
    that are up to `beyond` times as dear by formula as what was shown are looked at, too; where that is above 1, what
    short runs leave open is run for longer if nothing of its make was shown, and where to `settle` it, if nothing as
    good was.
    """

    simulator: Simulator
    answer: Answer
    known: dict[Fleet, Candidate | None] = field(default_factory=dict)
    looks: list[Look] = field(default_factory=list)
    beyond: float = 1.0
    settle: bool = False

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
            fleets = [*filter(self.is_open, await find(self.seen))]
            shown = min(filter(counts, self.shown), key=worth, default=None)
            first = next(iter(fleets), None)
            if first is None or (shown is not None and (looked == MOST_MAKES or self._is_beyond(first, shown))):
                return shown
            if looked == MOST_MAKES or not await self.look_at(self._simplest(fleets, shown) if looked else first):
                return first
        return None

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

    async def look_at(self, one: Candidate) -> bool:
        """Simulate a fleet and smaller or larger ones of its make; return whether that showed anything."""
        question = self.simulator.source.question
        if not can_be_told(question):
            return False
        before = len(self.looks)
        found = await (self._smallest(one) if question.confidence is None else self._surest(one, question.confidence))
        if len(self.looks) == before:
            return False
        self.known[make_of(one)] = None
        for shown in found:
            self._learn(make_of(one), shown)
        return True

    def _learn(self, make: Fleet, shown: Candidate) -> None:
        self.known[make] = min(filter(None, (self.known.get(make), shown)), key=self.worth)

    async def _smallest(self, one: Candidate) -> list[Candidate]:
        """Return the fleets of a make that a few looks showed to hold, smaller ones of what holds looked at too.

        No more are taken once it is expected to take MUCH_MORE than the formulas said.
        """
        limits, most = self._limits(one), MUCH_MORE * self.worth(one)
        for taken in range(1, 1 + MOST_SIZES):
            expected, _ = await limits.smallest(1)
            if expected is None or len(limits.looks) < taken or self.worth(expected) > most:
                break
        if self.settle or (self.beyond > 1.0 and not self._holding(limits)):
            await self._look_longer(limits)
        self.looks += limits.looks
        return self._holding(limits)

    def _holding(self, limits: FleetLimits) -> list[Candidate]:
        return [look.candidate for look in limits.looks if look.holds and self._keeps_limits(look.candidate)]

    async def _look_longer(self, limits: FleetLimits) -> None:
        """Run for longer the best fleet that short runs left open, if there is one better than what they showed."""
        least = min(map(self.worth, self._holding(limits)), default=math.inf)
        open_ = [
            one
            for one in limits.looks
            if one.evidence.verdict == "unproven"
            and self._keeps_limits(one.candidate)
            and self.worth(one.candidate) < least
        ]
        if open_:
            best = min(open_, key=lambda one: self.worth(one.candidate))
            limits.looks.remove(best)
            await limits.look(best.sizes, best.rate, longer=True)

    async def _surest(self, one: Candidate, wished: float) -> list[Candidate]:
        """Return the fleet of a make that is as sure as wished, with more replicas where so many were not shown to."""
        sizes: Sizes | None = tuple(pool.replicas for pool in one.fleet.pools)
        before: list[Look] = []
        for _ in range(MOST_SIZES):
            if sizes is None:
                break
            stage = await prepared(self.simulator.workers, self.simulator.source, one.fleet, sizes)
            limits = self._limits(stage.candidate, before)
            look = await limits.look(sizes, limits.source.rate)
            if look is None:
                break
            sure = await how_sure(limits, sizes=False)
            before = limits.looks
            if look.holds and self._keeps_limits(look.candidate) and (sure is None or sure.holds >= wished - AS_MUCH):
                self.looks += before
                return [look.candidate]
            sizes = _larger(sizes, await self._sizes_for(limits, wished))
        self.looks += before
        return []

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
            shorter=SHORTER,
        )

    def _keeps_limits(self, one: Candidate) -> bool:
        return keeps_constraints(one, self.simulator.source.question)

    def worth(self, one: Candidate) -> float:
        """Return what fleets are compared by."""
        question = self.simulator.source.question
        return worth_of(question.objective, question.host_power)(one)


def _larger(sizes: Sizes, wanted: Sizes | None) -> Sizes | None:
    """Return the sizes that are wanted, at least one replica more in all than there are; None where none are."""
    if wanted is None:
        return None
    more = tuple(max(pair) for pair in zip(sizes, wanted, strict=True))
    return more if more != sizes else tuple(size + 1 for size in sizes)
