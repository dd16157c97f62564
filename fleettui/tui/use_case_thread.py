"""The thread in which use cases run: its own event loop, its workers and the open store, so that no key ever waits."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from fleettui.domain.progress import STARTING, Interval, Progress
from fleettui.errors import FleettuiError, Interrupted, WorkerError
from fleettui.tui.turns import keys_go_on

if TYPE_CHECKING:
    from fleettui.domain.job import Job
    from fleettui.domain.plan import Answer
    from fleettui.planning.cluster.address import Cluster
    from fleettui.planning.worker_pool import WorkerPool
    from store import Store

Result = TypeVar("Result")
Leave: TypeAlias = "Callable[[Store], Job]"
State = Literal["running", "done", "failed", "cancelled"]
LOG_LINES = 500
LEAST = 0.5
"""Seconds from which on a pace is known."""
FOLLOW = "follow"
"""The kind of a task that looks at what another process does."""
STUDY = "study"
"""The kind of a task that comes to no plan: what it finds is for whoever waits for it."""
BEGUN = Progress(message=STARTING)


@dataclass(slots=True)
class Task:
    """One piece of work as the screen sees it; its thread writes to it, the screen `shown`, `told` and notes.

    `job` and `plan` (an id) are known from the moment in which the store has them; `log` holds (seconds since the
    start, words); `error` is what ended a task that failed. `shown` and `told` are the screen's own: it has shown the
    plan, and told the end. `parts` counts what was simulated so far, one fleet after the other; `whole` says whether
    the progress may be that of all the work, since it never began anew. `narrowing` is what each round of runs of the
    present fleet has shown; `begun_at` is when that fleet was begun, `begun_with` the runs that there were of it, and
    `lasted` for how long those before it were simulated, in seconds. `leave` makes a job of work that has none, for
    whoever goes on with it when the app is left; None where nobody can.
    """

    title: str
    kind: str
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None
    state: State = "running"
    job: Job | None = None
    plan: str = ""
    progress: Progress = BEGUN
    log: list[tuple[float, str]] = field(default_factory=list)
    answer: Answer | None = None
    error: Exception | None = None
    future: Future[None] | None = None
    shown: bool = False
    told: bool = False
    stopping: bool = False
    parts: int = 0
    whole: bool = True
    narrowing: tuple[tuple[Interval, ...], ...] = ()
    begun_at: float = 0.0
    begun_with: int = 0
    lasted: tuple[float, ...] = ()
    share_before: float = 0.0
    leave: Leave | None = None

    @property
    def alive(self) -> bool:
        """Whether it is still at work."""
        return self.state == "running"

    @property
    def ours(self) -> bool:
        """Whether this program does it, and does not just look at what another one does."""
        return self.kind != FOLLOW

    @property
    def goes_on(self) -> bool:
        """Whether another process goes on with it when the app is left."""
        return self.job is not None or self.leave is not None

    def stop_asked(self) -> None:
        """Take note that somebody asked it to stop."""
        self.stopping = True
        self.note("asked to stop")

    def seconds(self) -> float:
        """Return how long it has been at work."""
        return (self.ended or time.monotonic()) - self.started

    def report(self, progress: Progress) -> None:
        """Take note of how far it is; a new message is a line of the log. After news the plan is to be shown again."""
        if progress.news:
            self.note(progress.news)
            self.shown = False
            return
        if progress.message == (before := self.progress).message and not progress.fleet:
            progress = replace(progress, fleet=before.fleet, fleets=before.fleets)
        self.progress = progress
        if progress.message != before.message:
            self.note(progress.message)
        if progress.total and (progress.message != before.message or not self.parts):
            self.parts += 1
            self.lasted += (self.seconds() - self.begun_at,) if self.begun_at else ()
            self.begun_at, self.begun_with, self.narrowing = self.seconds(), progress.done, ()
        if progress.intervals:
            self.narrowing += (progress.intervals,)
        if before.total and (progress.total != before.total or progress.done < before.done):
            self.whole = False

    @property
    def share(self) -> float | None:
        """How far all of the work is as far as is known; it never falls. None where how much comes is not known."""
        progress = self.progress
        if not progress.total:
            return None
        part = min(progress.done / progress.total, 1.0)
        if progress.fleets:
            part = (progress.fleet - 1 + part) / progress.fleets
        elif progress.fleet or not self.whole:
            return None
        self.share_before = max(self.share_before, part)
        return self.share_before

    def left(self) -> tuple[float, float | None] | None:
        """Return for how many seconds it goes on at least, and at most where that is known.

        At least is the end of the present fleet at its own pace; at most are the fleets that may follow, each as long
        as those before were in the mean. None before there is a pace.
        """
        progress, here = self.progress, self.seconds() - self.begun_at
        came = progress.done - self.begun_with
        if not self.alive or not self.begun_at or came <= 0 or here < LEAST:
            return None
        least = here / came * max(progress.total - progress.done, 0)
        if not progress.fleet:
            return least, least
        each = sum((*self.lasted, here + least)) / (len(self.lasted) + 1)
        return least, least + each * (progress.fleets - progress.fleet) if progress.fleets else None

    def begun(self, answer: Answer, job: Job) -> None:
        """Take note of the plan and the job, which the store has from now on."""
        self.job, self.plan = job, answer.plan.id
        self.note(f"plan {answer.plan.handle} is kept; job {job.handle} proves it")

    def note(self, words: str) -> None:
        """Add a line to the log, the oldest falling out."""
        self.log.append((self.seconds(), words))
        del self.log[:-LOG_LINES]


def first_line(error: Exception) -> str:
    """Return what an error says first; its type where it says nothing."""
    return next(iter(str(error).splitlines()), type(error).__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What a use case works with."""

    store: Store
    pool: WorkerPool
    task: Task

    @property
    def given(self) -> dict[str, Any]:
        """What every use case that keeps a plan takes by name."""
        return {"store": self.store, "pool": self.pool, "report": self.task.report, "begun": self.task.begun}


class UseCaseThread:
    """Opens the store and runs work in a thread of its own; `close` ends the work, and every job stays resumable.

    With `ahead` one of this machine's workers loads what a plan takes before anybody asks for one.
    """

    def __init__(
        self,
        database: Path | None,
        workers: int,
        cluster: Cluster | None = None,
        also: Path | None = None,
        *,
        ahead: bool = False,
    ) -> None:
        self._database, self._workers, self._cluster, self._also = database, workers, cluster, also
        self._ahead = ahead and cluster is None
        self.tasks: list[Task] = []
        self._opened: Future[Store] = Future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._leave: asyncio.Event | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="use cases", daemon=True)

    def start(self) -> None:
        """Start the thread; the store is opened at once, its libraries loaded there.

        Where the thread cannot begin, whoever asks for the store or begins work gets a WorkerError that says why.
        """
        self._thread.start()
        self._ready.wait()

    async def store(self) -> Store:
        """Return the open store; raises StoreError when it does not open."""
        return await asyncio.shield(asyncio.wrap_future(self._opened))

    async def read(self, look: Callable[[Store], Result]) -> Result:
        """Return what `look` finds in the store, read in a thread."""
        return await asyncio.to_thread(look, await self.store())

    def begin(self, title: str, kind: str, work: Callable[[Tools], Coroutine[Any, Any, Answer]]) -> Task:
        """Start `work` and return its task, which tells how it goes on."""
        loop, task = self._serving(), Task(title=title, kind=kind)
        self.tasks.append(task)
        task.future = asyncio.run_coroutine_threadsafe(self._work(task, work), loop)
        return task

    async def work_out(
        self, title: str, work: Callable[[Tools], Coroutine[Any, Any, Result]], leave: Leave | None = None
    ) -> Result:
        """Return what longer work comes to, a task meanwhile, whose progress is seen and which can be stopped.

        `leave` makes a job of it when the app is left. Raises CancelledError when it was stopped; no key waits for it.
        """
        found: list[Result] = []

        async def keep(tools: Tools) -> None:
            found.append(await work(tools))

        loop, task = self._serving(), Task(title=title, kind=STUDY, leave=leave)
        self.tasks.append(task)
        task.future = asyncio.run_coroutine_threadsafe(self._work(task, keep), loop)
        with keys_go_on():
            await asyncio.shield(asyncio.wrap_future(task.future))  # leaving the app is no wish to stop it
        if task.error is not None:
            raise task.error
        if not found:
            raise asyncio.CancelledError
        return found[0]

    async def run(self, work: Callable[[WorkerPool], Coroutine[Any, Any, Result]]) -> Result:
        """Return the result of a short piece of work with the workers, such as reading a trace; no key waits for it."""
        with keys_go_on():
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._short(work), self._serving()))

    @property
    def alive(self) -> list[Task]:
        """The tasks that are at work, oldest first."""
        return [task for task in self.tasks if task.alive]

    def cancel(self, task: Task) -> None:
        """Stop a task; what it has finished is kept."""
        if task.future is not None and task.alive:
            task.stop_asked()
            task.future.cancel()

    def close(self) -> None:
        """End all work and wait for the thread, a second or so at most."""
        if self._thread.ident is None:
            return
        if self._loop is not None and self._leave is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._leave.set)
        self._thread.join(timeout=5.0)

    def _serving(self) -> asyncio.AbstractEventLoop:
        if self._loop is None and self._ready.is_set():
            self._opened.result()  # raises why the thread could not begin
        assert self._loop is not None, "the thread is started before it works"
        return self._loop

    async def _short(self, work: Callable[[WorkerPool], Coroutine[Any, Any, Result]]) -> Result:
        return await work(self._pool)

    async def _work(self, task: Task, work: Callable[[Tools], Coroutine[Any, Any, Answer | None]]) -> None:
        try:
            store = await self.store()
            task.answer = await work(Tools(store=store, pool=self._pool, task=task))
            task.plan = "" if task.answer is None else task.answer.plan.id
            task.state = "done"
            task.note("done" if task.answer is None else f"done: {task.answer.verdict}")
        except (asyncio.CancelledError, Interrupted):
            task.state = "cancelled"
            task.note("stopped; what was finished is kept")
        except FleettuiError as error:
            task.error, task.state = error, "failed"
            task.note(first_line(error))
        except Exception as error:  # noqa: BLE001 - the task ends here, and keeps the evidence
            task.error, task.state = error, "failed"
            task.note(f"a bug: {type(error).__name__}: {error}")
        finally:
            task.ended = time.monotonic()

    def _run(self) -> None:
        try:
            with asyncio.Runner() as runner:
                runner.get_loop()  # where there is none to be had, nothing has begun
                runner.run(self._serve())
        except OSError as error:
            if self._loop is not None:
                raise
            self._opened.set_exception(WorkerError(f"work cannot be begun: {error.strerror}"))
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        from fleettui.planning.worker_pool import pool_of

        self._loop, self._leave = asyncio.get_running_loop(), asyncio.Event()
        async with pool_of(self._workers, self._cluster) as self._pool:
            self._ready.set()
            opening = asyncio.create_task(asyncio.to_thread(self._open))
            loading = asyncio.create_task(self._load()) if self._ahead else None
            await self._leave.wait()
            for task in self.alive:
                if task.future is not None:
                    task.future.cancel()
        await opening
        if loading is not None:
            await loading
        working = [one for one in asyncio.all_tasks() if one is not asyncio.current_task()]
        for one in working:  # what began while the others were told to stop
            one.cancel()
        await asyncio.gather(*working, return_exceptions=True)
        if self._opened.exception() is None:
            self._opened.result().close()

    async def _load(self) -> None:
        """Let a worker load what a plan takes; where none can be had, whoever needs one is told."""
        with suppress(WorkerError):
            await self._pool.make_ready()

    def _open(self) -> None:
        """Open the store, its libraries loaded here; whoever waits for it is told of a failure."""
        try:
            from store import Store

            self._opened.set_result(Store.open(self._database, also=self._also))
        except BaseException as error:  # noqa: BLE001 - handed to whoever asks for the store
            self._opened.set_exception(error)
