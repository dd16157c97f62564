"""A pool whose tasks run on a cluster, but for those that read files of the user's, which are on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from fleettui.domain.path_or_name import GPU_FILE, MODEL_FILE, is_path
from fleettui.domain.progress import Progress
from fleettui.planning.cluster import local
from fleettui.planning.cluster.address import Cluster, Files
from fleettui.planning.tasks import TaskFunction
from fleettui.planning.tasks import find as find_task
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import COMMAND, Report

if TYPE_CHECKING:
    from fleettui.planning.cluster.connection import Connection

OF_FILES = frozenset(
    {"against", "calibration", "compress", "joint", "paper_fleets", "plan", "profile", "simulate", "workload"}
)
"""The modules of tasks that read traces, measured and served runs, prompts and tokenizers."""


class ClusterPool(WorkerPool):
    """The workers of a cluster behind the same `run`, and at most `workers` processes here for tasks that read files.

    The scheduler is called when there is a first task for it, and again by the next task once it was lost. `run` raises
    InputError, too, where no scheduler answers or workers run another program.
    """

    def __init__(
        self,
        cluster: Cluster,
        workers: int = 1,
        *,
        command: tuple[str, ...] = COMMAND,
        find: Callable[[str], TaskFunction] = find_task,
    ) -> None:
        super().__init__(workers, command=command)
        self._cluster, self._find = cluster, find
        self._calling = asyncio.Lock()
        self._connection: Connection | None = None
        self._here = AsyncExitStack()

    async def _run(self, name: str, payload: dict[str, Any], report: Report | None) -> Any:
        if stays_here(name, payload):
            return await super()._run(name, payload, report)
        connection = await self._connected(report)
        return await connection.run(name, payload, report)

    async def _end(self) -> None:
        if self._connection is not None:
            await self._connection.close()
        await self._here.aclose()
        await super()._end()

    async def _connected(self, report: Report | None) -> Connection:
        """Return the connection, made where there is none."""
        from fleettui.planning.cluster.connection import Connection

        async with self._calling:
            self._check_open()
            if self._connection is None or not self._connection.alive:
                asked = self._cluster
                place = await self._started(report) if asked.local else (asked.scheduler, asked.files)
                self._connection = await Connection.open(*place, self._find)
                if self._left:
                    await self._connection.close()
                    self._check_open()
            return self._connection

    async def _started(self, report: Report | None) -> tuple[str, Files]:
        """Return the address and the certificate of a cluster that is started here."""
        await self._here.aclose()
        if report is not None:
            report(Progress(message=f"starting {self._cluster.local} workers of a cluster here"))
        return await self._here.enter_async_context(local.started(self._cluster.local))


def stays_here(name: str, payload: dict[str, Any]) -> bool:
    """Return whether a task reads a file of this machine: by what it does, or since its question names one.

    >>> stays_here("plan", {}), stays_here("verification-judge", {"question": {"gpus": ["h100", "./mine.toml"]}})
    (True, True)
    >>> stays_here("verification-judge", {"source": {"question": {"gpus": ["h100"], "model": "llama-3.1-70b"}}})
    False
    """
    question = payload.get("question") or (payload.get("source") or {}).get("question") or {}
    return (
        name.partition("-")[0] in OF_FILES
        or is_path(question.get("model") or "", MODEL_FILE)
        or any(is_path(gpu, GPU_FILE) for gpu in question.get("gpus") or ())
    )
