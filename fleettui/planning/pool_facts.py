"""What trials showed of pools: which sizes hold, and how far simulated latencies are from the formulas'.

A pool is the same in every fleet that has it, unless the router sends between pools. So what one fleet's trial showed
of it holds in the others too, and what it showed of the formulas' error says something of pools that are like it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from fleettui.domain.anchor import MOST_MORE, faded
from fleettui.domain.engine_settings import EngineSettings
from fleettui.domain.fleet import Fleet, Pool
from fleettui.domain.plan import PoolFigures
from fleettui.domain.replica import ReplicaKey
from fleettui.planning.trial import Trial
from fleettui.routing import pools_meet

PRIOR = 0.15
"""How far the formulas' error is taken to differ between pools that are unlike, before anything was seen: 10 %."""
ALIKE, UNLIKE = 0.1, 1.0
"""How unlike pools are at least, and at most."""
OTHER_GPU = 0.5
PER_DOUBLING = 0.5
"""How much more unlike pools are for each factor of two between their GPUs per replica, rates or work per request."""
PER_UTILIZATION = 1.0
OF_ERROR = 2 / 3
"""The part of the formulas' error, as a logarithm, that is taken to differ between pools that are unlike where few
kinds were seen: a large error is seldom the same for all."""

DOUBTS = 1.5
"""Times as much as seen that formulas may err where a fleet that would save little is still worth a trial."""
FASTEST = 2.0
"""The power of the load with which the formulas' error, as a logarithm, may fall: where few wait it ends quickly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolKind:
    """A pool whatever its size: its replicas, the lengths that it serves, and how requests are rewritten for it.

    `fleet` are the other pools where those matter, as in a closed loop or behind a router that sends between pools.
    `rate` is what it is asked for in requests/s, `work` what each takes of a replica in seconds, both by formula.
    """

    replica: ReplicaKey
    above: int
    up_to: int
    gamma: float
    settings: EngineSettings
    fleet: Hashable
    rate: float = field(compare=False)
    work: float = field(compare=False)

    @classmethod
    def of(cls, fleet: Fleet, pool: Pool, figures: PoolFigures, *, alone: bool) -> PoolKind:
        """Return the kind of a pool of `fleet`; `alone` says whether the fleet's other pools do not matter to it."""
        others = tuple((one.replica_key, one.up_to) for one in fleet.pools)
        return cls(
            replica=pool.replica_key,
            above=pool.above,
            up_to=pool.up_to,
            gamma=fleet.gamma,
            settings=pool.settings,
            fleet=None if alone and not pools_meet(fleet.router, len(fleet.pools)) else others,
            rate=figures.arrival_rate,
            work=figures.utilization * pool.replicas / figures.arrival_rate,
        )

    def distance(self, other: PoolKind) -> float:
        """Return how unlike two kinds are: 0 the same, UNLIKE and more as unlike as any."""
        if self == other:
            return 0.0
        (gpu, *_, tp, _, pp, _, _, _), (other_gpu, *_, other_tp, _, other_pp, _, _, _) = self.replica, other.replica
        pairs = ((tp, other_tp), (pp, other_pp), (self.rate, other.rate), (self.work, other.work))
        return OTHER_GPU * (gpu != other_gpu) + PER_DOUBLING * sum(abs(math.log2(one / two)) for one, two in pairs)


@dataclass(slots=True)
class PoolFacts:
    """The sizes of one kind of pool that were judged, each with the trial and the pool's place in its fleet."""

    judged: dict[int, tuple[Trial, int]] = field(default_factory=dict)

    def learn(self, size: int, trial: Trial, place: int) -> None:
        """Take in what a trial showed of the pool at a size; what did not pass once does not pass later, unless it was
        left open.

        That a pool is not proven says nothing where the fleet fails: it was not looked at for long.
        """
        verdict = trial.pools[place]
        vague = verdict is None or (verdict == "unproven" and "fail" in trial.pools)
        known = self.judged.get(size)
        if not vague and (known is None or known[0].open or _passes(*known)):
            self.judged[size] = (trial, place)

    @property
    def failed(self) -> int:
        """The largest size that is known to be too small, 0 where none is."""
        return max((size for size, found in self.judged.items() if not _passes(*found)), default=0)

    @property
    def passed(self) -> int | None:
        """The smallest size above those that passed."""
        failed = self.failed
        return min((size for size, found in self.judged.items() if size > failed and _passes(*found)), default=None)


def _passes(trial: Trial, place: int) -> bool:
    return trial.pools[place] == "pass"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A pool that was simulated: by limit the simulated latency over the formula's, None where either is missing."""

    kind: PoolKind
    utilization: float
    ratios: tuple[float | None, ...]


@dataclass(slots=True)
class Known:
    """All that the trials of a plan showed.

    `errors` are by limit those of its predictions, each over the root of how unlike the nearest pool seen was: errors
    grow more slowly than that, and some are large of pools that are much alike, where latencies leap. `far` are the
    distances of kinds from those `seen`, each by its kind's identity.
    """

    facts: dict[PoolKind, PoolFacts] = field(default_factory=dict)
    seen: list[Seen] = field(default_factory=list)
    errors: dict[int, list[float]] = field(default_factory=dict)
    far: dict[int, tuple[PoolKind, list[float]]] = field(default_factory=dict)

    def of(self, kind: PoolKind) -> PoolFacts:
        """Return what is known of a kind of pool, to be added to."""
        return self.facts.setdefault(kind, PoolFacts())

    def learn(self, found: Sequence[Seen]) -> None:
        """Take in what a trial showed of its pools, and how far off the predictions were."""
        for one in found:
            for limit, ratio in enumerate(one.ratios):
                near = self._nearest(one.kind, one.utilization, limit)
                if ratio is not None and near is not None:
                    self.errors.setdefault(limit, []).append(abs(math.log(ratio / near[1])) / math.sqrt(near[0]))
        self.seen += found

    def spread(self, limit: int, distance: float) -> float:
        """Return how far the formulas' error differs between pools that are so unlike: the mean of what was seen."""
        squares = [(PRIOR * distance) ** 2, *(distance * error**2 for error in self.errors.get(limit, ()))]
        return math.sqrt(math.fsum(squares) / len(squares))

    def ratio(self, kind: PoolKind, utilization: float, limit: int, *, few: bool = False) -> tuple[float, float]:
        """Return how long a latency is over the formula's, by the pool most like this one, and how far that may err.

        Nothing seen, it is as the formula has it. Of `few` kinds that were seen the spread says little: then the error
        differs between pools that are unlike as before anything was, or by OF_ERROR of it where that is more. At DOUBTS
        times how far it may err the error has also fallen as fast with the load as it may.
        """
        near = self._nearest(kind, utilization, limit)
        if near is None:
            return 1.0, PRIOR
        distance, ratio, lowest = near
        least = max(PRIOR, OF_ERROR * abs(math.log(ratio))) * distance if few else 0.0
        return ratio, max(least, self.spread(limit, distance)) + math.log(ratio / lowest) / DOUBTS

    def _nearest(self, kind: PoolKind, utilization: float, limit: int) -> tuple[float, float, float] | None:
        """Return how unlike the nearest pool seen is, from ALIKE to UNLIKE, its ratio at this load, and its lowest one.

        That is where its error falls FASTEST with the load, and does not grow with it.
        """
        found = [
            (distance + PER_UTILIZATION * abs(one.utilization - utilization), place, ratio)
            for place, (one, distance) in enumerate(zip(self.seen, self._distances(kind), strict=True))
            if (ratio := one.ratios[limit]) is not None
        ]
        if not found:
            return None
        distance, place, ratio = min(found)
        load = min(utilization / self.seen[place].utilization, MOST_MORE)
        corrected = faded(ratio, load)
        return min(max(distance, ALIKE), UNLIKE), corrected, min(corrected, ratio ** (min(load, 1.0) ** FASTEST))

    def _distances(self, kind: PoolKind) -> list[float]:
        """Return how unlike a kind each pool seen is: asked for so often that it is worked out once."""
        _, found = self.far.setdefault(id(kind), (kind, []))
        found += [kind.distance(one.kind) for one in self.seen[len(found) :]]
        return found
