"""A wide question beside its narrower forms: how often, and by how much, the wide answer is dearer.

`python -m tests.evidence.wider --out FILE` draws questions over shipped workloads, models, GPU types and limits, at
small rates, and asks each as it is, then for each of its GPU types alone: one pool of each useful number of GPUs per
replica, and two pools. What one form has simulated is not simulated again for another. A narrower form whose fleet by
formula costs `--narrow` times the wide answer is not asked. It is met when no wide answer is more than 1 % dearer than
the best of its narrower forms. A run that was stopped goes on where it was when FILE is the same.

A GPU whose kernels nobody measured is no answer where it costs more at the slower end of its band than what is known
better does at the slower end of its own: the answer then names it with what it may cost, or costs at most. A form of a
GPU that the wide answer names so is shown beside it, and does not decide. With `--confidence .9` every form asks for a
fleet that is as sure, and any GPU may be the answer.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fleettui.domain.advice import AT_MOST
from fleettui.domain.digest import digest
from fleettui.domain.plan import WITHOUT, Answer, cheaper_gpus
from fleettui.domain.scenario import Question
from fleettui.errors import FleettuiError
from fleettui.planning.make_plan import make_plan
from fleettui.planning.synchronous import question
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import Report
from store import Store
from tests.evidence import common

NARROW = 1.35
DEARER = 0.01
SHORT = ("azure-2023-code", "azure-2023-both", "azure-2023-conv", "arxiv-summarization")
LONG = "mooncake-conversation"
MODELS = ("llama-3.1-8b", "llama-3.1-70b", "qwen3-32b")
GPUS = ("h100", "h200", "a100", "l40s", "b200", "mi300x")
TPS = (1, 2, 4, 8)
KNOWN = (
    question(SHORT[0], rate="50/s", slo_ttft="400ms", gpu="h100"),
    question(SHORT[1], rate="40/s", slo_ttft="600ms", slo_tpot="40ms", gpu="h100,h200"),
    question(SHORT[2], rate="23.9/s", slo_ttft="150ms", model="llama-3.1-8b", gpu="l40s,h100"),
    question(SHORT[3], rate="13.5/s", slo_ttft="160ms", model="llama-3.1-8b", gpu="l40s,h100"),
    question(SHORT[2], rate="30.4/s", slo_ttft="500ms", model="llama-3.1-70b", gpu="h100"),
)
"""Five that were once answered 6 to 33 % dearer than their narrower forms."""


SAME = ("rate", "pairing")
"""What of a scene a replication depends on where workload, engine and limits are the same."""


class Remembering(WorkerPool):
    """Workers that simulate a run of a fleet once for a wide question and its narrower forms.

    All of these have the same requests, engine and limits, so that a replication is of fleet, rate and draws alone.
    """

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.known: dict[str, Any] = {}
        self.spared = 0

    async def run_plain(self, name: str, payload: dict[str, Any], report: Report | None = None) -> Any:
        if name != "verification-replicate":
            return await super().run_plain(name, payload, report)
        scene = {key: payload["source"][key] for key in SAME}
        key = json.dumps([scene, {key: one for key, one in payload.items() if key != "source"}], sort_keys=True)
        self.spared += key in self.known
        if key not in self.known:
            self.known[key] = await super().run_plain(name, payload, report)
        return self.known[key]


@dataclass(frozen=True, slots=True)
class Asked:
    """What one question came to: US dollars per hour (None: no fleet), fleets simulated, seconds, the fleet, and GPUs
    of others that it names as what may be cheaper.
    """

    cost: float | None
    tried: int
    seconds: float
    fleet: str
    named: Sequence[str] = ()


def drawn(count: int, seed: int) -> Iterator[Question]:
    """Yield questions at random."""
    draw = random.Random(seed)
    for _ in range(count):
        workload = draw.choice((*SHORT, LONG))
        model = draw.choice(MODELS)
        gpus = tuple(sorted(draw.sample(GPUS, draw.choice((1, 2, 2, 3)))))
        long = workload == LONG
        rate = round(2 ** (draw.uniform(0.5, 3.0) if long else draw.uniform(2.5, 5.2)), 1)
        ttft = round((6.0 if long else 1.0) * 2 ** draw.uniform(-2.0, 1.0), 2)
        tpot = round(2 ** draw.uniform(-5.2, -3.6), 3) if draw.random() < 0.5 else None
        limits = {"slo_ttft": f"{ttft}s"} | ({} if tpot is None else {"slo_tpot": f"{tpot}s"})
        yield question(workload, rate=f"{rate}/s", model=model, gpu=",".join(gpus), **limits)


def narrower(question: Question) -> Iterator[Question]:
    """Yield the forms of a question for one of its GPU types."""
    for gpu in question.gpus:
        for tp in TPS:
            yield replace(question, gpus=(gpu,), pools=(1,), tp=(tp,))
        yield replace(question, gpus=(gpu,), pools=(2,))


async def ask(question: Question, workers: WorkerPool) -> Asked:
    """Return what a question comes to, from a store of its own."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "evidence.db") as store:
        try:
            found = await make_plan(question, store=store, pool=workers)
        except FleettuiError:
            return Asked(None, 0, 0.0, "")
    best = found.answer if found.verdict == "pass" else None
    tried = sum(one.simulation is not None for one in found.candidates)
    own = {pool.gpu for pool in best.fleet.pools} if best else set()
    told = (gpu for one in found.why for gpu in (*cheaper_gpus(one), *open_aside(found, question, one)))
    named = sorted({*told} - own)
    return Asked(best.cost_per_hour if best else None, tried, time.monotonic() - began, words(found), named)


def open_aside(found: Answer, question: Question, reason: str) -> Iterator[str]:
    """Yield the GPUs, known less than the answer's, of which a reason says what they cost at most instead."""
    best = found.answer
    for one in found.candidates if best is not None and reason.startswith(WITHOUT) and AT_MOST in reason else ():
        if best is not None and question.sets_aside(one, best):
            yield from (gpu for gpu in one.fleet.gpus_by_type if f" {gpu.upper()} " in reason)


def words(answer: Answer) -> str:
    """Return an answer's fleet in a few signs."""
    pools = answer.answer.fleet.pools if answer.answer is not None else ()
    return " + ".join(f"{pool.replicas}x {pool.gpu} tp{pool.tp}" for pool in pools)


@dataclass(frozen=True, slots=True)
class Compared:
    """A wide question's answer, and US dollars per hour of the best of its narrower forms (None: no fleet).

    `named` is that of the best of GPUs which the answer names as what may be cheaper.
    """

    wide: Asked
    best: float | None
    named: float | None


async def compared(question: Question, workers: Remembering, ledger: common.Ledger, narrow: float) -> Compared:
    """Ask a wide question and its narrower forms, those that by formula cost at most `narrow` times as much."""
    workers.known.clear()
    wide = await remembered(question, workers, ledger)
    costs: dict[bool, list[float]] = {False: [], True: []}
    for one in narrower(question) if wide.cost is not None else ():
        by_formula = await remembered(replace(one, verify=False), workers, ledger)
        if by_formula.cost is not None and wide.cost is not None and by_formula.cost <= narrow * wide.cost:
            cost = (await remembered(one, workers, ledger)).cost
            costs[one.gpus[0] in wide.named].extend([] if cost is None else [cost])
    return Compared(wide, *(min(costs[is_named], default=None) for is_named in (False, True)))


async def remembered(question: Question, workers: WorkerPool, ledger: common.Ledger) -> Asked:
    """Return what a question comes to, asked once."""
    key = [digest(question)]
    if key not in ledger:
        found = await ask(question, workers)
        ledger.add(key, [found.cost, found.tried, found.seconds, found.fleet, found.named])
    return Asked(*ledger[key])


def said(question: Question) -> str:
    """Return a question in a few signs."""
    limits = " ".join(f"{limit.name} {limit.seconds:g}" for limit in question.slo.limits())
    return f"{question.workload} {question.demand.rate:g}/s {question.model} {','.join(question.gpus)} {limits}"


async def show(questions: list[Question], jobs: int, out: Path | None, narrow: float) -> int:
    """Write a line per question and the sums; return the exit code."""
    ledger, rows, tried, seconds, over = common.Ledger(out), [], [], 0.0, []
    async with Remembering(jobs) as workers:
        for question in questions:
            found = await compared(question, workers, ledger, narrow)
            wide = found.wide
            if wide.cost is None or found.best is None:
                continue
            over.append(wide.cost / found.best - 1.0)
            tried.append(wide.tried)
            seconds += wide.seconds
            costs = (f"${cost:.2f}" if cost is not None else "" for cost in (wide.cost, found.best, found.named))
            rows.append((said(question), *costs, f"{over[-1]:+.1%}", str(wide.tried), wide.fleet))
            common.say(" | ".join(rows[-1]))
    common.show("Wide beside narrow", ("question", "wide", "narrow", "named", "dearer", "tried", "fleet"), rows)
    if not over:
        return common.verdict([("some question has a fleet", False)])
    dearer = sum(one > DEARER for one in over)
    common.note(
        f"{len(over)} questions; median of {statistics.median(tried):g} fleets simulated, {seconds:.0f} s in all; the "
        f"wide answer is {max(over):.1%} dearer at most, more than {DEARER:.0%} in {dearer}; {workers.spared:,} runs "
        "were known from another form"
    )
    return common.verdict([(f"no wide answer is more than {DEARER:.0%} dearer", max(over) <= DEARER)])


def main(words: list[str] | None = None) -> int:
    """Print the table; return 0 when the acceptance is met."""
    parser = argparse.ArgumentParser(prog="python -m tests.evidence.wider", description=__doc__)
    parser.add_argument("--questions", type=common.count, default=30, help="drawn at random, after five that are known")
    parser.add_argument("--seed", type=int, default=11, help="of the questions")
    parser.add_argument("--jobs", type=common.count, default=common.cores())
    parser.add_argument("--out", type=Path, help="a file of results, one a line, to go on from")
    parser.add_argument("--narrow", type=float, default=NARROW, help="times the cost that a form may have by formula")
    parser.add_argument(
        "--confidence", type=float, help="a share of the cases that every question asks for, such as .9"
    )
    chosen = parser.parse_args(words)
    asked = (*KNOWN, *drawn(chosen.questions, chosen.seed))
    questions = [replace(one, confidence=chosen.confidence) for one in asked]
    return asyncio.run(show(questions, chosen.jobs, chosen.out, chosen.narrow))


if __name__ == "__main__":
    sys.exit(main())
