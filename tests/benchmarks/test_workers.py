"""Two workers against one: the same replications through the pool, both warm, as a ratio within one run."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from pytest_benchmark.fixture import BenchmarkFixture

from fleettui.domain.demand import Demand
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.scenario import Question
from fleettui.domain.simulation import Replication
from fleettui.domain.slo import Slo
from fleettui.planning.prepared_fleet import PreparedFleet, SceneSource
from fleettui.planning.worker_pool import WorkerPool

REPLICATIONS = 10
QUESTION = Question(
    workload="azure-2023-conv", demand=Demand(form="rate", rate=100.0), slo=Slo(ttft=0.5), gpus=("h100",), tp=(8,)
)


async def seconds(workers: int, payload: dict[str, Any]) -> float:
    """Return how long the replications take with so many workers, each warm."""
    async with WorkerPool(workers) as pool:
        await asyncio.gather(
            *(pool.run("verification-replicate", Replication, **payload, index=1000 + one) for one in range(workers))
        )
        start = time.perf_counter()
        await asyncio.gather(
            *(pool.run("verification-replicate", Replication, **payload, index=index) for index in range(REPLICATIONS))
        )
        return time.perf_counter() - start


async def prepared() -> dict[str, Any]:
    """Return what each replication of the README's plan is given."""
    async with WorkerPool(1) as pool:
        planned = await pool.run("plan", NewPlan, question=QUESTION)
        best = planned.answer.answer
        assert best is not None
        source = SceneSource.of(QUESTION, planned.workload, planned.answer.demand, key="benchmark")
        sizes = [one.replicas for one in best.fleet.pools]
        staged = await pool.run("verification-stage", PreparedFleet, source=source, fleet=best.fleet, sizes=sizes)
    return {"source": source, "fleet": best.fleet, "lengths": staged.lengths, "seed": 1}


def test_two_workers_against_one(benchmark: BenchmarkFixture) -> None:
    payload = asyncio.run(prepared())
    alone = asyncio.run(seconds(1, payload))
    together = benchmark.pedantic(lambda: asyncio.run(seconds(2, payload)), rounds=1)
    benchmark.extra_info.update(alone=round(alone, 2), together=round(together, 2), ratio=round(alone / together, 2))
