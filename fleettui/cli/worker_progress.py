"""Work that workers do: how many there are, and what the terminal shows meanwhile."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from fleettui.cli import console
from fleettui.cli.detached import Detached
from fleettui.planning import settings
from fleettui.planning.cluster.address import read_cluster
from fleettui.planning.settings import Setting

if TYPE_CHECKING:
    from fleettui.planning.worker_pool import WorkerPool
    from fleettui.planning.worker_process import Report
    from store import Store

Found = TypeVar("Found")


def answer_of(
    work: Callable[[WorkerPool], Awaitable[Found]],
    chosen: tuple[Setting, ...],
    workers: int | None,
    cluster: str | None = None,
) -> Found:
    """Return what `work` comes to in a pool of `workers`, by default as many as are set, then as the cores allow.

    With a `cluster`, or where one is set, its workers do what they can. Where the terminal hangs up the work is
    cancelled, and Detached raised: it is for a process of its own.
    """
    from fleettui.planning.worker_count import default_workers
    from fleettui.planning.worker_pool import pool_of

    place = settings.cluster(chosen) if cluster is None else read_cluster(cluster)

    async def in_pool() -> Found:
        _cancel_when_hung_up()
        async with pool_of(workers or settings.workers(chosen) or default_workers(), place) as pool:
            return await work(pool)

    try:
        return asyncio.run(in_pool())
    except asyncio.CancelledError:
        raise Detached("the terminal hung up") from None
    finally:
        console.clear_progress()


def _cancel_when_hung_up() -> None:
    """Let SIGHUP cancel the work, unless it is ignored, as under nohup, or this is no main thread."""
    work = asyncio.current_task()
    if work is None or signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        return
    with suppress(ValueError, RuntimeError):
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, work.cancel)


def answer_from_store(
    work: Callable[[Store, Report, WorkerPool], Awaitable[Found]], workers: int | None, cluster: str | None = None
) -> Found:
    """Return what `work` comes to in the settings' store and a pool, as `answer_of` has it, its progress shown."""
    from fleettui.cli.open_store import open_store

    chosen = settings.settings()
    with open_store(chosen) as store:
        report = console.progress()
        return answer_of(lambda pool: work(store, report, pool), chosen, workers, cluster)
