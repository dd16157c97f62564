"""A plan that is worked out and not kept yet: what a worker hands over, and the store writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from fleettui.domain.digest import digest
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import ENGINE_VERSION, Answer
from fleettui.domain.provenance import Provenance
from fleettui.domain.scenario import Question, Scenario
from fleettui.domain.workload import Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPlan:
    """An answer with all that it rests on: the inputs themselves, and the scenario that names them by their digests."""

    answer: Answer
    scenario: Scenario
    provenance: Provenance
    workload: Workload
    profiles: tuple[Profile, ...]

    @classmethod
    def of(
        cls,
        question: Question,
        answer: Answer,
        *,
        workload: Workload,
        profiles: tuple[Profile, ...],
        provenance: Provenance,
    ) -> Self:
        """Return the plan that this engine's `answer` to `question` makes."""
        scenario = Scenario(
            question=question,
            workload=digest(workload),
            profiles=tuple(digest(profile) for profile in profiles),
            rate=answer.demand.rate,
            engine_version=ENGINE_VERSION,
        )
        return cls(answer=answer, scenario=scenario, provenance=provenance, workload=workload, profiles=profiles)
