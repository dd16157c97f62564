"""Where a study is worked out: the store and the workers, and the kept plan that it is about."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar

from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Answer
from fleettui.domain.progress import Progress
from fleettui.domain.scenario import Question, Scenario
from fleettui.domain.study import Study
from fleettui.domain.workload import Workload
from fleettui.errors import InputError
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.studies import STUDIES
from fleettui.planning.worker_pool import WorkerPool, borrowed, together
from fleettui.planning.worker_process import Report

if TYPE_CHECKING:
    from store import Store

Found = TypeVar("Found")


async def make(
    kind: str,
    store: Store | Callable[[], Store],
    *,
    report: Report | None = None,
    pool: WorkerPool | None = None,
    **values: Any,
) -> Study:
    """Return a study of this kind, worked out for `values` and kept; one that is kept already is not kept again.

    A function as `store` is called when the work needs it; closing it stays with the caller. `report` is told of
    progress; `pool` is used where given, otherwise one worker is started. Raises InputError for what cannot be asked.
    """
    async with borrowed(pool) as workers:
        desk = StudyContext(store, workers, report)
        found = await STUDIES.named(kind).work(desk, **values)
    assert found.kind == kind, f"a study of kind {kind} came out as {found.kind}"
    return found if found.id else desk.store.add_study(found)


class StudyContext:
    """What a study works with."""

    def __init__(self, store: Store | Callable[[], Store], workers: WorkerPool, report: Report | None = None) -> None:
        self._store = store
        self.workers, self.report = workers, report

    @cached_property
    def store(self) -> Store:
        """The store, opened by now."""
        return self._store() if callable(self._store) else self._store

    def subject(self, ref: str, most: int | None = None) -> Subject:
        """Return the kept plan that `ref` names, with its first `most` candidates; raises InputError."""
        return Subject.of(self.store, ref, most)

    async def run(self, task: str, kind: type[Found], report: Report | None = None, /, **values: object) -> Found:
        """Return what a worker's task makes of `values`, a value of `kind`; progress is told."""
        return await self.workers.run(task, kind, report or self.report, **values)

    async def each(self, work: Iterable[Coroutine[Any, Any, Found]], message: str) -> list[Found]:
        """Return what each piece of `work` comes to, in order, all side by side; how many are done is told."""
        pieces, done = list(work), 0

        async def told(piece: Coroutine[Any, Any, Found]) -> Found:
            nonlocal done
            found = await piece
            done += 1
            self.tell(message, done, len(pieces))
            return found

        return await together(map(told, pieces))

    def tell(self, message: str, done: int = 0, total: int = 0) -> None:
        """Say how far the work is."""
        if self.report is not None:
            self.report(Progress(message=message, done=done, total=total))


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A kept plan with all that it rests on; `ref` is what it was called."""

    ref: str
    plan: Answer
    scenario: Scenario
    workload: Workload
    profiles: tuple[Profile, ...]
    finished: bool

    @classmethod
    def of(cls, store: Store, ref: str, most: int | None = None) -> Self:
        """Return the plan that `ref` names; raises InputError when there is none."""
        plan = store.plan(ref, most=most)
        scenario = store.scenario(plan.plan.id)  # not of `ref`: `last` may be another by now
        return cls(
            ref=ref,
            plan=plan,
            scenario=scenario,
            workload=store.workload(scenario.workload),
            profiles=tuple(store.profile(key) for key in scenario.profiles),
            finished=store.is_finished(plan.plan.id),
        )

    @property
    def question(self) -> Question:
        """What was asked."""
        return self.scenario.question

    @property
    def handle(self) -> str:
        """What people type to get the plan."""
        return self.plan.plan.handle

    def scene(self, task: str) -> SceneSource:
        """Return what a task is given to score fleets under the plan's question and rate."""
        return SceneSource.of(self.question, self.workload, self.plan.demand, key=f"{task} {self.plan.plan.id}")

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
