"""Whether disaggregated fleets that a simulation proves are minimal: with one replica fewer in either pool they fail.

`python -m tests.evidence.minimal --out FILE` asks for fleets of shipped workloads at several rates and limits, takes
the best disaggregated fleet of each by formula to the smallest of its make that holds in simulation, as `fleettui
disagg` does, and then takes one replica from either pool: that must fail in simulation, or break a stated limit on
load, money or stock. It is met when it does in every fleet, and 30 were found to look at. A run that was stopped goes
on where it was when FILE is the same.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from fleettui.domain.demand import Demand
from fleettui.domain.digest import digest
from fleettui.domain.disagg import Disaggregated
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import FleettuiError
from fleettui.planning.disagg_ask import DisaggAsk
from fleettui.planning.disagg_trials import DisaggTrials
from fleettui.planning.make_plan import make_plan
from fleettui.planning.studies.study_context import StudyContext
from fleettui.planning.worker_pool import WorkerPool
from store import Store
from tests.evidence import common

WORKLOADS = (
    "azure-2023-conv",
    "azure-2023-code",
    "azure-2023-both",
    "arxiv-summarization",
    "lmsys-paper",
    "servegen-deepseek-r1-h10",
)
LONG = WORKLOADS[-2:]
"""Those whose runs take longest."""
RATES = (16.0, 40.0)
LIMITS = (Slo(ttft=1.5, tpot=0.03), Slo(ttft=3.0, tpot=0.05), Slo(ttft=8.0, tpot=0.1))
WANTED = 30
HOLDS = "holds"


def questions() -> list[Question]:
    """Return the questions, the cheapest to simulate first."""
    return [
        Question(
            workload=workload,
            demand=Demand(form="rate", rate=rate),
            slo=slo,
            gpus=("h100",),
            tp=(4, 8),
            pools=(1,),
            step_law="kernels",
            verify=False,
        )
        for rate, slo, workload in sorted(product(RATES, LIMITS, WORKLOADS), key=_long)
    ]


def _long(asked: tuple[float, Slo, str]) -> tuple[bool, float]:
    return asked[2] in LONG, asked[0]


async def looked(question: Question, workers: WorkerPool) -> list[str] | None:
    """Return sizes and the words of both smaller fleets; None where there is no proven fleet to look at."""
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "evidence.db") as store:
        try:
            plan = await make_plan(question, store=store, pool=workers)
            desk = StudyContext(store, workers)
            kept = desk.kept(plan.plan.id)
            gpus = tuple(sorted({one.gpu for one in kept.profiles}))
            ask = DisaggAsk(source=kept.source(f"minimal {kept.id}", kept.profiles), near=gpus, left_out=())
            found = await desk.run("disagg", Disaggregated, ask=ask)
            if not found.rows:
                return None
            trials = DisaggTrials(desk=desk, kept=kept, source=ask.source, fleet=found.rows[0].fleet)
            proof = await trials.smallest()
        except FleettuiError:
            return None
        if proof is None or proof.verdict != "pass":
            return None
        sizes = proof.pools[0].replicas, proof.pools[1].replicas
        return [f"{sizes[0]}P:{sizes[1]}D", *[await _one_fewer(trials, sizes, side) for side in (0, 1)]]


async def _one_fewer(trials: DisaggTrials, sizes: tuple[int, int], side: int) -> str:
    """Return what a fleet with one replica fewer on a side does."""
    if sizes[side] == 1:
        return "was the last"
    fewer = (sizes[0] - (side == 0), sizes[1] - (side == 1))
    stage = await trials._stage(fewer)
    if not stage.within:
        busy = max(stage.figures.prefill_busy, stage.figures.decode_busy)
        return f"breaks a limit at {busy:.2f} busy"
    if await trials._holds(fewer):
        return HOLDS
    pool = trials.tried[fewer][1].pools[0]
    return f"fails at TTFT {pool.ttft.value or 0.0:.2f} s, TPOT {1e3 * (pool.tpot.value or 0.0):.1f} ms"


async def show(asked: Sequence[Question], jobs: int, out: Path | None) -> int:
    """Write a line per question and the sum; return the exit code."""
    ledger, seen, larger = common.Ledger(out), 0, 0
    async with WorkerPool(jobs) as workers:
        for question in asked:
            key = [digest(question)]
            if key not in ledger:
                ledger.add(key, await looked(question, workers))
            found = ledger[key]
            words = f"{question.workload} at {question.demand.rate:g}/s, TTFT {question.slo.ttft:g} s, " + (
                f"TPOT {1e3 * (question.slo.tpot or 0.0):g} ms"
            )
            if found is None:
                common.say(f"{words}: no proven fleet")
                continue
            seen += 1
            larger += HOLDS in found[1:]
            common.say(f"{words}: {found[0]}; one prefill fewer {found[1]}, one decode fewer {found[2]}")
    checks = [
        (f"of {seen} proven fleets none holds with one replica fewer ({larger} do)", not larger),
        (f"{seen} fleets were found to look at, {WANTED} wanted", seen >= WANTED),
    ]
    return common.verdict(checks)


def main(words: list[str] | None = None) -> int:
    """Print what was found; return 0 when the acceptance is met."""
    parser = argparse.ArgumentParser(prog="python -m tests.evidence.minimal", description=__doc__)
    parser.add_argument("--questions", type=common.count, default=len(questions()), help="of the list, from its start")
    parser.add_argument("--jobs", type=common.count, default=common.cores())
    parser.add_argument("--out", type=Path, help="a file of results, one a line, to go on from")
    chosen = parser.parse_args(words)
    return asyncio.run(show(questions()[: chosen.questions], chosen.jobs, chosen.out))


if __name__ == "__main__":
    sys.exit(main())
