"""Workers that outlive the pool which started them, so that not every test waits for a worker to load its libraries.

They are real processes and run real tasks, in a loop of their own in a thread; a pool gets them one after another.
Their simulations are short ones (`short_worker`). Tests of the processes themselves, and of what only long simulations
show, are marked `own_workers`: each of their pools starts the program's workers and kills them.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from fleettui.domain.progress import Progress
from fleettui.planning import worker_pool
from fleettui.planning.worker_process import COMMAND, Report, WorkerProcess
from tests import short_worker

Result = TypeVar("Result")

KEPT = 1
"""Workers that wait for the next pool, at most; each holds some 300 MB of libraries."""


class Lender:
    """The loop in which lent workers live, and those that nobody has."""

    def __init__(self) -> None:
        self.lending = True
        self.idle: list[WorkerProcess] = []
        self.folder = Path.cwd()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def there(
        self, work: Coroutine[Any, Any, Result], undo: Callable[[Result], Coroutine[Any, Any, None]] | None = None
    ) -> Result:
        """Return what `work` comes to in the workers' loop; a cancel is handed on, and its end waited for.

        Work may end in the moment of the cancel: `undo` then gets what it came to, since the caller never does.
        """
        running: list[asyncio.Task[Any]] = []

        async def begun() -> Result:
            task = asyncio.current_task()
            assert task is not None
            running.append(task)
            return await work

        def cancel() -> None:
            if running:
                running[0].cancel()
            else:  # it is just about to begin
                loop.call_soon(cancel)

        loop = self._running()
        result = asyncio.wrap_future(asyncio.run_coroutine_threadsafe(begun(), loop))
        try:
            return await asyncio.shield(result)
        except asyncio.CancelledError:
            loop.call_soon_threadsafe(cancel)
            while not result.done():
                try:
                    await asyncio.wait({result})
                except asyncio.CancelledError:  # asked again: no more patience
                    loop.call_soon_threadsafe(cancel)
            if not result.cancelled() and result.exception() is None and undo is not None:
                await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(undo(result.result()), loop))
            raise

    def close(self) -> None:
        """End the workers that nobody has, and the loop."""
        if self._loop is None:
            return
        for worker in self.idle:
            asyncio.run_coroutine_threadsafe(worker.end(), self._loop).result(timeout=10.0)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=10.0)
        self._loop.close()
        self._loop = None

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._loop.run_forever, name="lent workers", daemon=True)
            self._thread.start()
        return self._loop


LENDER = Lender()


class LentWorker:
    """What a pool has for a worker: a process that goes back to the lender, if it is ready, when the pool ends it."""

    def __init__(self, process: WorkerProcess, folder: Path, *, greeted: bool) -> None:
        self._process, self._folder = process, folder
        self._greeted, self._gone = greeted, False

    @classmethod
    async def create(cls, command: tuple[str, ...] = COMMAND) -> LentWorker | WorkerProcess:
        """Return a worker that waits, or start one; tests of processes and of other commands get one of their own."""
        if not LENDER.lending or command != COMMAND:
            return await WorkerProcess.create(command)
        folder = Path.cwd()
        while folder == LENDER.folder and LENDER.idle:
            worker = LENDER.idle.pop()
            if worker.ready:
                return cls(worker, folder, greeted=True)
            await LENDER.there(worker.end())
        starting = WorkerProcess.create(short_worker.COMMAND)
        return cls(await LENDER.there(starting, WorkerProcess.end), folder, greeted=False)

    async def greet(self) -> None:
        """Wait for the hello of a process that was just started."""
        if not self._greeted:
            await LENDER.there(self._process.greet())
            self._greeted = True

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def ready(self) -> bool:
        """Whether the worker lives, has answered all that it was asked, and was not given back."""
        return not self._gone and self._process.ready

    async def run(self, name: str, payload: dict[str, Any], report: Report | None = None) -> Any:
        """Return what the task makes of `payload`; `report` is called in the caller's loop."""
        loop = asyncio.get_running_loop()

        def told(progress: Progress) -> None:
            if report is not None:
                loop.call_soon_threadsafe(report, progress)

        return await LENDER.there(self._process.run(name, payload, told))

    async def end(self) -> None:
        """Give the worker back; kill it where it is busy, or where no other test could use it."""
        if self._gone:
            return
        keep = self._process.ready and self._greeted and self._folder == LENDER.folder
        if keep and len(LENDER.idle) < KEPT:
            self._gone = True
            LENDER.idle.append(self._process)
        else:
            await LENDER.there(self._process.end())


def install() -> None:
    """Let every pool have lent workers from now on."""
    vars(worker_pool)["WorkerProcess"] = LentWorker
