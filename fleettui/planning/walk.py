"""The search for the smallest sizes of one shape of fleet: which replica counts of its pools to simulate next."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fleettui.domain.plan import Candidate
from fleettui.domain.replica import ReplicaKey
from fleettui.domain.size_curve import SizeCurve
from fleettui.planning.pool_facts import DOUBTS, Known, PoolFacts, PoolKind, Seen
from fleettui.planning.trial import Trial

Sizes = tuple[int, ...]

ROOM = 0.995
"""Share of a limit that a size is expected to take at most by a correction: what lies at its limit takes longest to
prove."""

LEAST_GAIN = 0.02
"""The share by which twice the replicas must lower what a pool takes of its limits for more of them to be tried."""


def least_sizes(shape: Candidate, max_utilization: float) -> Sizes:
    """Return the fewest replicas of each pool that the utilization limit allows."""
    pairs = zip(shape.fleet.pools, shape.pools, strict=True)
    return tuple(max(1, math.ceil(own.utilization * pool.replicas / max_utilization - 1e-9)) for pool, own in pairs)


@dataclass(slots=True, eq=False)
class Walk:
    """One shape of fleet with what is known of its pools, some of it from fleets of other shapes.

    `least` are the sizes that the utilization limit allows (all, where it is infinite), `start` those to begin with.
    """

    shape: Candidate
    curves: tuple[SizeCurve, ...]
    known: Known
    kinds: tuple[PoolKind, ...]
    least: Sizes
    start: Sizes
    trials: dict[Sizes, Trial] = field(default_factory=dict)

    @classmethod
    def of(
        cls, shape: Candidate, curves: Sequence[SizeCurve], known: Known, *, max_utilization: float = math.inf
    ) -> Walk:
        """Start from the formula's sizes. Where no utilization is too high, as in a closed loop, pools do meet."""
        fleet, alone, least = shape.fleet, math.isfinite(max_utilization), least_sizes(shape, max_utilization)
        kinds = tuple(
            PoolKind.of(fleet, pool, own, alone=alone) for pool, own in zip(fleet.pools, shape.pools, strict=True)
        )
        return cls(shape, tuple(curves), known, kinds, least, tuple(pool.replicas for pool in fleet.pools))

    @property
    def make(self) -> tuple[int, frozenset[str]]:
        """The number of pools and the GPU types: formulas err alike on fleets of one make."""
        pools = self.shape.fleet.pools
        return len(pools), frozenset(pool.gpu for pool in pools)

    @property
    def main(self) -> tuple[int, ReplicaKey]:
        """The number of pools and the replicas of the one with most GPUs: what it is mostly of."""
        pools = self.shape.fleet.pools
        return len(pools), max(pools, key=lambda pool: pool.gpus).replica_key

    @property
    def expected(self) -> Sizes | None:
        """The sizes that are expected to hold, None where some pool is expected to hold at none."""
        return self._holding(0.0)

    def at_best(self, doubts: float = DOUBTS) -> Sizes | None:
        """Return the sizes that would hold if the formulas erred to the safe side by so many doubts."""
        return self._holding(doubts)

    @property
    def unlike(self) -> Sizes | None:
        """The sizes `at_best` where the few kinds of pools that were seen say little of others.

        The larger the formulas' error on those, the less: the most unlike pool may then be as the formulas have it.
        """
        return self._holding(DOUBTS, few=True)

    @property
    def sizes(self) -> Sizes:
        """The sizes to try next where this shape is to be settled."""
        return tuple(map(self._next, range(len(self.least))))

    @property
    def closer(self) -> Sizes:
        """The sizes to try next where `sizes` hold: those farther below them that are expected to hold, too."""
        return tuple(map(self._halfway, self.sizes, range(len(self.least))))

    @property
    def sizes_left(self) -> Sizes:
        """How many sizes of each pool below its smallest that passed are not known to be too small."""
        pools = [(self._facts(place).passed, self._failed(place)) for place in range(len(self.least))]
        return tuple(0 if size is None else max(0, size - 1 - low) for size, low in pools)

    @property
    def settled(self) -> Trial | None:
        """The fleet of the smallest sizes that pass, once one fewer of any pool is known to be too small."""
        pools = [(self._facts(place).passed, self._failed(place)) for place in range(len(self.least))]
        minimal = all(size is not None and size - 1 <= low for size, low in pools)
        found = self.trials.get(tuple(size for size, _ in pools if size is not None))
        return found if minimal and found is not None and found.passes else None

    @property
    def stuck(self) -> bool:
        """Whether the next sizes have been tried already, or no size can help: then there is nothing left to learn."""
        return self.sizes in self.trials or any(map(self._gains_nothing, range(len(self.least))))

    def learn(self, trial: Trial) -> None:
        """Take in what a trial showed of each pool."""
        if not self.trials:
            self.start = trial.sizes
        self.trials[trial.sizes] = trial
        for place, (kind, size) in enumerate(zip(self.kinds, trial.sizes, strict=True)):
            self.known.of(kind).learn(size, trial, place)
        rows = enumerate(zip(trial.sizes, trial.shares, strict=True))
        self.known.learn([self._seen(place, size, shares) for place, (size, shares) in rows])

    def settle(self, trial: Trial) -> None:
        """Take in what more runs showed of a fleet whose trial was left open."""
        self.trials[trial.sizes] = trial
        for place, (kind, size) in enumerate(zip(self.kinds, trial.sizes, strict=True)):
            self.known.of(kind).learn(size, trial, place)

    def strain(self, place: int, size: int, doubts: float = 0.0, *, few: bool = False) -> float:
        """Return a pool's latency at a size as the largest share of its limits, less so many `doubts` about it."""
        expected = self._expected(place, size, few=few)
        return max((share * math.exp(-doubts * doubt) for share, doubt in expected), default=0.0)

    def doubts(self, sizes: Sizes) -> float:
        """Return by how many doubts about the corrections these sizes break a limit; below 0 they keep all."""
        return max(self._doubts(place, size) for place, size in enumerate(sizes))

    def with_fewer(self, place: int, size: int) -> tuple[Trial, int] | None:
        """Return the trial in which one replica fewer than `size` in a pool did not pass, and the pool's place in it.

        None where none was made.
        """
        found = self._facts(place).judged.get(size - 1)
        return found if found is not None and found[0].pools[found[1]] != "pass" else None

    def _doubts(self, place: int, size: int) -> float:
        expected = self._expected(place, size)
        return max((math.log(share) / doubt for share, doubt in expected if share > 0.0), default=-math.inf)

    def _expected(self, place: int, size: int, *, few: bool = False) -> Iterator[tuple[float, float]]:
        """Yield a pool's latency at a size as a share of each limit, and how far that may err.

        It is the formula's, corrected by what was seen, maybe of `few` kinds.
        """
        curve = self.curves[place]
        for limit in range(len(curve.shares)):
            ratio, doubt = self.known.ratio(self.kinds[place], self._utilization(place, size), limit, few=few)
            yield curve.share(limit, size) * ratio, doubt

    def _facts(self, place: int) -> PoolFacts:
        return self.known.of(self.kinds[place])

    def _failed(self, place: int) -> int:
        return max(self.least[place] - 1, self._facts(place).failed)

    def _utilization(self, place: int, size: int) -> float:
        return self.shape.pools[place].utilization * self.shape.fleet.pools[place].replicas / size

    def _seen(self, place: int, size: int, shares: tuple[float | None, ...]) -> Seen:
        formula = [self.curves[place].share(limit, size) for limit in range(len(shares))]
        return Seen(
            kind=self.kinds[place],
            utilization=self._utilization(place, size),
            ratios=tuple(
                own / one if own is not None and 0.0 < one < math.inf else None
                for own, one in zip(shares, formula, strict=True)
            ),
        )

    def _gains_nothing(self, place: int) -> bool:
        """Whether a pool was as slow with the most replicas tried as with half of them or fewer: so are its requests
        where none waits. How slow it was at its very first size says nothing: there a queue may have been yet.
        """
        failed = sorted(
            (sizes[place], max(shares))
            for sizes, trial in self.trials.items()
            if (shares := [one for one in trial.shares[place] if one is not None]) and max(shares) > 1.0
        )
        halves = [share for size, share in failed if 2 * size <= failed[-1][0]]
        if not halves or self._facts(place).passed is not None:
            return False
        return failed[-1][1] > halves[-1] * (1.0 - LEAST_GAIN)

    def _holding(self, doubts: float, *, few: bool = False) -> Sizes | None:
        if any(map(self._gains_nothing, range(len(self.least)))):
            return None
        found = [self._smallest(place, doubts, few=few) for place in range(len(self.least))]
        known = tuple(size for size in found if size is not None)
        return known if len(known) == len(found) else None

    def _smallest(self, place: int, doubts: float, *, few: bool) -> int | None:
        """Return the smallest size of a pool that is not known to be too small and is expected to hold."""
        low, passed = self._failed(place) + 1, self._facts(place).passed
        sizes = range(low, passed if passed is not None else max(low, self.curves[place].sizes[-1]) + 1)
        most = ROOM if self.known.seen else 1.0
        first = bisect_left(sizes, True, key=lambda size: self.strain(place, size, doubts, few=few) <= most)
        return sizes[first] if first < len(sizes) else passed

    def _next(self, place: int) -> int:
        failed, best, least = self._failed(place), self._facts(place).passed, self.least[place]
        start = max(self.start[place], least)
        if best is None:
            return start if failed < start else failed + max(1, 2 * (failed - start))
        return best if best - 1 <= failed else best - 1

    def _halfway(self, next_: int, place: int) -> int:
        """Return a size from the smallest that is expected to hold up to the next one to try.

        It is the middle of them where none was seen to be too small: latencies may leap in between.
        """
        expected, failed = self._smallest(place, 0.0, few=False), self._facts(place).failed
        if self._facts(place).passed is None or expected is None or expected >= next_:
            return next_
        return expected if failed else (expected + next_) // 2
