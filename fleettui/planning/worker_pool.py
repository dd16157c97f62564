"""A few long-lived worker processes behind one `run`; the way of every front end to the engines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from fleettui.domain.serialization import to_wire
from fleettui.domain.wire import from_wire, prepare
from fleettui.errors import WorkerError
from fleettui.planning.remembered import Remembered, key_of
from fleettui.planning.worker_process import COMMAND, Report, WorkerProcess

if TYPE_CHECKING:
    from fleettui.planning.cluster.address import Cluster

Found = TypeVar("Found")


class WorkerPool:
    """At most `workers` processes, each started when it is first needed and kept for the next task.

    A worker that died or was killed is replaced by the next task that needs a place. Leaving the `async with`
    block kills what is left, busy or not: workers hold nothing that must be saved.
    """

    def __init__(self, workers: int = 1, *, command: tuple[str, ...] = COMMAND) -> None:
        assert workers >= 1, f"a pool needs a worker, got {workers}"
        self._command = command
        self._places = asyncio.Semaphore(workers)
        self._workers: set[WorkerProcess] = set()
        self._idle: list[WorkerProcess] = []
        self._remembered = Remembered()
        self._runs = 0
        self._quiet = asyncio.Event()
        self._left = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._left = True
        await self._end()
        if self._runs:  # what still runs has lost its worker, or ends the one that it is starting
            self._quiet.clear()
            await self._quiet.wait()

    async def run(self, name: str, kind: type[Found], report: Report | None = None, /, **values: object) -> Found:
        """Return what the task called `name` makes of its arguments `values`: a value of `kind`, its return type.

        Waits for a free worker; `report` is told of progress. What a task of those that are remembered came to is
        returned at once. Raises as `run_plain` does.
        """
        payload = to_wire(values)
        key = key_of(name, payload)
        if key in self._remembered:
            known: Found = self._remembered[key]
            return known
        found = from_wire(kind, await self.run_plain(name, payload, report))
        self._remembered.keep(key, found)
        return found

    async def make_ready(self) -> None:
        """Let a worker load what a plan takes, then this process what reads one; the first plan waits for neither then.

        Raises WorkerError.
        """
        from fleettui.domain.new_plan import NewPlan
        from fleettui.domain.scenario import Question
        from fleettui.domain.slo import Slo

        await self.run("plan-ready", bool, question=Question(slo=Slo()))
        await asyncio.to_thread(prepare, NewPlan)

    async def run_plain(self, name: str, payload: dict[str, Any], report: Report | None = None) -> Any:
        """Return the result of the task called `name`, plain as are its arguments, as the pipe carries both.

        Raises the FleettuiError that the task raised; WorkerError when the task has a bug or its process died.
        Cancelling the caller stops the task within about a second.
        """
        self._runs += 1
        try:
            return await self._run(name, payload, report)
        finally:
            self._runs -= 1
            if not self._runs:
                self._quiet.set()

    async def _run(self, name: str, payload: dict[str, Any], report: Report | None) -> Any:
        async with self._places:
            worker = await self._take()
            try:
                return await worker.run(name, payload, report)
            finally:
                await self._give_back(worker)

    async def _end(self) -> None:
        """End what runs."""
        await asyncio.gather(*(worker.end() for worker in self._workers))

    async def _take(self) -> WorkerProcess:
        while self._idle and not self._left:
            worker = self._idle.pop()
            if worker.ready:
                return worker
            await self._discard(worker)
        self._check_open()
        worker = await WorkerProcess.create(self._command)
        self._workers.add(worker)  # before its hello: leaving ends it, too
        try:
            if self._left:
                await worker.end()
            await worker.greet()
            self._check_open()  # its hello may have come before it was ended
        except WorkerError:
            self._check_open()
            raise
        finally:
            if not worker.ready:
                await self._discard(worker)
        return worker

    async def _give_back(self, worker: WorkerProcess) -> None:
        if worker.ready:
            self._idle.append(worker)
        else:
            await self._discard(worker)

    def _check_open(self) -> None:
        if self._left:
            raise stopped()

    async def _discard(self, worker: WorkerProcess) -> None:
        self._workers.discard(worker)
        await worker.end()


def stopped() -> WorkerError:
    """Return the end of a task whose pool was left."""
    return WorkerError("the work was stopped: its workers were told to go")


async def together(work: Iterable[Coroutine[Any, Any, Found]]) -> list[Found]:
    """Return what each of `work` comes to, in order; the first to fail, or a cancel, ends all before it is raised."""
    running = [asyncio.create_task(one) for one in work]
    try:
        return list(await asyncio.gather(*running))
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def pool_of(workers: int, cluster: Cluster | None) -> WorkerPool:
    """Return a pool of `workers` processes, or of a cluster's workers; raises InputError where that cannot be had."""
    if cluster is None:
        return WorkerPool(workers)
    from fleettui.planning.cluster.pool import ClusterPool

    return ClusterPool(cluster, workers)


@asynccontextmanager
async def borrowed(pool: WorkerPool | None) -> AsyncIterator[WorkerPool]:
    """Lend `pool`, which goes on, or a pool of one worker that ends with the block."""
    if pool is not None:
        yield pool
    else:
        async with WorkerPool() as own:
            yield own
