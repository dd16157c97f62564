"""The scene of a simulation: a question, its workload with one pairing of lengths, and the rate that it came to.

Every task of a verification gets the scene whole, so that any worker can take any of them; the last few are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from fleettui.domain.demand import DerivedDemand
from fleettui.domain.fleet import Fleet, FleetSketch, Pool, PoolSketch
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import decode
from fleettui.domain.size_curve import SizeCurve
from fleettui.domain.workload import Workload
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.optimize import fit_words
from fleettui.optimize.given_fleet import ScoredFleet, score
from fleettui.optimize.resize import resize
from fleettui.optimize.size_curves import size_curves
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.tasks.asked_profile import asked_profile
from fleettui.planning.tasks.demand import rate_of_fleet
from fleettui.planning.tasks.recorded_arrivals import with_record
from fleettui.planning.tasks.task_cache import Recent
from fleettui.planning.tasks.workload_slices import Case, cases_of, context_of, longest_allowed, within
from fleettui.workloads.arrivals import asked

KEPT = 8
"""Scenes that a worker remembers: a joint plan goes back and forth between those of a few workloads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What fleets are scored and simulated under; hardware that is not among `profiles` is the catalogue's."""

    question: Question
    case: Case
    rate: float
    context: int
    profiles: tuple[Profile, ...] = ()

    def profile_of(self, pool: Pool | PoolSketch) -> Profile:
        """Return the hardware of a pool: as it was kept, or else the catalogue's at the question's prices."""
        kept = (one for one in self.profiles if one.replica_key == pool.replica_key)
        return next(kept, None) or profile_of(pool, self.question)

    def stage(self, sketch: FleetSketch) -> tuple[ScoredFleet, tuple[Profile, ...]]:
        """Return the formulas' view of a fleet, its traffic, and its pools' hardware; raises InputError."""
        profiles = tuple(self.profile_of(pool) for pool in sketch.pools)
        return score(self.question, sketch, profiles, self.case.at(self.rate), self.context), profiles

    def resize(
        self, fleet: Fleet, replicas: Sequence[int], *, ranged: bool = True
    ) -> tuple[ScoredFleet, tuple[Profile, ...]]:
        """Return the same of a fleet that was staged before, at other sizes; its range of GPUs only where `ranged`."""
        profiles = tuple(self.profile_of(pool) for pool in fleet.pools)
        found = resize(
            fleet,
            replicas,
            question=self.question,
            profiles=profiles,
            slices=self.case.at(self.rate),
            context=self.context,
            ranged=ranged,
        )
        return found, profiles

    def curves(self, fleets: Sequence[Fleet], *, late: bool = True) -> list[tuple[SizeCurve, ...]]:
        """Return what the formulas say of each pool of `fleets`, which a search found, at other sizes.

        Unless how `late` they are is asked, too, that is what they take and draw.
        """
        kinds = {pool.replica_key: self.profile_of(pool) for fleet in fleets for pool in fleet.pools}
        return size_curves(
            fleets,
            question=self.question,
            slices=self.case.at(self.rate),
            profiles=[kinds[key] for key in sorted(kinds)],
            context=self.context,
            late=late,
        )

    def with_warnings(self, answer: Answer) -> Answer:
        """Return an answer that tells what slice of a day sizes its pools, and what its own fit has not seen."""
        best, slices = answer.answer, self.case.at(answer.demand.rate)
        changes = asked(self.question.arrivals).file is not None and len(slices) > 1
        if best is None or not (changes or self.question.fit):
            return answer
        sizes = [pool.replicas for pool in best.fleet.pools]
        scored = replace(self, rate=answer.demand.rate).resize(best.fleet, sizes, ranged=False)[0]
        sized = [
            f"pool {pool.name} is sized by {self.case.slices[place].called}, {slices[place][0]:.4g}/s"
            for pool, place in zip(best.fleet.pools, scored.governing, strict=True)
            if changes
        ]
        unseen = () if self.question.fit is None else fit_words.beyond(best, self.question, scored.traffic)
        return replace(answer, warnings=(*answer.warnings, *sized, *unseen))

    def driven(self, fleet: Fleet, replicas: Sequence[int]) -> tuple[Scene, DerivedDemand]:
        """Return the scene at the rate at which a closed loop's clients drive a fleet of these sizes, and why."""

        def at(rate: float) -> Candidate:
            return replace(self, rate=rate).resize(fleet, replicas, ranged=False)[0].candidate

        demand = rate_of_fleet(self.question.demand, self.case, at)
        return replace(self, rate=demand.rate), demand


_recent = Recent[Scene](KEPT)


def scene_of(source: SceneSource) -> Scene:
    """Return the scene of a task, whose texts are read where it is new here."""

    def make() -> Scene:
        profiles, workload = _profiles(source.profiles), _workload(source.workload)
        question = with_record(source.question, workload)
        cases, context = read(question, workload, profiles)
        case = next((one for one in cases if one.pairing == source.pairing), cases[0])
        return Scene(question=question, case=case, rate=source.rate, context=context, profiles=profiles)

    return _recent.get(source.key, make)


@lru_cache(KEPT)
def _profiles(text: str) -> tuple[Profile, ...]:
    return decode(tuple[Profile, ...], text)


@lru_cache(KEPT)
def _workload(text: str) -> Workload:
    return decode(Workload, text)


def read(question: Question, workload: Workload, profiles: Sequence[Profile] = ()) -> tuple[tuple[Case, ...], int]:
    """Return every pairing of a workload within the longest request served, and that, in tokens.

    What context the model was made for is that of the kept `profiles` where there are any.
    """
    longest = longest_allowed(question, profiles[0] if profiles else catalog.model(question.model))
    cases = tuple(within(case, longest, question) for case in cases_of(workload))
    return cases, context_of(question, workload, cases, longest)


def profile_of(pool: Pool | PoolSketch, question: Question) -> Profile:
    """Return the hardware of a pool at the question's prices; raises UnknownNameError and DoesNotFit."""
    return asked_profile(
        question,
        catalog.gpu(pool.gpu),
        catalog.model(pool.model),
        dtype=pool.dtype,
        tp=pool.tp,
        sequences=pool.max_num_seqs or question.max_num_seqs,
        kv_dtype=pool.kv_dtype,
        expert_parallel=pool.expert_parallel,
        pp=pool.pp,
        attention_dp=pool.attention_dp,
        layout=pool.layout,
        speculative=pool.speculative,
    )


def model_of(pools: Sequence[PoolSketch]) -> str:
    """Return the model that all pools serve; raises InputError when they differ."""
    models = {pool.model for pool in pools}
    if len(models) > 1:
        raise InputError(
            "the pools serve different models",
            where="pools",
            value=", ".join(sorted(models)),
            accepted="one model in all pools",
        )
    return models.pop()
