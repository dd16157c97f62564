"""A store whose plans, times and handles are the same at every run: for frames and pictures that are kept."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from fleettui.domain.job import Job
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Demand, Question, Slo
from fleettui.planning.make_plan import make_plan
from fleettui.planning.pool import WorkerPool
from store import Store

START = 1_790_000_000
HOUR = 3600
ASKED = Question(
    workload="azure-2023-conv",
    demand=Demand(form="rate", rate=100.0),
    slo=Slo(ttft=0.5),
    gpus=("h100",),
    tp=(8,),
    name="summer",
)
"""The plan that is shown: proved by simulation, the parent of one at a higher rate."""
FORKED, DEAR, STOPPED = "with the new client", "too dear", "night"


def opened(file: Path, hour: int) -> Store:
    """Open the store at a time when its clock stands still."""
    moment = datetime.fromtimestamp(START + HOUR * hour, UTC)
    return Store.open(file, clock=lambda: moment, entropy=lambda: 12_345)


def fill(file: Path) -> Path:
    """Write five plans: by formula, proved, forked from that, one that cannot be, and one whose proof was stopped."""
    asyncio.run(_fill(file))
    return file


async def _fill(file: Path) -> None:
    by_formula = replace(ASKED, verify=False)
    async with WorkerPool(1) as pool:

        async def plan(hour: int, asked: Question, parent: str = "") -> Answer:
            with opened(file, hour) as store:
                return await make_plan(asked, store=store, pool=pool, parent=parent)

        await plan(0, replace(by_formula, demand=Demand(form="rate", rate=60.0), name="spring"))
        proved = await plan(20, ASKED)
        faster = replace(by_formula, demand=Demand(form="rate", rate=140.0), name=FORKED)
        await plan(26, faster, parent=proved.plan.id)
        await plan(50, replace(by_formula, budget=60.0, name=DEAR))
        await _stop(file, 51, pool)


async def _stop(file: Path, hour: int, pool: WorkerPool) -> None:
    """Begin a plan, and stop it when it is to be proved."""

    def begun(_answer: Answer, _job: Job) -> None:
        work.cancel()

    asked = replace(ASKED, demand=Demand(form="rate", rate=20.0), name=STOPPED)
    with opened(file, hour) as store:
        work = asyncio.create_task(make_plan(asked, store=store, pool=pool, begun=begun))
        try:
            await work
        except asyncio.CancelledError:
            return
    raise AssertionError("the work ended before it was stopped")
