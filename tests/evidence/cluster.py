"""What a task costs on a cluster beyond its work: `python -m tests.evidence.cluster [--tasks 200] [--workers 2]`.

The processor's time that the scheduler, the client and a worker spend on a task that carries what a replication does
and computes nothing, and how many such tasks come back in a second; then one verification by one process and by so
many workers of a cluster here, with the seconds of both. Where others use the machine, too, the processor's seconds
tell how fast the workers would be with a core each: as fast as the busiest, or as all processes on those cores.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from distributed import LocalCluster

from fleettui.domain.scenario import Question
from fleettui.domain.serialization import to_wire
from fleettui.planning.cluster.address import Cluster, read_cluster
from fleettui.planning.cluster.pool import ClusterPool
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.make_plan import make_plan
from fleettui.planning.verify import verify
from fleettui.planning.worker_pool import WorkerPool
from store import Store
from tests.evidence.common import say
from tests.planning import example_worker
from tests.planning.simulated import SHIPPED


async def overhead(payload: str, tasks: int) -> str:
    """Return what `tasks` tasks took that only send `payload` back, everything being in this process."""
    async with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, asynchronous=True, dashboard_address=None
        ) as cluster,
        ClusterPool(Cluster(text="", scheduler=cluster.scheduler_address), find=example_worker.find) as pool,
    ):
        await pool.run_plain("echo", {"text": payload})
        began, used = time.monotonic(), time.process_time()
        await asyncio.gather(*(pool.run_plain("echo", {"text": payload, "turn": turn}) for turn in range(tasks)))
        took, spent = time.monotonic() - began, time.process_time() - used
    each = f"{spent / tasks * 1e3:.2f} ms of processor each, {tasks / took:.0f} a second"
    return f"{tasks} tasks of {len(payload)} bytes: {each}"


def processor_times() -> dict[int, float]:
    """Return the processor's seconds that this process and all below it have taken, by their numbers."""
    found, parents = {}, {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            fields = file.read_text().rpartition(")")[2].split()
            parents[int(file.parent.name)] = int(fields[1])
            found[int(file.parent.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    own = {os.getpid()}
    while more := {one for one, parent in parents.items() if parent in own} - own:
        own |= more
    return {one: found[one] for one in own}


async def verification(store: Path, plan: str, pool: WorkerPool, workers: int, precision: float) -> tuple[str, float]:
    """Return how long a proof of a kept plan took in a pool, what was simulated, and the processor's seconds of it.

    A first proof of few runs has every worker load the engine; it is not counted.
    """
    with Store.open(store) as opened:
        async with pool:
            await verify(opened, plan, precision=0.5, seed=3, pool=pool)
            before, began = processor_times(), time.monotonic()
            answer = await verify(opened, plan, precision=precision, seed=2, pool=pool)
            took, after = time.monotonic() - began, processor_times()
        assert answer.answer is not None
        runs = opened.replications(answer.answer.candidate, 2)
    spent = {one: seconds - before.get(one, 0.0) for one, seconds in after.items()}
    busy = sorted(spent.values(), reverse=True)[:workers]
    requests = sum(run.requests for run in runs)
    said = f"{took:.1f} s, {len(runs)} runs, {requests / 1e6:.1f} M requests"
    told = (
        f"{said}; of the processor {sum(spent.values()):.1f} s, the workers' {', '.join(f'{one:.1f}' for one in busy)}"
    )
    return told, max(sum(spent.values()) / workers, busy[0])


async def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--precision", type=float, default=0.01)
    asked = parser.parse_args()
    question: Question = SHIPPED
    with TemporaryDirectory() as folder:
        kept = Path(folder) / "kept.db"
        with Store.open(kept) as store:
            plan = (await make_plan(question, store=store)).plan.id
            plan_kept = KeptPlan.of(store, plan)
            payload = json.dumps(to_wire(plan_kept.source(plan_kept.id, plan_kept.profiles)))
        say(await overhead(payload, asked.tasks))
        alone = spent = 0.0
        count = 1
        for name, pool in (
            ("one process", WorkerPool(1)),
            (f"{asked.workers} Dask workers", ClusterPool(read_cluster(f"local:{asked.workers}"))),
        ):
            again = Path(folder) / f"{name}.db"
            with Store.open(kept) as store:
                store.back_up(again)
            count = asked.workers if isinstance(pool, ClusterPool) else 1
            found, spent = await verification(again, plan, pool, count, asked.precision)
            alone = spent if count == 1 else alone
            say(f"{name}: {found}; load of the machine {os.getloadavg()[0]:.1f}")
        say(f"as fast as the processor's time allows: {alone / count / spent:.2f} of {count} processes")


if __name__ == "__main__":
    asyncio.run(main())
