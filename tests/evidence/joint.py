"""Joint plans beside the same workloads planned one by one inside the same stock: how often, and by how much, dearer.

`python -m tests.evidence.joint --out FILE` draws questions of two or three workloads over a stock of GPUs, plans them
together, then one after the other, each inside what the ones before it have left. It is met when no joint plan is more
than 1 % dearer, and none fails where one by one all pass. A run that was stopped goes on where it was when FILE is the
same.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fleettui.domain.digest import digest
from fleettui.domain.joint import Entry, JointQuestion, SharedLimits
from fleettui.domain.scenario import Question
from fleettui.errors import FleettuiError
from fleettui.planning.joint import plan_together
from fleettui.planning.make_plan import make_plan
from fleettui.planning.studies.study_context import StudyContext
from fleettui.planning.worker_pool import WorkerPool
from store import Store
from tests.evidence import common
from tests.evidence.wider import drawn, said

DEARER = 0.01
STOCKS = (4, 8, 16, 32, 64)


@dataclass(frozen=True, slots=True)
class Both:
    """US dollars per hour together and one by one (None: they do not all pass), and the seconds that each took."""

    together: float | None
    apart: float | None
    seconds: tuple[float, float]

    @property
    def dearer(self) -> float:
        """By which share the joint plan costs more; infinite where it fails and one by one all pass."""
        if self.apart is None:
            return 0.0
        return float("inf") if self.together is None else self.together / self.apart - 1.0


def questions(count: int, seed: int) -> Iterator[JointQuestion]:
    """Yield joint questions at random; the stock is what may be too little."""
    draw, single = random.Random(seed), drawn(3 * count, seed + 1)
    for place in range(count):
        own = [next(single) for _ in range(draw.choice((2, 2, 3)))]
        gpus = tuple(sorted({gpu for one in own for gpu in one.gpus}))
        entries = tuple(
            Entry(name=f"w{index}", question=replace(one, gpus=gpus, name=f"joint {place}/w{index}"))
            for index, one in enumerate(own)
        )
        stock = tuple((gpu, draw.choice(STOCKS)) for gpu in gpus)
        yield JointQuestion(name=f"joint {place}", entries=entries, limits=SharedLimits(max_gpus=stock))


async def together(question: JointQuestion, workers: WorkerPool) -> tuple[float | None, float]:
    """Return what a joint plan costs, None where it does not pass, and its seconds."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "evidence.db") as store:
        found = await plan_together(StudyContext(store, workers), question)
    cost = sum(one.plan.answer.cost_per_hour for one in found.planned if one.plan is not None and one.plan.answer)
    return (cost if found.verdict == "pass" else None), time.monotonic() - began


async def apart(question: JointQuestion, workers: WorkerPool) -> tuple[float | None, float]:
    """Return what the workloads cost one by one, each inside what is left, None where one does not pass."""
    began, left, cost = time.monotonic(), dict(question.limits.max_gpus), 0.0
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "evidence.db") as store:
        for entry in question.entries:
            gpus = tuple(gpu for gpu in entry.question.gpus if left[gpu])
            own: Question = replace(entry.question, gpus=gpus, max_gpus=tuple((gpu, left[gpu]) for gpu in gpus))
            found = await make_plan(own, store=store, pool=workers) if gpus else None
            if found is None or found.verdict != "pass" or found.answer is None:
                return None, time.monotonic() - began
            cost += found.answer.cost_per_hour
            for gpu, count in found.answer.fleet.gpus_by_type.items():
                left[gpu] -= count
    return cost, time.monotonic() - began


async def compared(question: JointQuestion, workers: WorkerPool) -> Both | None:
    """Return both, None for a question that cannot be asked."""
    try:
        one, first = await together(question, workers)
        other, second = await apart(question, workers)
    except FleettuiError:
        return None
    return Both(one, other, (first, second))


async def show(asked: Sequence[JointQuestion], jobs: int, out: Path | None) -> int:
    """Write a line per question and the sum; return the exit code."""
    ledger, worst, looked = common.Ledger(out), 0.0, 0
    async with WorkerPool(jobs) as workers:
        for question in asked:
            key = [digest(question)]
            if key not in ledger:
                new = await compared(question, workers)
                ledger.add(key, None if new is None else [new.together, new.apart, *new.seconds])
            kept = ledger[key]
            if kept is None:
                continue
            both = Both(kept[0], kept[1], (kept[2], kept[3]))
            looked += both.apart is not None
            worst = max(worst, both.dearer)
            stock = ", ".join(f"{count} {gpu}" for gpu, count in question.limits.max_gpus)
            common.say(
                f"{both.dearer:+.1%} {both.together} {both.apart} {both.seconds[0]:.0f} s {both.seconds[1]:.0f} s | "
                f"{stock} | {' & '.join(said(one.question) for one in question.entries)}"
            )
    met = worst <= DEARER
    return common.verdict([(f"no joint plan of {looked} is more than {DEARER:.0%} dearer than one by one", met)])


def main(words: list[str] | None = None) -> int:
    """Print what was found; return 0 when the acceptance is met."""
    parser = argparse.ArgumentParser(prog="python -m tests.evidence.joint", description=__doc__)
    parser.add_argument("--questions", type=common.count, default=200, help="drawn at random")
    parser.add_argument("--seed", type=int, default=5, help="of the questions")
    parser.add_argument("--jobs", type=common.count, default=common.cores())
    parser.add_argument("--out", type=Path, help="a file of results, one a line, to go on from")
    chosen = parser.parse_args(words)
    return asyncio.run(show([*questions(chosen.questions, chosen.seed)], chosen.jobs, chosen.out))


if __name__ == "__main__":
    sys.exit(main())
