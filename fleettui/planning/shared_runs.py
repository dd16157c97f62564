"""Workers that simulate a run of a fleet once for several searches, whichever asks for it.

Searches over one stock ask each workload's question within what others leave of it, and for other shares of the cases:
their runs of the same fleet under the same load are the same.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import Any

from fleettui.planning.remembered import digest_of
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import Report

REPLICATE = "verification-replicate"
OF_THE_CHOICE = ("name", "confidence", "objective", "budget", "max_power", "max_gpus", "max_total_gpus")
"""Keys of a question that say which fleet is chosen: no run of a fleet depends on them."""


class SharedRuns(WorkerPool):
    """The `workers` behind the same `run`, and what each run came to; it starts none of its own."""

    def __init__(self, workers: WorkerPool) -> None:
        super().__init__()
        self._lent = workers
        self._known: dict[str, Any] = {}
        self._made = defaultdict[str, asyncio.Lock](asyncio.Lock)

    async def run_plain(self, name: str, payload: dict[str, Any], report: Report | None = None) -> Any:
        """Return the result of a task as its workers do, at once where it is of a run that was made."""
        if name != REPLICATE:
            return await self._lent.run_plain(name, payload, report)
        key = key_of_run(payload)
        async with self._made[key]:  # whoever is cancelled leaves the run to the next
            if key not in self._known:
                self._known[key] = await self._lent.run_plain(name, payload, report)
        return self._known[key]


def key_of_run(payload: dict[str, Any]) -> str:
    """Return the key of a run: a digest of all that it is given but for what tells searches apart."""
    source = payload["source"]
    asked = {name: value for name, value in source["question"].items() if name not in OF_THE_CHOICE}
    return digest_of(REPLICATE, {**payload, "source": {**source, "key": "", "question": asked}})
