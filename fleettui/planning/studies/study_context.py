"""Where a study is worked out: the store and the workers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from fleettui.domain.plan import Look
from fleettui.domain.progress import Progress
from fleettui.domain.serialization import from_plain, to_wire
from fleettui.domain.study import Study
from fleettui.planning.kept_looks import looks_of, own_looks
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.priced_study import with_prices
from fleettui.planning.rounds import Tell
from fleettui.planning.shared_runs import SharedRuns
from fleettui.planning.studies import STUDIES
from fleettui.planning.studies.begun import Begun
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
    job: str = "",
    left: Callable[[], None] | None = None,
    **values: Any,
) -> Study:
    """Return a study of this kind, worked out for `values` and kept; one that is kept already is not kept again.

    A function as `store` is called when the work needs it; closing it stays with the caller. `report` is told of
    progress; `pool` is used where given, otherwise one worker is started. The `job` with this id is done once the
    study is kept. `left` is called where the work ends before that and pieces of it are kept. Raises InputError for
    what cannot be asked.
    """
    one = STUDIES.named(kind)
    values = one.defaults | values
    async with borrowed(pool) as workers:
        desk = StudyContext(store, workers, report)
        try:
            found = await one.work(desk, **values)
        except BaseException:
            if left is not None and desk.begun is not None and desk.begun.is_left:
                left()
            raise
    if not found.question:
        plan = desk.store.row(found.plan)
        found = one.named(found, plan.handle, plan.name, values)
    assert found.kind == kind, f"a study of kind {kind} came out as {found.kind}"
    if found.id:
        return found
    kept = desk.keep(found, job)
    if desk.begun is not None:
        desk.begun.forget()
    return kept


class StudyContext:
    """What a study works with."""

    def __init__(self, store: Store | Callable[[], Store], workers: WorkerPool, report: Report | None = None) -> None:
        self._store = store
        self.workers, self.report = workers, report
        self.looks: list[Look] = []
        self.begun: Begun | None = None
        self.fleets = 0
        self._before: dict[str, tuple[Look, ...]] = {}
        self._own: dict[str, tuple[Look, ...]] = {}

    @cached_property
    def store(self) -> Store:
        """The store, opened by now."""
        return self._store() if callable(self._store) else self._store

    def apart(self) -> StudyContext:
        """Return what the study of one member of a joint plan works with, whose looks are none of the others'."""
        return StudyContext(lambda: self.store, self.workers, self.report)

    def sharing(self) -> StudyContext:
        """Return what several searches work with, of which each run of a fleet is simulated once for all."""
        return StudyContext(lambda: self.store, SharedRuns(self.workers), self.report)

    def kept(self, ref: str, most: int | None = None) -> KeptPlan:
        """Return the kept plan that `ref` names, with its first `most` candidates; raises InputError."""
        return KeptPlan.of(self.store, ref, most)

    def keep(self, study: Study, job: str = "") -> Study:
        """Keep a study, with prices and with what was simulated on its way where it is of a plan.

        The job with the id `job`, if any, is done with it.
        """
        before = self._before.get(study.plan, ())
        looks = tuple(look for look in self.looks if look not in before) if study.plan else ()
        return self.store.add_study(replace(with_prices(study, self.store), looks=looks), job=job)

    def known(self, plan: str) -> tuple[Look, ...]:
        """Return what this study and those that are kept simulated under the question of the plan with this id."""
        if plan not in self._before:
            self._before[plan] = looks_of(self.store, plan)
        return (*self._before[plan], *self.looks)

    def own(self, plan: str) -> tuple[Look, ...]:
        """Return what is kept with the plan with this id itself: as much whichever studies were made of it."""
        if plan not in self._own:
            self._own[plan] = own_looks(self.store, plan)
        return self._own[plan]

    def took(self, look: Look) -> None:
        """Count a look as this study's, whether it was simulated for it or for another of the same plan."""
        if look not in self.looks:
            self.looks.append(look)

    async def run(self, task: str, kind: type[Found], report: Report | None = None, /, **values: object) -> Found:
        """Return what a worker's task makes of `values`, a value of `kind`; progress is told."""
        return await self.workers.run(task, kind, report or self.report, **values)

    def go_on(self, asked: object) -> None:
        """Keep the pieces of this study, which is `asked`, as they are done, and take up those of one that was left."""
        self.begun = Begun(self.store.path, asked)

    async def piece(self, named: object, task: str, kind: type[Found], **values: object) -> Found:
        """Return what a task makes of `values`: a piece of the study with a name of its own, not worked out twice."""
        return await self.once(named, kind, lambda: self.run(task, kind, **values))

    async def once(self, named: object, kind: type[Found], work: Callable[[], Awaitable[Found]]) -> Found:
        """Return what `work` comes to: a piece of the study with a name of its own, not worked out twice."""
        assert self.begun is not None, "a study of pieces says what it is asked"
        plain = self.begun.find(named)
        if plain is not None:
            return from_plain(kind, plain)
        found = await work()
        self.begun.note(named, to_wire(found))
        return found

    async def each(self, work: Iterable[Coroutine[Any, Any, Found]], message: str) -> list[Found]:
        """Return what each piece of `work` comes to, in order, all side by side; how many are done is told."""
        pieces, done = list(work), 0
        self.tell(message, 0, len(pieces))

        async def told(piece: Coroutine[Any, Any, Found]) -> Found:
            nonlocal done
            found = await piece
            done += 1
            self.tell(message, done, len(pieces))
            return found

        return await together(map(told, pieces))

    def tell(self, message: str, done: int = 0, total: int = 0, fleet: int = 0) -> None:
        """Say how far the work is, or that on a fleet with a number."""
        if self.report is not None:
            self.report(Progress(message=message, done=done, total=total, fleet=fleet))

    def next_fleet(self, message: str) -> Tell:
        """Return what tells how many runs of the next fleet are done: how many fleets follow is not known."""
        self.fleets += 1
        number = self.fleets
        self.tell(message, fleet=number)
        return lambda done, total: self.tell(message, done, total, number)
