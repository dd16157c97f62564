"""Fresh seeds: whether a verified plan holds beyond the draws that it was proven with, and is minimal beyond them.

`python -m tests.evidence.seeds --out FILE` asks the planner for every shipped workload on H100 and A100: 6 replicas'
worth of traffic, a P99 TTFT of twice what the workload has on an idle fleet. Then it verifies the answer anew under 40
root seeds that the planner did not use, 10 replications each; it is met when at least 95 % of them have a mean P99 TTFT
within the limit in every pool, and when with one replica fewer a pool's mean over four more seeds is above the limit,
or its utilization above the planner's. A run that was stopped goes on where it was when FILE is the same.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from fleettui.domain.demand import Demand
from fleettui.domain.digest import digest
from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import from_plain, to_plain
from fleettui.domain.slo import Slo
from fleettui.hardware import catalog
from fleettui.optimize.given_fleet import ScoredFleet
from fleettui.planning.make_plan import make_plan
from fleettui.planning.tasks.question_workload import workload_of
from fleettui.planning.tasks.simulation_inputs import Scene, read
from fleettui.planning.tasks.workload_slices import longest_allowed
from fleettui.planning.worker_pool import WorkerPool
from fleettui.reports import units
from fleettui.simulation.lengths import lengths
from fleettui.simulation.run import replicate
from fleettui.simulation.statistics import LEAST
from fleettui.workloads import library
from store import Store
from tests.evidence import common
from tests.evidence.pools import Setup, staged

GPUS = ("h100", "a100")
TP = 8
REPLICAS, BUSY = 6, 0.7
IDLE = 1e-3
TIMES = 2.0
"""The limit as a multiple of the idle P99 TTFT."""
HOLDS = 0.95
FRESH = 10_000
"""Root seed of the first new verification; the plan's own is 1."""
FEWER, FEWER_SEEDS = 20_000, 4
"""Root seed of the first verification with one replica fewer, and how many there are."""


@dataclass(frozen=True, slots=True)
class Case:
    """A workload on a GPU."""

    workload: str
    gpu: str

    def question(self, times: float) -> Question:
        """Return what the planner is asked."""
        busy = Setup(workload=self.workload, gpu=self.gpu, tp=TP, replicas=REPLICAS, utilization=BUSY)
        idle = staged(replace(busy, utilization=IDLE)).figures.ttft
        return Question(
            workload=self.workload,
            demand=Demand(form="rate", rate=float(f"{staged(busy).figures.arrival_rate:.3g}")),
            slo=Slo(ttft=float(f"{times * idle:.2g}")),
            gpus=(self.gpu,),
            tp=(TP,),
        )


@dataclass(frozen=True, slots=True)
class Planned:
    """The planner's answer: the fleet, the rate and the pairing of lengths that it was made for."""

    question: Question
    verdict: str
    rate: float
    pairing: str
    fleet: Fleet
    why: tuple[str, ...]


async def plan(question: Question, jobs: int) -> Planned:
    """Return the verified answer to a question, from a store of its own."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder) / "evidence.db")
        try:
            async with WorkerPool(jobs) as workers:
                answer = await make_plan(question, store=store, pool=workers)
        finally:
            store.close()
    return planned(question, answer)


def planned(question: Question, answer: Answer) -> Planned:
    """Return what the seeds need of an answer; raises AssertionError where there is none."""
    assert answer.answer is not None, f"no fleet for {question}"
    return Planned(
        question=question,
        verdict=answer.verdict,
        rate=answer.demand.rate,
        pairing=answer.demand.pairing,
        fleet=answer.answer.fleet,
        why=answer.why,
    )


@dataclass(frozen=True, slots=True)
class Piece:
    """One verification: the planned fleet at some sizes under one root seed."""

    case: Case
    planned: Planned
    sizes: tuple[int, ...]
    seed: int

    @property
    def key(self) -> tuple[Any, ...]:
        """Say which it is in plain values."""
        fleet = digest((self.planned.fleet, self.planned.rate))
        return self.case.workload, self.case.gpu, fleet, list(self.sizes), self.seed


@lru_cache(maxsize=4)
def scene_of(question: Question, pairing: str, rate: float) -> Scene:
    """Return the scene that the planner had."""
    workload = workload_of(question, longest=longest_allowed(question, catalog.model(question.model)))
    cases, context = read(question, workload)
    case = next(one for one in cases if one.pairing == pairing)
    return Scene(question=question, case=case, rate=rate, context=context)


def fixed(planned: Planned, sizes: Sequence[int]) -> ScoredFleet:
    """Return the planned fleet at other sizes, as the formulas see it, with its traffic."""
    return scene_of(planned.question, planned.pairing, planned.rate).resize(planned.fleet, sizes)[0]


def verified(piece: Piece) -> list[float]:
    """Return the mean P99 TTFT of each pool over one verification."""
    found = fixed(piece.planned, piece.sizes)
    fleet = found.candidate.fleet
    needed = lengths(fleet, found.traffic).pools
    runs = [
        replicate(
            fleet,
            found.traffic,
            needed,
            profiles=[None] * len(fleet.pools),
            slo=piece.planned.question.slo,
            seed=piece.seed,
            index=index,
        )
        for index in range(LEAST)
    ]
    return [statistics.fmean(run.pools[place].ttft or 0.0 for run in runs) for place in range(len(fleet.pools))]


def sizes_of(fleet: Fleet) -> tuple[int, ...]:
    """Return the replicas of each pool."""
    return tuple(pool.replicas for pool in fleet.pools)


def one_fewer(planned: Planned, place: int) -> tuple[int, ...] | None:
    """Return the sizes with one replica fewer in a pool, None where it has one or may not be so busy."""
    sizes = list(sizes_of(planned.fleet))
    if sizes[place] == 1 or busy_with_fewer(planned, place) > planned.question.max_utilization:
        return None
    sizes[place] -= 1
    return tuple(sizes)


def busy_with_fewer(planned: Planned, place: int) -> float:
    """Return the utilization of a pool without one of its replicas."""
    size = planned.fleet.pools[place].replicas
    return fixed(planned, sizes_of(planned.fleet)).candidate.pools[place].utilization * size / (size - 1)


def pieces_of(case: Case, planned: Planned, seeds: int) -> list[Piece]:
    """Return every verification that a case takes."""
    found = [Piece(case, planned, sizes_of(planned.fleet), FRESH + seed) for seed in range(seeds)]
    for place in range(len(planned.fleet.pools)):
        if sizes := one_fewer(planned, place):
            found += [Piece(case, planned, sizes, FEWER + seed) for seed in range(FEWER_SEEDS)]
    return found


def main(words: list[str] | None = None) -> int:
    """Print the table; return 0 when the acceptance is met."""
    parser = argparse.ArgumentParser(prog="python -m tests.evidence.seeds", description=__doc__)
    parser.add_argument("--workload", choices=library.names(), action="append", help="only this one; may be repeated")
    parser.add_argument("--gpu", choices=GPUS, action="append", help="only this one")
    parser.add_argument("--seeds", type=common.count, default=40, help="new root seeds")
    parser.add_argument("--times", type=float, default=TIMES, help="the limit over the idle P99 TTFT")
    parser.add_argument("--jobs", type=common.count, default=common.cores())
    parser.add_argument("--out", type=Path, help="file of results, from which a stopped run goes on")
    asked = parser.parse_args(words)
    ledger = common.Ledger(asked.out)
    cases = [Case(workload, gpu) for workload in asked.workload or library.names() for gpu in asked.gpu or GPUS]
    plans = {case: _plan(case, ledger, asked.times, asked.jobs) for case in cases}
    pieces = [piece for case, found in plans.items() for piece in pieces_of(case, found, asked.seeds)]
    for piece, values in common.work(verified, [one for one in pieces if one.key not in ledger], asked.jobs):
        ledger.add(piece.key, values)
    rows, checks = [], []
    for case, found in plans.items():
        share, cells = _judge(case, found, ledger, asked.seeds)
        fewer = [_fewer(case, found, ledger, place) for place in range(len(found.fleet.pools))]
        rows.append((f"{case.workload} {case.gpu}", *cells, "; ".join(words for words, _ in fewer)))
        met = found.verdict == "pass" and share >= HOLDS and all(met for _, met in fewer)
        checks.append((f"{case.workload} on {case.gpu}: {found.verdict}, {share:.0%} of {asked.seeds} seeds hold", met))
    titles = ("plan", "rate", "limit", "replicas", "P99 TTFT", "worst", "hold", "one fewer")
    common.show(f"verified plans under {asked.seeds} new root seeds", titles, rows)
    return common.verdict(checks)


def _plan(case: Case, ledger: common.Ledger, times: float, jobs: int) -> Planned:
    key = (case.workload, case.gpu, "plan", times)
    if key not in ledger:
        ledger.add(key, to_plain(asyncio.run(plan(case.question(times), jobs))))
    return from_plain(Planned, ledger[key])


def _judge(case: Case, planned: Planned, ledger: common.Ledger, seeds: int) -> tuple[float, tuple[str, ...]]:
    """Return the share of the seeds that hold, and the cells of a row up to it."""
    limit = planned.question.slo.ttft
    assert limit is not None, "every question has a limit"
    pieces = pieces_of(case, planned, seeds)[:seeds]
    worst = [max(ledger[piece.key]) for piece in pieces]
    share = sum(value <= limit for value in worst) / seeds
    cells = (
        units.per_second(planned.rate),
        units.seconds(limit),
        "+".join(map(str, sizes_of(planned.fleet))),
        f"{statistics.fmean(worst):.3g} s",
        f"{max(worst):.3g} s",
        f"{share:.0%}",
    )
    return share, cells


def _fewer(case: Case, planned: Planned, ledger: common.Ledger, place: int) -> tuple[str, bool]:
    """Return what one replica fewer in a pool does, and whether that breaks a limit."""
    if planned.fleet.pools[place].replicas == 1:
        return "none", True
    sizes = one_fewer(planned, place)
    if sizes is None:
        return f"{busy_with_fewer(planned, place):.3f} busy", True
    pieces = [Piece(case, planned, sizes, FEWER + seed) for seed in range(FEWER_SEEDS)]
    mean = statistics.fmean(ledger[piece.key][place] for piece in pieces)
    return f"{mean:.3g} s", mean > (planned.question.slo.ttft or 0.0)


if __name__ == "__main__":
    sys.exit(main())
