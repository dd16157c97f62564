"""Joint plans beside the same workloads planned one by one inside the same stock, and beside those of a larger stock.

`python -m tests.evidence.joint --out FILE` draws questions of two or three workloads over a stock of GPUs, plans them
together, then one after the other, each inside what the ones before it have left, then together over a larger stock.
It is met when no joint plan is more than 1 % dearer than one by one, than that of the smaller stock, or than that of
the larger one where this fits in the smaller, and none fails where the other passes. A replication of a fleet that any
of them had is not run again. A run that was stopped goes on where it was when FILE is the same.

A GPU whose kernels nobody measured is no answer where it is cheaper within its band alone: the answer then names it
with what it may cost. A smaller stock may leave nothing else; where the larger one's answer names it, it is set aside.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any

from fleettui.domain.digest import digest
from fleettui.domain.joint import Entry, JointQuestion, SharedLimits
from fleettui.domain.plan import cheaper_gpus
from fleettui.domain.scenario import Question
from fleettui.errors import FleettuiError
from fleettui.hardware import catalog
from fleettui.planning.make_plan import make_plan
from fleettui.planning.plan_together import plan_together
from fleettui.planning.studies.study_context import StudyContext
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import Report
from store import Store
from tests.evidence import common
from tests.evidence.wider import drawn, said

DEARER = 0.01
STOCKS = (4, 8, 16, 32, 64)
MORE = (1.0, 1.0, 1.25, 1.5, 2.0)
"""What the stock of a GPU type may be multiplied by for a larger one; one type's is multiplied by more than 1."""
SAME = ("rate", "pairing"), ("workload", "model", "slo")
"""Fields of a replication's source, and of the question in it, that its run depends on besides the fleet and draws."""


class Remembering(WorkerPool):
    """Workers that simulate a run of a fleet once, whichever plan asks for it."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.known: dict[str, Any] = {}

    async def run_plain(self, name: str, payload: dict[str, Any], report: Report | None = None) -> Any:
        if name != "verification-replicate":
            return await super().run_plain(name, payload, report)
        source, (own, asked) = payload["source"], SAME
        about = [*(source[key] for key in own), *(source["question"].get(key) for key in asked)]
        key = json.dumps([about, {key: one for key, one in payload.items() if key != "source"}], sort_keys=True)
        if key not in self.known:
            self.known[key] = await super().run_plain(name, payload, report)
        return self.known[key]


@dataclass(frozen=True, slots=True)
class Compared:
    """US dollars per hour together, one by one, and together over a larger stock; None: they do not all pass.

    `fits` tells whether what was found over the larger stock is in the smaller one, too; `named` whether its answers
    name GPUs of the smaller stock's as cheaper within their band alone: then they are dearer for that.
    """

    together: float | None
    apart: float | None
    larger: float | None
    fits: bool
    named: bool
    seconds: tuple[float, ...]

    @property
    def dearer(self) -> float:
        """By which share the joint plan costs more than one by one; infinite where it fails and those all pass."""
        return dearer(self.together, self.apart)

    @property
    def dearer_with_more(self) -> float:
        """By which share the larger stock's plan costs more, but for GPUs it names; infinite where it alone fails."""
        return dearer(self.larger, None if self.named else self.together)

    @property
    def dearer_with_less(self) -> float:
        """By which share the smaller stock's plan costs more than one that fits in it and was found over the larger."""
        return dearer(self.together, self.larger if self.fits else None)


def dearer(cost: float | None, other: float | None) -> float:
    """Return by which share one costs more than the other; infinite where it alone fails, 0 where the other does."""
    if other is None:
        return 0.0
    return math.inf if cost is None else cost / other - 1.0


def questions(count: int, seed: int, *, whole_nodes: bool = False) -> Iterator[JointQuestion]:
    """Yield joint questions at random; the stock is what may be too little, of whole nodes where these are paid for."""
    draw, single = random.Random(seed), drawn(3 * count, seed + 1)
    for place in range(count):
        own = [next(single) for _ in range(draw.choice((2, 2, 3)))]
        gpus = tuple(sorted({gpu for one in own for gpu in one.gpus}))
        entries = tuple(
            Entry(name=f"w{index}", question=replace(one, gpus=gpus, name=f"joint {place}/w{index}"))
            for index, one in enumerate(own)
        )
        stock = tuple((gpu, draw.choice(STOCKS[1:] if whole_nodes else STOCKS)) for gpu in gpus)
        limits = SharedLimits(max_gpus=stock, whole_nodes=whole_nodes)
        yield JointQuestion(name=f"joint {place}", entries=entries, limits=limits)


@dataclass(frozen=True, slots=True)
class Together:
    """What a joint plan costs, None where it does not pass, its GPUs by type, those that it names, and its seconds."""

    cost: float | None
    gpus: Counter[str]
    named: frozenset[str]
    seconds: float


async def together(question: JointQuestion, workers: WorkerPool) -> Together:
    """Return what a joint plan comes to."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "evidence.db") as store:
        found = await plan_together(StudyContext(store, workers), question)
    plans = [one.plan for one in found.planned if one.plan is not None and one.plan.answer is not None]
    gpus = Counter[str]()
    for best in (one.answer for one in plans if one.answer is not None):
        gpus.update(best.fleet.gpus_by_type)
    named = frozenset(gpu for one in plans for reason in one.why for gpu in cheaper_gpus(reason))
    return Together(found.joint.cost if found.verdict == "pass" else None, gpus, named, time.monotonic() - began)


async def apart(question: JointQuestion, workers: WorkerPool) -> tuple[float | None, float]:
    """Return what the workloads cost one by one, each inside what is left, None where one does not pass."""
    began, left, cost, whole = time.monotonic(), dict(question.limits.max_gpus), 0.0, question.limits.whole_nodes
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "evidence.db") as store:
        for entry in question.entries:
            gpus = tuple(gpu for gpu in entry.question.gpus if left[gpu])
            stock = tuple((gpu, left[gpu]) for gpu in gpus)
            own: Question = replace(entry.question, gpus=gpus, max_gpus=stock, whole_nodes=whole)
            found = await make_plan(own, store=store, pool=workers) if gpus else None
            if found is None or found.verdict != "pass" or found.answer is None:
                return None, time.monotonic() - began
            cost += found.answer.cost_per_hour
            for gpu, count in found.answer.fleet.gpus_by_type.items():
                size = catalog.gpu(gpu).gpus_per_node if whole else 1
                left[gpu] -= math.ceil(count / size) * size
    return cost, time.monotonic() - began


def with_more(question: JointQuestion, seed: int) -> JointQuestion:
    """Return the question over a larger stock: at least one GPU type has more."""
    draw = random.Random(f"{question.name} {seed}")
    stock = dict(question.limits.max_gpus)
    surely = draw.choice(sorted(stock))
    more = {gpu: draw.choice(MORE[2:] if gpu == surely else MORE) for gpu in sorted(stock)}
    larger = tuple((gpu, round(count * more[gpu])) for gpu, count in stock.items())
    return replace(question, limits=replace(question.limits, max_gpus=larger))


async def compared(question: JointQuestion, larger: JointQuestion, workers: Remembering) -> Compared | None:
    """Return all three, None for a question that cannot be asked."""
    workers.known.clear()
    try:
        first, (second, seconds), third = (
            await together(question, workers),
            await apart(question, workers),
            await together(larger, workers),
        )
    except FleettuiError:
        return None
    fits = all(third.gpus[gpu] <= most for gpu, most in question.limits.max_gpus)
    named = bool(third.named & {*first.gpus})
    return Compared(first.cost, second, third.cost, fits, named, (first.seconds, seconds, third.seconds))


async def show(asked: Sequence[JointQuestion], seed: int, jobs: int, out: Path | None) -> int:
    """Write a line per question and the sum; return the exit code."""
    ledger, rows = common.Ledger(out), list[Compared]()
    async with Remembering(jobs) as workers:
        for question in asked:
            larger = with_more(question, seed)
            key = [digest(question), digest(larger)]
            if key not in ledger:
                new = await compared(question, larger, workers)
                ledger.add(key, None if new is None else astuple(new))
            kept = ledger[key]
            if kept is None:
                continue
            rows.append(Compared(*kept))
            common.say(_line(rows[-1], question, larger))
    return common.verdict(claims(rows))


def claims(rows: Sequence[Compared]) -> list[tuple[str, bool]]:
    """Return what is claimed and whether it is met; where nothing was compared nothing is."""
    beside = [one.dearer for one in rows if one.apart is not None]
    more = [one.dearer_with_more for one in rows if one.together is not None and not one.named]
    less = [one.dearer_with_less for one in rows if one.larger is not None and one.fits]
    return [
        (
            f"no joint plan of {len(beside)} is more than {DEARER:.0%} dearer than one by one",
            max(beside, default=math.inf) <= DEARER,
        ),
        (
            f"no larger stock of {len(more)} makes a joint plan more than {DEARER:.0%} dearer",
            max(more, default=math.inf) <= DEARER,
        ),
        (
            f"none of {len(less)} that a larger stock has and a smaller one holds is missed there",
            max(less, default=math.inf) <= DEARER,
        ),
    ]


def _line(row: Compared, question: JointQuestion, larger: JointQuestion) -> str:
    stocks = dict(larger.limits.max_gpus)
    stock = ", ".join(f"{count} to {stocks[gpu]} {gpu}" for gpu, count in question.limits.max_gpus)
    costs = " ".join("-" if cost is None else f"${cost:.2f}" for cost in (row.together, row.apart, row.larger))
    seconds = " ".join(f"{one:.0f} s" for one in row.seconds)
    return (
        f"{row.dearer:+.1%} {row.dearer_with_more:+.1%} {row.dearer_with_less:+.1%} {costs} {seconds} | {stock} | "
        f"{' & '.join(said(one.question) for one in question.entries)}"
    )


def main(words: list[str] | None = None) -> int:
    """Print what was found; return 0 when the acceptance is met."""
    parser = argparse.ArgumentParser(prog="python -m tests.evidence.joint", description=__doc__)
    parser.add_argument("--questions", type=common.count, default=200, help="drawn at random")
    parser.add_argument("--seed", type=int, default=5, help="of the questions")
    parser.add_argument("--jobs", type=common.count, default=common.cores())
    parser.add_argument("--out", type=Path, help="a file of results, one a line, to go on from")
    parser.add_argument("--whole-nodes", action="store_true", help="pay for whole nodes, which workloads share")
    chosen = parser.parse_args(words)
    asked = [*questions(chosen.questions, chosen.seed, whole_nodes=chosen.whole_nodes)]
    return asyncio.run(show(asked, chosen.seed, chosen.jobs, chosen.out))


if __name__ == "__main__":
    sys.exit(main())
