"""Studies of kept plans beside the plans' own simulations: whether a row of any contradicts one.

`python -m tests.evidence.studies --out FILE` asks questions at random, has the answers simulated, makes the steps,
growth and a sweep of each, and looks for a row that says otherwise of a fleet than its kept simulation does. It is met
when there is none. A run that was stopped goes on where it was when FILE is the same.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from fleettui.domain.digest import digest
from fleettui.domain.scenario import Question
from fleettui.errors import FleettuiError
from fleettui.planning.make_plan import make_plan
from fleettui.planning.worker_pool import WorkerPool
from store import Store
from tests.evidence import common
from tests.evidence.wider import drawn, said
from tests.planning.contradictions import contradictions


async def found_by(question: Question, workers: WorkerPool) -> list[str] | None:
    """Return what the studies of a question's plan contradict, None where no fleet was found to hold its limits.

    Of such a plan studies say that no number of replicas does.
    """
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "evidence.db") as store:
        try:
            plan = await make_plan(question, store=store, pool=workers)
        except FleettuiError:
            return None
        if plan.answer is None or plan.simulation is None or plan.verdict == "fail":
            return None
        return await contradictions(store, plan.plan.id, workers)


async def show(questions: Sequence[Question], jobs: int, out: Path | None) -> int:
    """Write a line per question and the sum; return the exit code."""
    ledger, looked, wrong = common.Ledger(out), 0, 0
    async with WorkerPool(jobs) as workers:
        for question in questions:
            key = [digest(question)]
            if key not in ledger:
                ledger.add(key, await found_by(question, workers))
            rows = ledger[key]
            looked += rows is not None
            wrong += bool(rows)
            common.say(f"{said(question)}: {'no fleet' if rows is None else '; '.join(rows) or 'nothing'}")
    return common.verdict([(f"no study of {looked} plans contradicts a kept simulation", not wrong)])


def main(words: list[str] | None = None) -> int:
    """Print what was found; return 0 when the acceptance is met."""
    parser = argparse.ArgumentParser(prog="python -m tests.evidence.studies", description=__doc__)
    parser.add_argument("--questions", type=common.count, default=100, help="drawn at random")
    parser.add_argument("--seed", type=int, default=3, help="of the questions")
    parser.add_argument("--jobs", type=common.count, default=common.cores())
    parser.add_argument("--out", type=Path, help="a file of results, one a line, to go on from")
    chosen = parser.parse_args(words)
    return asyncio.run(show([*drawn(chosen.questions, chosen.seed)], chosen.jobs, chosen.out))


if __name__ == "__main__":
    sys.exit(main())
