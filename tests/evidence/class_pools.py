"""Pools behind a router by class by formula beside their simulation: `python -m tests.evidence.class_pools`, a minute.

Each line is a pool of two, Llama-3.1-70B on H100, behind the routers by length and by class: what the formula says over
what the simulation shows of its rate, its load and its P99 latencies, of both classes.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fleettui.domain.fleet import FleetSketch, PoolSketch
from fleettui.domain.limit import E2E, TTFT, Latency
from fleettui.domain.plan import PoolFigures
from fleettui.domain.scenario import Question
from fleettui.domain.simulation import PoolRun
from fleettui.domain.slo import Slo
from fleettui.hardware import catalog
from fleettui.planning.tasks.question_workload import workload_of
from fleettui.planning.tasks.simulation_inputs import Scene, read
from fleettui.planning.tasks.workload_slices import longest_allowed
from fleettui.simulation.lengths import lengths
from fleettui.simulation.run import replicate
from tests.evidence import common

RUNS, MOST = 3, 60_000
BATCH = tuple(Latency(metric=metric.name, batch=True) for metric in (TTFT, E2E))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """Replicas of tp 4 of a shorter and a longer pool, divided at `split` tokens, at `rate` requests per second."""

    workload: str
    split: int
    rate: float
    sizes: tuple[int, int]
    batch_share: float
    router: str = "class"


FLEETS = (
    Fleet(workload="azure-2023-conv", split=2048, rate=60.0, sizes=(6, 12), batch_share=0.3, router="length"),
    Fleet(workload="azure-2023-conv", split=2048, rate=60.0, sizes=(4, 12), batch_share=0.3),
    Fleet(workload="azure-2023-conv", split=2048, rate=60.0, sizes=(4, 6), batch_share=0.3),
    Fleet(workload="azure-2023-conv", split=2048, rate=60.0, sizes=(4, 4), batch_share=0.3),
    Fleet(workload="azure-2023-code", split=4096, rate=30.0, sizes=(2, 4), batch_share=0.6),
)


def played(one: Fleet) -> Iterator[tuple[PoolFigures, list[PoolRun]]]:
    """Yield each pool's figures by formula, and its runs."""
    question = Question(
        workload=one.workload,
        slo=Slo(ttft=1.0, further=(("batch.ttft", 20.0), ("batch.e2e", 200.0))),
        batch_share=one.batch_share,
        router=one.router,
    )
    workload = workload_of(question, longest=longest_allowed(question, catalog.model(question.model)))
    cases, context = read(question, workload)
    pools = tuple(
        PoolSketch(gpu="h100", model=question.model, tp=4, replicas=count, up_to=end)
        for count, end in zip(one.sizes, (one.split, None), strict=True)
    )
    scene = Scene(question=question, case=cases[0], rate=one.rate, context=context)
    fixed, profiles = scene.stage(FleetSketch(router=one.router, pools=pools))
    fleet, traffic = fixed.candidate.fleet, fixed.traffic
    short = [
        replace(pool, warm_up=min(pool.warm_up, MOST // 3), measured=min(pool.measured, MOST))
        for pool in lengths(fleet, traffic).pools
    ]
    runs = [
        replicate(fleet, traffic, short, profiles=profiles, slo=question.slo, seed=1, index=index)
        for index in range(RUNS)
    ]
    for place, figures in enumerate(fixed.candidate.pools):
        yield figures, [run.pools[place] for run in runs]


def main() -> int:
    """Simulate the fleets and print a line for each of their pools."""
    rows = []
    for one in FLEETS:
        for figures, runs in played(one):
            pairs: list[tuple[float, list[float] | list[float | None]]] = [
                (figures.arrival_rate, [run.offered / run.duration for run in runs]),
                (figures.utilization, [run.utilization for run in runs]),
                *((figures.at(own), [run.at(own) for run in runs]) for own in (TTFT.latency, E2E.latency, *BATCH)),
            ]
            name = f"{one.router} {one.workload} {one.batch_share:.0%} batch, {one.sizes[0]} + {one.sizes[1]}"
            rows.append((name, figures.name, f"{figures.utilization:.2f}", *(_ratio(*pair) for pair in pairs)))
    title = "formula over simulation of pools behind a router"
    common.show(title, ("fleet", "pool", "busy", "rate", "load", "TTFT", "E2E", "batch TTFT", "batch E2E"), rows)
    return 0


def _ratio(told: float, seen: list[float] | list[float | None]) -> str:
    known = [value for value in seen if value is not None]
    return f"{told / statistics.fmean(known):.2f}" if known else "-"


if __name__ == "__main__":
    sys.exit(main())
