"""What every reason is worked out from: the kept plan, its question, and two ways to ask the formulas again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from fleettui.domain.fleet import Fleet, Pool
from fleettui.domain.fleet_words import fleet_words
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Answer, Candidate, Evidence, Verdict
from fleettui.domain.remedy import keeps_constraints
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.optimize.given_fleet import ScoredFleet
from fleettui.optimize.pool_load import ROW
from fleettui.optimize.pool_parts import among, longest_of
from fleettui.optimize.ranges import Demanded, Ranges, classes_of, steps_of
from fleettui.optimize.reasons.refuted import refuted_pools
from fleettui.optimize.terms import Terms
from fleettui.queueing.latency import PoolLoad
from fleettui.queueing.service import Service, Steps
from fleettui.routing import ROUTERS

Find = Callable[[Question], Answer]
"""Plans by formula for a question about the same workload; raises InputError where no hardware can serve it."""
Fix = Callable[[Fleet, Sequence[int]], ScoredFleet]
"""Scores a fleet at other replicas, at the kept plan's rate."""
Drop = Callable[[Question], float]
"""The share of the requests that a question leaves out, as longer than its context."""
PROOFS: dict[Verdict, str] = {
    "pass": "and holds as simulated",
    "fail": "but fails as simulated",
    "unproven": "but is not proven to hold",
    "infeasible": "but does not hold",
}
"""What a simulation said of a fleet that costs less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """`question` is the kept plan's, `kept` what it came to, `profiles` the hardware that was searched.

    `alone` finds the best fleet of a question without alternatives, sooner; `find` does it where there is none. Both
    are corrected by what simulations showed of replicas. The `hopeful` ground has what may hold, too: formulas err
    there as little on replicas that were not seen as on any that were. None where nothing was.
    `proofs` are the fleets that were simulated under the question, at the plan's rate, with their evidence. Where the
    question wishes how sure a fleet is, `sized` returns shapes of fleets at the sizes that are, best first. `finer`
    returns those that hold by formula and divide near some of two pools; None where the question says where they do.
    """

    question: Question
    kept: Answer
    profiles: tuple[Profile, ...]
    find: Find
    fix: Fix
    drop: Drop
    proofs: Mapping[Fleet, Candidate] = field(default_factory=dict)
    alone: Find | None = None
    hopeful: Ground | None = None
    sized: Callable[[], Sequence[Candidate]] | None = None
    finer: Callable[[Sequence[Candidate]], Sequence[Candidate]] | None = None

    @property
    def terms(self) -> Terms:
        """What every pool is held to."""
        return Terms.of(self.question)

    @property
    def prices(self) -> dict[str, float]:
        """US dollars per GPU and hour, by GPU type."""
        return {profile.gpu: profile.price_per_hour for profile in self.profiles}

    def seen(self, fleet: Fleet) -> Evidence | None:
        """Return what a simulation of the plan or of its studies saw of a fleet, None where none looked at it."""
        proof = self.proofs.get(fleet)
        return None if proof is None else proof.simulation

    def verdict(self, fleet: Fleet) -> Verdict | None:
        """Return the verdict on a fleet that was simulated, or whose load alone condemns it; None of any other."""
        proof = self.proofs.get(fleet)
        return None if proof is None or proof.evidence is None else proof.evidence.verdict

    @property
    def passed(self) -> list[Candidate]:
        """The fleets that passed as simulated, of whatever size."""
        return [one for one in self.proofs.values() if one.simulation is not None and one.simulation.verdict == "pass"]

    def refuted(self, one: Candidate, question: Question) -> Collection[int]:
        """Return the places of a fleet's pools that break a latency limit of a question, as simulations showed."""
        return refuted_pools(one, question, self.proofs.values(), self.question)

    def ranked(self, question: Question) -> list[Candidate]:
        """Return the fleets that hold by formula for a question, best first."""
        try:
            return [one for one in self.find(question).candidates if not one.shortfalls]
        except InputError:
            return []

    def best(self, question: Question) -> Candidate | None:
        """Return the formula's fleet for a question, None where there is none or no hardware serves it."""
        try:
            return (self.alone or self.find)(question).answer
        except InputError:
            return None

    def unrefuted(self, question: Question) -> Candidate | None:
        """Return the formula's best fleet for a question, None where there is none that no simulation refuted.

        Refuted ones count at the least sizes that are not.
        """
        best = self.best(question)
        if best is None or not self.refuted(best, question):
            return best
        larger = filter(None, (self.held_up(one, question) for one in self.ranked(question)))
        return min(larger, key=lambda one: one.cost_per_hour, default=None)

    def held_up(self, one: Candidate, question: Question) -> Candidate | None:
        """Return a fleet with as many replicas more as no simulation refuted, None where a constraint forbids these."""
        while places := self.refuted(one, question):
            counts = [size + (place in places) for place, size in enumerate(sizes(one))]
            one = self.fix(one.fleet, counts).candidate
        return one if keeps_constraints(one, question) else None

    def standing(self, candidate: Candidate) -> ScoredFleet:
        """Return a fleet as it stands, with the traffic that asks most of each pool."""
        return self.fix(candidate.fleet, sizes(candidate))

    def load(self, fixed: ScoredFleet, place: int, replicas: float | None = None) -> PoolLoad:
        """Return the load of one pool of a scored fleet, in one row, at its own or any other number of replicas."""
        pool, before = fixed.candidate.fleet.pools[place], fixed.traffic.before_classes
        traffic = (fixed.traffic.pools if before is None else before.everything)[place]
        ranges, row = Ranges.of((), max(longest_of(traffic.atoms), pool.up_to)), ROW
        if before is not None:
            ranges, row = among(traffic.atoms, pool.above, pool.up_to)
        demanded = Demanded.of(
            traffic.arrival_rate,
            traffic.atoms,
            ranges,
            chunk=pool.token_budget,
            prefix_hit=self.question.prefix_hit,
            one_queue=ROUTERS.named(fixed.candidate.fleet.router).one_queue,
            classes=classes_of(self.question),
            by_class=before is not None,
            drafting=pool.drafting,
        )
        engine = Service.of_pool(pool, (1,), self._steps(pool))
        return demanded.load(engine, row, np.array([float(pool.replicas if replicas is None else replicas)]))

    def _steps(self, pool: Pool) -> Steps | None:
        """Return the steps of a pool's hardware where they are no line."""
        alike = (one for one in self.profiles if one.replica_key == pool.replica_key)
        return next((steps_of(one, pool.profile) for one in alike), None)


def sizes(candidate: Candidate) -> tuple[int, ...]:
    """Return the replicas of each pool."""
    return tuple(pool.replicas for pool in candidate.fleet.pools)


def resized(candidate: Candidate, place: int, step: int) -> tuple[int, ...]:
    """Return the replicas with `step` more in one pool."""
    return tuple(size + step * (at == place) for at, size in enumerate(sizes(candidate)))


def hardware(candidate: Candidate) -> tuple[tuple[str, str, str, int], ...]:
    """Return what a fleet is made of: GPU, number format, division and replicas per pool."""
    return tuple((pool.gpu, pool.dtype, pool.division, pool.replicas) for pool in candidate.fleet.pools)


def words(candidate: Candidate) -> str:
    """Return a fleet in a few words, as everywhere: H100 tp4 x3 + A100 tp8 x2."""
    return fleet_words(candidate.fleet)
