"""A scheduler as its client sees it: tasks go there, and their progress, results and errors come back."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Any, Self
from uuid import uuid4

from distributed import Client, Future, KilledWorker, Security
from distributed.versions import VersionMismatchWarning

from fleettui.domain.progress import Progress
from fleettui.errors import InputError, WorkerError
from fleettui.planning.cluster import remote
from fleettui.planning.cluster.address import WHERE, Files
from fleettui.planning.cluster.program import program
from fleettui.planning.error_transfer import unpack
from fleettui.planning.protocol import Result, Task, TaskError, decode, encode
from fleettui.planning.tasks import TaskFunction
from fleettui.planning.tasks import find as find_task
from fleettui.planning.worker_pool import stopped
from fleettui.planning.worker_process import Report

CONNECT_TIME = 10.0
"""Seconds in which a scheduler must answer."""
WORKERS_TIME = 60.0
"""Seconds in which it must have a worker."""
PATIENCE = 1.0
"""Seconds in which a client must have left."""
_TLS = {"ca": "tls_ca_file", "cert": "tls_client_cert", "key": "tls_client_key"}


class Connection:
    """A client of a scheduler that has a worker at least."""

    def __init__(self, address: str, client: Client, find: Callable[[str], TaskFunction]) -> None:
        self._address, self._client, self._find = address, client, find
        self._topic = f"fleettui-{uuid4().hex}"
        self._reports: dict[str, Report] = {}
        self._left = False
        client.subscribe_topic(self._topic, self._tell)

    @classmethod
    async def open(cls, address: str, files: Files = (), find: Callable[[str], TaskFunction] = find_task) -> Self:
        """Return a connection to the scheduler at `address`; raises InputError where there is none, or no worker.

        `files` are those of TLS; without any they are those of Dask's own settings.
        """
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what it would print stands in the errors, too
        warnings.simplefilter("ignore", VersionMismatchWarning)  # of what no task needs: `program` tells the others
        security = Security(**{_TLS[name]: path for name, path in files}, require_encryption=True) if files else None
        try:
            client = await Client(
                address, asynchronous=True, security=security, timeout=CONNECT_TIME, set_as_default=False
            )
        except (OSError, ValueError, RuntimeError) as error:
            raise _no_scheduler(address, str(error) or type(error).__name__) from None
        try:
            await client.wait_for_workers(1, timeout=WORKERS_TIME)
        except TimeoutError:
            await client.close()
            remedy = f"start one: dask worker {address} --nthreads 1 --nworkers -1"
            raise InputError("the scheduler has no worker", where=WHERE, value=address, remedy=remedy) from None
        return cls(address, client, find)

    async def run(self, name: str, payload: dict[str, Any], report: Report | None = None) -> Any:
        """Return what the task called `name` makes of `payload`, plain, wherever it ran.

        Where a worker is lost another one runs its task again. Raises what the task raised; InputError where workers
        run another program or the scheduler is gone; WorkerError where the task has ended several workers.
        """
        key = f"{name}-{uuid4().hex}"
        if report is not None:
            self._reports[key] = report
        line = encode(Task(number=0, name=name, payload=payload))
        future = self._client.submit(
            remote.run, line, key, self._topic, program(), self._find, key=key, pure=False, retries=0
        )
        try:
            return self._value(await self._answer(future))
        finally:
            self._reports.pop(key, None)
            future.release()  # what still runs is cancelled by that: nobody else waits for it

    @property
    def alive(self) -> bool:
        """Whether the scheduler is there."""
        return self._client.status == "running"

    async def close(self) -> None:
        """Leave the scheduler, which then lets go of what still runs."""
        self._left = True
        await self._client.close(timeout=PATIENCE)

    async def _answer(self, future: Future[Any]) -> bytes:
        try:
            answer: bytes = await future
            return answer
        except CancelledError:  # that of Dask's futures, not asyncio's
            if self._left:
                raise stopped() from None
            raise InputError(
                "the scheduler is gone",
                where=WHERE,
                value=self._address,
                remedy="start it again, with workers; fleettui jobs resume goes on with a job",
            ) from None
        except KilledWorker as error:
            raise WorkerError("a task ended several workers of the cluster: out of memory?", str(error)) from error
        except Exception as error:
            raise _cannot_run(error) from error

    @staticmethod
    def _value(line: bytes) -> Any:
        match decode(line):
            case Result(value=value):
                return value
            case TaskError() as error:
                raise unpack(error)
            case message:
                raise WorkerError("an answer from the cluster that is none", repr(message))

    def _tell(self, event: tuple[float, Any]) -> None:
        key, message, done, total = event[1]
        if report := self._reports.get(key):
            report(Progress(message=message, done=done, total=total))


def _no_scheduler(address: str, why: str) -> InputError:
    return InputError(
        f"no scheduler answers: {why.splitlines()[0]}",
        where=WHERE,
        value=address,
        remedy="start one: dask scheduler; then a worker: dask worker HOST:8786 --nthreads 1 --nworkers -1",
    )


def _cannot_run(error: Exception) -> InputError:
    """Return the refusal of workers that cannot even read the task, for want of this program."""
    return InputError(
        f"the workers cannot run this program: {type(error).__name__}: {error}",
        where=WHERE,
        remedy="install the same fleettui, with its extra cluster, on every worker",
    )
