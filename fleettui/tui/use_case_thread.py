"""The thread in which use cases run: its own event loop, its workers and the open store, so that no key ever waits."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fleettui.errors import FleettuiError, Interrupted, WorkerError
from fleettui.tui.turns import keys_go_on
from fleettui.tui.work_kinds import STUDY

if TYPE_CHECKING:
    from fleettui.domain.plan import Answer
    from fleettui.planning.cluster.address import Cluster
    from fleettui.planning.worker_pool import WorkerPool
    from fleettui.tui.task import Leave, Task, Tools
    from store import Store

Result = TypeVar("Result")


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
        from fleettui.tui.task import Task

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
        from fleettui.tui.task import Task

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
        from fleettui.tui.task import Tools, first_line

        try:
            store = await self.store()
            task.answer = await work(Tools(store=store, pool=self._pool, task=task))
            task.plan = "" if task.answer is None else task.answer.plan.id
            task.question = store.question(task.plan) if task.plan else None
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
