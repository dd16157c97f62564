"""Work that workers do: how many there are, and what the terminal shows meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from fleettui.cli import console
from fleettui.planning import settings
from fleettui.planning.settings import Setting

if TYPE_CHECKING:
    from fleettui.planning.worker_pool import WorkerPool
    from fleettui.planning.worker_process import Report
    from store import Store

Found = TypeVar("Found")


def answer_of(
    work: Callable[[WorkerPool], Awaitable[Found]], chosen: tuple[Setting, ...], workers: int | None
) -> Found:
    """Return what `work` comes to in a pool of `workers`, by default as many as are set, then as the cores allow."""
    from fleettui.planning.worker_pool import WorkerPool, default_workers

    async def in_pool() -> Found:
        async with WorkerPool(workers or settings.workers(chosen) or default_workers()) as pool:
            return await work(pool)

    try:
        return asyncio.run(in_pool())
    finally:
        console.clear_progress()


def answer_from_store(work: Callable[[Store, Report, WorkerPool], Awaitable[Found]], workers: int | None) -> Found:
    """Return what `work` comes to in the settings' store and a pool of `workers`, its progress shown meanwhile."""
    from fleettui.cli.open_store import open_store

    chosen = settings.settings()
    with open_store(chosen) as store:
        report = console.progress()
        return answer_of(lambda pool: work(store, report, pool), chosen, workers)
