"""From the formula's fleets to the smallest that holds in simulation: which sizes to try next, and when to stop.

Pools do not meet behind the router, so each pool's size is searched by itself: downwards from a size that passes,
upwards from one that fails, in steps that double until the two meet. A size beyond the utilization limit is out
without a trial, since utilization is offered work over capacity.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from fleettui.domain.plan import Candidate, Evidence, Verdict
from fleettui.domain.scenario import DerivedDemand, Objective

MOST_TRIED = 12
"""Fleets that a plan simulates at most."""
NEAR = 1.2
"""By what factor one pool may be worse by formula and still be tried in place of several."""
TIE = 1e-9  # weight of cost where GPUs decide

Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A fleet that was simulated, its evidence in the candidate, and what is known of each pool (None: nothing).

    `utilization` is each pool's by the formula. `demand` is what the fleet was asked for, where that is its own: each
    drives a closed loop at another rate. `reasons` and `warnings` are what a reader should know of the fleet.
    """

    candidate: Candidate
    pools: tuple[Verdict | None, ...]
    utilization: tuple[float, ...]
    demand: DerivedDemand | None = None
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def passes(self) -> bool:
        """Whether every pool does."""
        return all(one == "pass" for one in self.pools)

    @property
    def evidence(self) -> Evidence:
        """What the simulation showed."""
        assert self.candidate.evidence is not None, "a trial has evidence"
        return self.candidate.evidence

    @property
    def verdict(self) -> Verdict:
        """Return what the fleet comes to: its evidence's verdict, unless its load or a constraint rules it out."""
        return "fail" if "fail" in self.pools or self.candidate.shortfalls else self.evidence.verdict

    @property
    def good(self) -> bool:
        """Whether it passes and breaks no constraint: its `shortfalls` are empty."""
        return self.passes and not self.candidate.shortfalls


Try = Callable[[Candidate, Sizes], Awaitable[Trial]]
"""Simulates a candidate's fleet at other sizes."""
Worth = Callable[[Candidate], float]
"""What the answer should have least of."""


def cost(candidate: Candidate) -> float:
    """Return US dollars per hour."""
    return candidate.cost_per_hour


def worth_of(objective: Objective) -> Worth:
    """Return what fleets are compared by once they are simulated, cost deciding between equals."""
    figures: dict[Objective, Worth] = {"gpus": _gpus, "power": lambda candidate: candidate.power, "ttft": _nothing}
    return figures.get(objective, cost)


def best_first(shapes: Sequence[Candidate], objective: Objective) -> list[Candidate]:
    """Return the formula's fleets, which come cheapest first, in the order of an objective; equals keep theirs."""
    if objective == "cost":
        return list(shapes)
    worth = _slowest if objective == "ttft" else worth_of(objective)
    return sorted(shapes, key=lambda shape: round(worth(shape), 9))


def _gpus(candidate: Candidate) -> float:
    return candidate.gpus + TIE * candidate.cost_per_hour


def _slowest(candidate: Candidate) -> float:
    return max(pool.ttft for pool in candidate.pools)


def _nothing(_: Candidate) -> float:
    """Hold all fleets equal: walked down to the smallest that holds, each is as slow as its limit allows.

    So the first that holds is the answer, which by `best_first` is the fastest by formula.
    """
    return 0.0


@dataclass(slots=True)
class Walk:
    """The search among one shape of fleet: its pools, whatever their sizes.

    `least` are the sizes that the utilization limit allows (all, where it is infinite), `failed` the largest that are
    known to be too small, `passed` the smallest above those that pass. `start` are the sizes to begin with.
    """

    shape: Candidate
    least: Sizes
    failed: list[int]
    passed: list[int | None]
    start: Sizes
    trials: dict[Sizes, Trial] = field(default_factory=dict)

    @classmethod
    def of(cls, shape: Candidate, max_utilization: float, start: Sizes | None = None) -> Walk:
        """Start from the formula's sizes, unless others are given."""
        pairs = zip(shape.fleet.pools, shape.pools, strict=True)
        least = tuple(
            max(1, math.ceil(figures.utilization * pool.replicas / max_utilization - 1e-9)) for pool, figures in pairs
        )
        own = start or tuple(pool.replicas for pool in shape.fleet.pools)
        return cls(shape, least, [size - 1 for size in least], [None] * len(least), own)

    @property
    def sizes(self) -> Sizes:
        """The sizes to try next."""
        return tuple(map(self._next, range(len(self.least))))

    @property
    def settled(self) -> Trial | None:
        """The fleet of the smallest sizes that pass, once one fewer of any pool is known to be too small."""
        sizes = tuple(size for size in self.passed if size is not None)
        minimal = all(size is not None and size - 1 <= low for size, low in zip(self.passed, self.failed, strict=True))
        found = self.trials.get(sizes)
        return found if minimal and found is not None and found.passes else None

    @property
    def stuck(self) -> bool:
        """Whether the next sizes have been tried already: then there is nothing left to learn."""
        return self.sizes in self.trials

    def learn(self, trial: Trial) -> None:
        """Take in what a trial showed of each pool."""
        sizes = tuple(pool.replicas for pool in trial.candidate.fleet.pools)
        self.trials[sizes] = trial
        for place, (size, verdict) in enumerate(zip(sizes, trial.pools, strict=True)):
            best = self.passed[place]
            if verdict == "pass":
                self.passed[place] = size if best is None else min(size, best)
            elif verdict is not None:
                self.failed[place] = max(size, self.failed[place])
                if best is not None and best <= size:  # it passed by few runs, or beside pools of other sizes
                    self.passed[place] = self._least_passed(place)

    def _least_passed(self, place: int) -> int | None:
        """Return the smallest size of a pool above the failed ones that passed in some trial."""
        passed = (sizes[place] for sizes, trial in self.trials.items() if trial.pools[place] == "pass")
        return min((size for size in passed if size > self.failed[place]), default=None)

    def with_fewer(self, place: int, size: int) -> Trial | None:
        """Return the trial in which one replica fewer than `size` in a pool did not pass, None where none was made."""
        own = (trial for sizes, trial in self.trials.items() if sizes[place] == size - 1)
        return next((trial for trial in own if trial.pools[place] in ("fail", "unproven")), None)

    def _next(self, place: int) -> int:
        failed, best, least = self.failed[place], self.passed[place], self.least[place]
        start = max(self.start[place], least)
        if best is None:
            return start if failed < start else failed + max(1, 2 * (failed - start))
        if best - 1 <= failed:
            return best
        if failed < least:
            return max(least, best - max(1, 2 * (start - best)))
        return (failed + best) // 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """Where the search ended: all walks in order, and how many fleets were simulated."""

    walks: tuple[Walk, ...]
    tried: int
    worth: Worth = cost

    @property
    def answer(self) -> Trial | None:
        """The best fleet that passes and keeps every constraint, None where there is none."""
        passing = [trial for walk in self.walks for trial in walk.trials.values() if trial.good]
        return min(passing, key=lambda trial: self.worth(trial.candidate), default=None)

    @property
    def walk(self) -> Walk | None:
        """The walk that came to the answer."""
        return next((walk for walk in self.walks if self.answer in walk.trials.values()), None)

    @property
    def nearest(self) -> Trial:
        """The fleet of the cheapest shape that was tried last: nothing came nearer to passing."""
        return list(self.walks[0].trials.values())[-1]


async def settle(shapes: Sequence[Candidate], attempt: Try, *, max_utilization: float, worth: Worth = cost) -> Settled:
    """Return the fleet of least `worth` that passes; at most MOST_TRIED are simulated.

    `shapes` are the formula's fleets, best first. The first is walked up and down until it is settled. A further
    one is tried at the formula's sizes while it is better than the best so far, and walked down where it passes: the
    formula's list holds its larger neighbours too. Where that comes to several pools, one pool that is little worse by
    formula is tried at a size that would be better: formulas may call its longest steps longer than they are. A fleet
    that breaks a constraint (its `shortfalls`) is no answer.
    """
    walks: list[Walk] = []
    found = Settled(walks=(), tried=0, worth=worth)
    for shape in distinct(shapes):
        ceiling = math.inf if found.answer is None else worth(found.answer.candidate)
        if found.tried >= MOST_TRIED or worth(shape) >= ceiling * (1 - 1e-9):
            break
        walk = Walk.of(shape, max_utilization)
        tried = await _walk(walk, attempt, most=MOST_TRIED - found.tried, upwards=not walks)
        walks.append(walk)
        found = Settled(walks=tuple(walks), tried=found.tried + tried, worth=worth)
    simpler = _simpler(shapes, found, max_utilization)
    if simpler is not None:
        tried = await _walk(simpler, attempt, most=MOST_TRIED - found.tried, upwards=False)
        found = Settled(walks=(*walks, simpler), tried=found.tried + tried, worth=worth)
    return found


def _simpler(shapes: Sequence[Candidate], found: Settled, max_utilization: float) -> Walk | None:
    """Return a walk of one pool from the largest size that would be better than an answer of several pools.

    None where no shape of one pool is NEAR enough by formula, or is left to be walked, or may be so small.
    """
    if found.answer is None or len(found.answer.candidate.fleet.pools) == 1 or found.tried >= MOST_TRIED:
        return None
    walked = [walk.shape for walk in found.walks]
    single = next((one for one in shapes if len(one.fleet.pools) == 1 and one not in walked), None)
    ceiling = found.worth(found.answer.candidate)
    if single is None or not 0.0 < found.worth(single) <= NEAR * ceiling:
        return None
    replicas = single.fleet.pools[0].replicas
    size = math.ceil(ceiling * (1 - 1e-9) / (found.worth(single) / replicas)) - 1
    walk = Walk.of(single, max_utilization, (size,))
    return walk if walk.least[0] <= size else None


async def _walk(walk: Walk, attempt: Try, *, most: int, upwards: bool) -> int:
    """Try sizes until the walk is settled, or unless `upwards` the first do not pass; return how many were tried."""
    for tried in range(most):
        if walk.settled is not None or walk.stuck or (tried and not upwards and None in walk.passed):
            return tried
        walk.learn(await attempt(walk.shape, walk.sizes))
    return most


def distinct(shapes: Sequence[Candidate]) -> list[Candidate]:
    """Return the first shape of each hardware and sizes: fleets that differ only in where the pools divide are one."""
    found: dict[tuple[tuple[str, int, int], ...], Candidate] = {}
    for shape in shapes:
        found.setdefault(tuple((pool.gpu, pool.tp, pool.replicas) for pool in shape.fleet.pools), shape)
    return list(found.values())
