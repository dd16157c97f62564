"""A kept plan with all that it rests on, as the store holds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question, Scenario
from fleettui.domain.workload import Workload
from fleettui.errors import InputError
from fleettui.planning.prepared_fleet import SceneSource

if TYPE_CHECKING:
    from store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPlan:
    """A kept plan with all that it rests on; `ref` is what it was called."""

    ref: str
    answer: Answer
    scenario: Scenario
    workload: Workload
    profiles: tuple[Profile, ...]
    finished: bool

    @classmethod
    def of(cls, store: Store, ref: str, most: int | None = None) -> Self:
        """Return the plan that `ref` names, with its first `most` candidates; raises InputError when there is none."""
        answer = store.plan(ref, most=most)
        scenario = store.scenario(answer.plan.id)  # not of `ref`: `last` may be another by now
        return cls(
            ref=ref,
            answer=answer,
            scenario=scenario,
            workload=store.workload(scenario.workload),
            profiles=_profiles(store, scenario),
            finished=store.is_finished(answer.plan.id),
        )

    @property
    def question(self) -> Question:
        """What was asked."""
        return self.scenario.question

    @property
    def id(self) -> str:
        """What it is called in the store."""
        return self.answer.plan.id

    @property
    def handle(self) -> str:
        """What people type to get the plan."""
        return self.answer.plan.handle

    def source(self, key: str, profiles: tuple[Profile, ...] = ()) -> SceneSource:
        """Return what a task is given to score fleets under the plan's question, at its rate, on these `profiles`."""
        return SceneSource.of(self.question, self.workload, self.answer.demand, key, profiles)

    def check_no_paper(self, what: str) -> None:
        """Raise InputError with `what` it lacks for a plan of the papers' preset."""
        if self.question.preset == "paper":
            raise InputError(
                f"a plan with the papers' constants {what}", value=self.ref, accepted="a plan of preset recommended"
            )

    def check_finished(self) -> None:
        """Raise InputError for a plan that is still being proven."""
        if not self.finished:
            raise InputError(
                "it is not finished, so its answer may still change",
                where=f"plan {self.handle}",
                remedy="fleettui jobs resume last goes on with it",
            )


def hardware_of(store: Store, ref: str) -> tuple[Profile, ...]:
    """Return the profiles that the plan called `ref` rests on; raises InputError when there is none."""
    return _profiles(store, store.scenario(ref))


def _profiles(store: Store, scenario: Scenario) -> tuple[Profile, ...]:
    return tuple(store.profile(key) for key in scenario.profiles)
