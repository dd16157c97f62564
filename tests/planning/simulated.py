"""A small trace whose fleets are simulated in a second, and what the tests of simulated answers ask again and again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

from fleettui.domain.demand import Demand
from fleettui.domain.fleet import FleetSketch, PoolSketch
from fleettui.domain.plan import Answer, Candidate, Evidence
from fleettui.domain.progress import Progress
from fleettui.domain.scenario import Question
from fleettui.domain.simulation import LOOK, Replication
from fleettui.domain.slo import Slo
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import call, find
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import Report
from store import Store
from tests.lent_workers import LENDER
from tests.short_worker import shorter_runs

SHIPPED = Question(
    workload="azure-2023-conv",
    demand=Demand(form="rate", rate=100.0),
    slo=Slo(ttft=0.5),
    gpus=("h100",),
    tp=(8,),
    pools=(1,),
    verify=False,
    step_law="roofline",
)
"""A shipped workload, answered by formula in a moment."""

SET_SO = "vllm as it comes: 90% of memory; prefixes kept, no hits counted; as given: 2,048 tokens a step, 256 sequences"
"""What is said of the engine's settings in every answer to `question`."""

OPTIMISTIC: Mapping[str, Any] = {"demand": Demand(form="rate", rate=8.0), "slo": Slo(ttft=0.155)}
"""What makes two replicas hold `question` by formula, where as simulated it takes three."""

PATIENCE = 60.0
"""Seconds after which what was waited for is thought never to come."""


class Watched(WorkerPool):
    """A pool that remembers what it was asked for, and holds replications back after `most` where that is set."""

    def __init__(self, workers: int = 1) -> None:
        super().__init__(workers)
        self.asked: list[str] = []
        self.most: int | None = None
        self.holding = False

    async def run_plain(self, name: str, payload: dict[str, Any], report: Report | None = None) -> Any:
        """Note the task's name and run it; a replication that is held back waits until it is cancelled."""
        self.asked.append(name)
        if name == "verification-replicate" and self.most is not None:
            self.holding = self.most == 0
            if self.holding:
                await asyncio.sleep(PATIENCE)
            self.most -= 1
        return await super().run_plain(name, payload, report)

    def replications(self) -> int:
        """Return how many replications were run since the last call."""
        count = self.asked.count("verification-replicate")
        self.asked.clear()
        return count


class Here(WorkerPool):
    """A pool whose tasks run in this process, where a test can bend what they use; runs are short, as lent workers'."""

    runs: Callable[[], AbstractContextManager[None]] = staticmethod(shorter_runs)

    async def run_plain(self, name: str, payload: dict[str, Any], report: Report | None = None) -> Any:
        """Run the task at once, and report that."""
        if report is not None:
            report(Progress(message=name))
        with self.runs():
            return call(find(name), payload, Context())


def trace(folder: Path) -> str:
    """Write 100 requests of 300 to 3,000 prompt tokens with short answers, ten a second, and return the path."""
    path = folder / "short.jsonl"
    lengths = [((300, 600, 900, 1500, 3000)[at % 5], (4, 8, 12, 16)[at % 4]) for at in range(100)]
    rows = [
        {"timestamp": at / 10, "input_tokens": prompt, "output_tokens": output}
        for at, (prompt, output) in enumerate(lengths)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def question(workload: str, **changes: Any) -> Question:
    """Ask for 20 requests/s on H100s in eights; three replicas hold a P99 TTFT of 200 ms, two do not."""
    asked = Question(
        workload=workload,
        demand=Demand(form="rate", rate=20.0),
        slo=Slo(ttft=0.2),
        gpus=("h100",),
        tp=(8,),
        pools=(1,),
        precision=0.2,
        max_num_seqs=256,
        token_budget=2048,
        front_end=0.0,
        step_law="roofline",
    )
    return replace(asked, **changes)


def sketch(*replicas: int, **changes: Any) -> FleetSketch:
    """Return a fleet of one or two pools of H100s in eights, split at 1,000 tokens."""
    splits = (1000,) * (len(replicas) - 1) + (None,)
    pools = (
        PoolSketch(gpu="h100", tp=8, replicas=count, up_to=end, max_num_seqs=256, token_budget=2048)
        for count, end in zip(replicas, splits, strict=True)
    )
    return FleetSketch(pools=tuple(replace(pool, **changes) for pool in pools))


def sizes(candidate: Candidate | None) -> tuple[int, ...]:
    """Return the replicas of each pool."""
    assert candidate is not None
    return tuple(pool.replicas for pool in candidate.fleet.pools)


def evidence_of(candidate: Candidate | None) -> Evidence:
    """Return the evidence of a candidate that has some."""
    assert candidate is not None
    assert candidate.evidence is not None
    return candidate.evidence


def tried(answer: Answer) -> list[Candidate]:
    """Return the candidates that were simulated."""
    return [one for one in answer.candidates if one.evidence and one.evidence.method == "simulation"]


def full(replications: Iterable[Replication]) -> tuple[int, ...]:
    """Return the indices of those that are not the short look."""
    return tuple(one.index for one in replications if one.index != LOOK)


def children(pid: int) -> list[int]:
    """Return the processes that a process has started and that still run, but for workers to be lent; needs Linux."""
    try:
        lists = [task.read_text() for task in Path(f"/proc/{pid}/task").glob("*/children")]
    except FileNotFoundError:
        return []
    waiting = {worker.pid for worker in LENDER.idle}
    return [child for one in " ".join(lists).split() if (child := int(one)) not in waiting]


def count(store: Store) -> int:
    """Return how many replications the newest job's plan has, short looks included."""
    plan = store.plan(store.job("last").plan)
    seed = store.job("last").seed
    return sum(len(store.replications(one.candidate, seed)) for one in plan.candidates)
