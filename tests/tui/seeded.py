"""A store whose plans, times and handles are the same at every run: for frames and pictures that are kept."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from fleettui.domain.demand import Demand
from fleettui.domain.job import Job
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.study import Study, StudyColumn, StudyTable
from fleettui.planning.make_plan import make_plan
from fleettui.planning.worker_pool import WorkerPool
from store import Store
from tests.kept_text import VARIABLE
from tests.planning.recalled import Recalling

START = 1_790_000_000
HOUR = 3600
ASKED = Question(
    workload="azure-2023-conv",
    demand=Demand(form="rate", rate=100.0),
    slo=Slo(ttft=0.5),
    gpus=("h100",),
    tp=(8,),
    name="summer",
    step_law="roofline",
)
"""The plan that is shown: proved by simulation, the parent of one at a higher rate."""
REPLICATIONS = Path(__file__).with_name("seeded_replications.json.gz")
"""What each replication of the proved plan came to when the frames were drawn."""
FORKED, DEAR, STOPPED = "with the new client", "too dear", "night"


def opened(file: Path, hour: int) -> Store:
    """Open the store at a time when its clock stands still."""
    moment = datetime.fromtimestamp(START + HOUR * hour, UTC)
    return Store.open(file, clock=lambda: moment, entropy=lambda: 12_345)


def fill(file: Path) -> Path:
    """Write five plans: by formula, proved, forked from that, one that cannot be, and one whose proof was stopped.

    Where frames are drawn anew, what the replications came to is written anew too.
    """
    anew = os.environ.get(VARIABLE) == "1"
    pool = Recalling(None if anew else REPLICATIONS)
    asyncio.run(_fill(file, pool))
    if anew:
        pool.keep(REPLICATIONS)
    return file


def study(file: Path) -> tuple[Study, Study]:
    """Put two studies of the plan that is shown into the store, and return them: when fleets run out, and a what-if."""
    fleet, gpus = StudyColumn(name="fleet"), StudyColumn(name="gpus", quantity="count")
    cost = StudyColumn(name="cost_per_hour", quantity="dollars per hour")
    steps = StudyTable(
        title="each fleet, and the rate from which on it breaks a limit",
        columns=(
            fleet,
            gpus,
            StudyColumn(name="runs_out", quantity="rate"),
            cost,
            StudyColumn(name="p99_ttft", quantity="seconds"),
            StudyColumn(name="breaks"),
        ),
        rows=tuple(
            (f"{8 * count} h100 tp8x{count}", 8 * count, 17.55 * count, 23.6 * count, 0.49, "P99 TTFT")
            for count in range(3, 33)
        ),
        note="Sized by formula; the rates are where the formula's P99 TTFT crosses its limit.",
    )
    prices = StudyTable(
        title="price of an H100",
        columns=(StudyColumn(name="price_per_hour", quantity="dollars per hour"), fleet, cost),
        rows=(
            (2.0, "56 h100 tp8x7", 112.0),
            (3.0, "56 h100 tp8x7", 168.0),
            (4.0, "28 h200 tp4x7", 199.5),
            (9.0, "", None),
        ),
    )
    asked = Study(
        kind="steps",
        title="When does each fleet run out?",
        question="whatif summer --steps",
        plan=ASKED.name,
        sentences=("48 H100 hold up to 105/s, 5.3% above the present rate.", "One replica more holds 17.6/s more."),
        tables=(steps,),
        warnings=("the rate's own error is not in these figures",),
    )
    other = replace(asked, kind="whatif", title="What if an H100 cost more?", question="whatif summer --price h100=2,4")
    with opened(file, 60) as store:
        first = store.add_study(asked)
        return first, store.add_study(replace(other, sentences=(), tables=(prices,), warnings=()))


async def _fill(file: Path, own: Recalling) -> None:
    by_formula = replace(ASKED, verify=False)
    async with own as pool:

        async def plan(hour: int, asked: Question, parent: str = "") -> Answer:
            with opened(file, hour) as store:
                return await make_plan(asked, store=store, pool=pool, parent=parent)

        await plan(0, replace(by_formula, demand=Demand(form="rate", rate=60.0), name="spring"))
        proved = await plan(20, ASKED)
        faster = replace(by_formula, demand=Demand(form="rate", rate=140.0), name=FORKED)
        await plan(26, faster, parent=proved.plan.id)
        await plan(50, replace(by_formula, budget=60.0, name=DEAR))
    async with WorkerPool(1) as workers:
        await _stop(file, 51, workers)


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
