"""How far a fleet that is given reaches: the smallest sizes of its pools that hold, and the greatest rate.

The formulas say where to look, corrected by every simulation that was made; what is looked at is simulated, for so few
runs that a fleet at its very limit may be left open. What they showed is kept, the runs are not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from fleettui.domain.anchor import Anchor, with_more
from fleettui.domain.busy_words import overloaded
from fleettui.domain.plan import Answer, Candidate, Evidence, Look
from fleettui.domain.scenario import Question
from fleettui.domain.simulation import PoolLength, Replication
from fleettui.domain.stock import Greatest, Stock
from fleettui.errors import InputError
from fleettui.planning import unproven_rates
from fleettui.planning.anchors import anchors_of
from fleettui.planning.few_runs import few_runs
from fleettui.planning.greatest_rate import Reach
from fleettui.planning.kept_looks import is_of, seen_in
from fleettui.planning.ladder import as_the_rungs_tell, is_rung
from fleettui.planning.overload import evidence_against
from fleettui.planning.prepared_fleet import SHORTER, PreparedFleet, SceneSource, prepared, shortened
from fleettui.planning.rounds import Rounds, takes_minutes
from fleettui.planning.unproven_sizes import unproven_gpus
from fleettui.planning.worker_pool import WorkerPool

MOST_SIZES, MOST_RATES = 8, 8
"""Other sizes and other rates of a fleet at most that are simulated, unless more are asked for."""
MOST_LOOKS = 1 + MOST_SIZES + MOST_RATES
"""Looks at a fleet in all, the first at what it is."""
ROUNDING = 1e-9
EXACT = 1e-4
"""How near to a rate at which a pool would be too busy, which needs no simulation, the greatest one is looked for."""
EVEN = 0.5
"""Share of the cases over the error of step times that has none longer than predicted."""

Sizes = tuple[int, ...]
Tell = Callable[[str, int, int], None]
"""Hears what is simulated, and how many of how many runs are done."""


def can_be_told(question: Question) -> bool:
    """Return whether a fleet can be too large or too small for a question: one with limits, and a rate of its own."""
    limited = bool(question.slo.limits())
    return limited and question.demand.form != "concurrency" and question.preset != "paper"


@dataclass(slots=True, kw_only=True)
class FleetLimits:
    """A fleet of one scene, with the looks that were taken at its other sizes and rates.

    `known` is what its plan's simulations showed of each pool. What is looked at is told to `keep`; what is among
    `before` is not simulated again, and counts once it is looked at. `purpose` says what the looks are for where the
    rate or the limits are not the plan's. Runs are so many times `shorter` than a proof's.
    """

    workers: WorkerPool
    source: SceneSource
    fleet: Candidate
    seed: int
    precision: float
    known: tuple[Anchor, ...]
    purpose: str = ""
    tell: Tell = lambda _words, _done, _wanted: None
    keep: Callable[[Look], None] = lambda _look: None
    looks: list[Look] = field(default_factory=list)
    before: Sequence[Look] = ()
    shorter: int = SHORTER

    @classmethod
    def of(
        cls,
        workers: WorkerPool,
        source: SceneSource,
        plan: Answer,
        fleet: Candidate,
        tell: Tell,
        *,
        looks: Iterable[Look] = (),
        before: Iterable[Look] = (),
        keep: Callable[[Look], None] = lambda _look: None,
    ) -> FleetLimits:
        """Return the limits of the `fleet` that a plan came to, as its simulations and those to come show them.

        `looks` are those that count, of this fleet and of others; `before` are as the class says.
        """
        question, proof = source.question, fleet.evidence
        own = (Look(rate=source.rate, candidate=fleet),) if proof and any(one.verdict for one in proof.pools) else ()
        return cls(
            workers=workers,
            source=source,
            fleet=fleet,
            seed=question.seed,
            precision=question.precision,
            known=anchors_of(plan, question),
            tell=tell,
            keep=keep,
            looks=[one for one in (*looks, *own) if is_of(one, fleet, question)],
            before=tuple(one for one in before if is_of(one, fleet, question)),
        )

    @property
    def question(self) -> Question:
        """What it is held to."""
        return self.source.question

    @property
    def sizes(self) -> Sizes:
        """The replicas of each of its pools."""
        return tuple(pool.replicas for pool in self.fleet.fleet.pools)

    @property
    def anchors(self) -> tuple[Anchor, ...]:
        """What the plan's simulations and the looks showed of each pool."""
        seen = [seen_in(look, self.question) for look in self.looks]
        places = range(len(self.fleet.pools))
        found = with_more(self.known, tuple(Anchor(seen=tuple(own[one] for own in seen)) for one in places))
        return as_the_rungs_tell(found, (look for look in self.looks if look.sizes == self.sizes))

    async def stock(self) -> Stock:
        """Return what of the fleet is spare or short at the scene's rate, and the greatest rate that it holds."""
        small, proven = await self.smallest(longer=True)
        most = await self.greatest()
        return Stock(
            replicas=None if small is None else tuple(pool.replicas for pool in small.fleet.pools),
            gpus=None if small is None else tuple(pool.gpus for pool in small.fleet.pools),
            cost=None if small is None else small.cost_per_hour,
            simulated=proven,
            rate=most.rate,
            rate_simulated=most.simulated,
            fails_from=most.fails_from,
            most_busy=self.question.max_utilization,
            unproven=unproven_gpus(small.fleet, self.looks, self.source.rate) if small and proven else None,
        )

    async def smallest(self, most: int = MOST_SIZES, *, longer: bool = False) -> tuple[Candidate | None, bool]:
        """Return the smallest fleet of the shape that holds the scene's rate, and whether simulations showed that.

        They did where the fleet passed, and no pool with one replica fewer does. None where no size holds. Pools do not
        meet, so that one look tells of all of them. What short runs of those looked at leave open is run for `longer`.
        """
        rate = self.source.rate
        for _ in range(most):
            sizes = await self._next_sizes(rate)
            if sizes is None or any(look.sizes == sizes and look.rate == rate for look in self.looks):
                break
            if await self.look(sizes, rate, longer=longer) is None:
                break
        found = await self.needed()
        if found is None:
            return None, False
        proven = all(
            self._verdict(place, size, rate) is True and (size == 1 or self._verdict(place, size - 1, rate) is False)
            for place, size in enumerate(found)
        )
        return (await prepared(self.workers, self.source.at(rate), self.fleet.fleet, found)).candidate, proven

    async def greatest(self, most: int = MOST_RATES) -> Greatest:
        """Return the greatest rate that the fleet holds at its own sizes: a rung of the ladder, none above which holds.

        It is the scene's own where that lies between two rungs, and where load alone decides that up to which it lets
        the fleet. By formula, as the looks correct it, where at most so many looks do not show it. Where a stretch
        above it is not proven, that is told. What was told by earlier looks is told again.
        """
        expected, own = await self._walk(most), self._counting(self.sizes)
        if unproven_rates.spread(own):
            stretch = unproven_rates.Stretch(looks=own, own=self.source.rate, take=partial(self.look, self.sizes))
            ends = await stretch.ends()
            if ends is not None:
                return Greatest(rate=ends[0], simulated=True, fails_from=ends[1])
        reach = self._reach(self.sizes)
        return Greatest(rate=reach.low if reach.shown else reach.between(expected), simulated=reach.shown)

    async def _walk(self, most: int) -> float:
        """Look at so many rates at most near the greatest that holds; return it by formula, as the looks correct it."""
        expected, climbs = 0.0, 0
        for _ in range(most + 1):
            own, reach = self._counting(self.sizes), self._reach(self.sizes)
            rate = unproven_rates.beyond(own, reach.high) if reach.shown else None
            if unproven_rates.spread(own) or (reach.shown and rate is None and not self._is_too_busy(reach.high)):
                return reach.low
            expected, _ = await self.lasts()
            rate = self._next_rate(expected, climbs) if rate is None else rate
            look = None if rate is None else await self.look(self.sizes, rate)
            if look is None:
                break
            climbs += look.holds
        return expected

    def _next_rate(self, expected: float, climbs: int) -> float | None:
        """Return the rate to look at next where the fleet is expected to last up to one, None where none is left.

        Up to which rate its load lets it, if nothing else stops it, is known to the digit: that is looked at, too, but
        not again where it was not proven.
        """
        reach = self._reach(self.sizes)
        if not reach.shown:
            return reach.next_rung(expected, climbs)
        if not self._is_too_busy(reach.high) or not reach.low * (1.0 + EXACT) < expected < reach.high:
            return None
        seen = any(look.sizes == self.sizes and abs(look.rate / expected - 1.0) < EXACT for look in self.looks)
        by_load = expected >= self._load_lets(reach.high) * (1.0 - EXACT)
        return expected * (1.0 - ROUNDING) if by_load and not seen else None

    def _load_lets(self, rate: float) -> float:
        """Return the rate up to which its load lets a fleet that was seen at another; load is as the rate."""
        look = next(look for look in self.looks if (look.sizes, look.rate) == (self.sizes, rate))
        return rate * self.question.max_utilization / max(pool.utilization for pool in look.candidate.pools)

    def _is_too_busy(self, rate: float) -> bool:
        """Return whether the fleet was seen to be too busy at a rate, which takes no simulation."""
        return any(
            (look.sizes, look.rate, look.evidence.method) == (self.sizes, rate, "formula") for look in self.looks
        )

    @property
    def shown(self) -> dict[Sizes, tuple[float, Look]]:
        """The greatest rate at which the shape holds at each size of which looks show it, and the look beyond that."""
        reaches = {sizes: self._reach(sizes) for sizes in dict.fromkeys(look.sizes for look in self.looks)}
        beyond = {(look.sizes, look.rate): look for look in reversed(self.looks)}
        return {size: (one.low, beyond[size, one.high]) for size, one in reaches.items() if one.shown}

    def _reach(self, sizes: Sizes) -> Reach:
        """Return how far the shape reaches at a size, by looks at rungs, at the scene's rate and at the load's limit.

        What others were taken at does not count: it depends on what was asked.
        """
        return Reach.of(self._counting(sizes), self.question)

    def _counting(self, sizes: Sizes) -> list[Look]:
        return [look for look in self.looks if look.sizes == sizes and self._counts(look)]

    def _counts(self, look: Look) -> bool:
        at_limit = max(pool.utilization for pool in look.candidate.pools) > self.question.max_utilization * (
            1.0 - EXACT
        )
        return is_rung(look.rate) or look.rate == self.source.rate or (look.holds and at_limit)

    async def lasts(self, share: float = EVEN, sizes: Sizes | None = None) -> tuple[float, tuple[float, ...]]:
        """Return the greatest rate that the fleet holds by formula, as the looks correct it, 0 where it holds none.

        It is that at its own sizes or at others; it holds it in a `share` of the cases over the error of its step
        times, predicted ones at EVEN. Beside it are the rates that load its pools as much at these.
        """
        return await self.workers.run(
            "confidence-lasts",
            tuple[float, tuple[float, ...]],
            source=self.source,
            fleet=self.fleet.fleet,
            anchors=self.anchors,
            sizes=self.sizes if sizes is None else sizes,
            share=share,
        )

    async def needed(self) -> Sizes | None:
        """Return the fewest replicas of each pool that hold the scene's rate, by formula as the looks correct it."""
        found = await self.workers.run(
            "stock", tuple[int, ...], source=self.source, fleet=self.fleet.fleet, anchors=self.anchors
        )
        return found or None

    async def look(self, sizes: Sizes, rate: float, *, longer: bool = False) -> Look | None:
        """Simulate the fleet at these sizes and this rate, and take in what that shows.

        Where a pool would be busier than it may be, that is known without. None where it would take long, or where such
        traffic cannot be drawn. What short runs leave open is run for `longer`, at other rates than the scene's always.
        """
        known = next((one for one in self.before if (one.sizes, one.rate) == (sizes, rate)), None)
        if known is not None:
            self.looks.append(known)
            self.keep(known)
            return known
        source, aim = self.source.at(rate), f"{self.purpose}: " if self.purpose else ""
        words = f"{aim}simulating {' + '.join(map(str, sizes))} replicas at {rate:.4g}/s"
        try:
            whole = await prepared(self.workers, source, self.fleet.fleet, sizes)
            stage = shortened(whole, self.shorter)
            if self._fails(max(stage.utilization)):
                return self._learn(replace(stage.candidate, evidence=self._too_busy(stage)), rate)
            if stage.unstable or takes_minutes(stage):
                return None
            rounds = Rounds(workers=self.workers, source=source, seed=self.seed, precision=self.precision)
            replicate = partial(self._replicate, source, stage.candidate)
            told, more = partial(self.tell, words), longer or rate != self.source.rate
            evidence = await few_runs(rounds, whole, replicate, told, longer=more, settle=longer, shorter=self.shorter)
        except InputError:
            return None
        return self._learn(replace(stage.candidate, evidence=evidence), rate)

    def _fails(self, busy: float) -> bool:
        return busy > self.question.max_utilization * (1.0 + ROUNDING)

    def _too_busy(self, stage: PreparedFleet) -> Evidence:
        return evidence_against(
            stage.candidate,
            stage.utilization,
            self._fails,
            partial(overloaded, limit=self.question.max_utilization),
            seed=self.seed,
            precision=self.precision,
        )

    def _learn(self, seen: Candidate, rate: float) -> Look:
        look = Look(rate=rate, candidate=seen)
        self.looks.append(look)
        self.keep(look)
        return look

    async def _next_sizes(self, rate: float) -> Sizes | None:
        """Return the sizes to look at: those that are expected to hold, one fewer where they are known to."""
        found = await self.needed()
        if found is None:
            return None
        return tuple(
            size - 1
            if size > 1 and self._verdict(place, size, rate) and self._verdict(place, size - 1, rate) is None
            else size
            for place, size in enumerate(found)
        )

    def _verdict(self, place: int, size: int, rate: float) -> bool | None:
        """Return whether a pool of this size is known to hold the rate, None where nothing is known.

        It is, once it was proven to: fewer runs may leave that open.
        """
        there = [seen_in(look, self.question)[place] for look in self.looks if look.rate == rate]
        known = {one.passed for one in there if one.replicas == size}
        return next((one for one in (True, False) if one in known), None)

    async def _replicate(
        self, source: SceneSource, seen: Candidate, lengths: tuple[PoolLength, ...], index: int
    ) -> Replication:
        return await self.workers.run(
            "verification-replicate",
            Replication,
            source=source,
            fleet=seen.fleet,
            lengths=lengths,
            seed=self.seed,
            index=index,
            bare=True,
        )
