"""The compiled engine against its twin: `pytest tests/benchmarks/test_simulation.py --benchmark-only -n 0 -s`.

Azure conversations on 8-way H100 replicas, .7 busy. Requests per second of one core (its own time, so that a shared
machine counts less) are written by each test and kept in the extra information of `--benchmark-json`; the tables'
times are of unequal numbers of requests.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from time import process_time
from typing import Any

import numpy as np
import pytest

from fleettui.domain.simulation import Replication
from fleettui.domain.slo import Slo
from fleettui.simulation import kernel, twin
from fleettui.simulation.draws import Draws, open_draws
from fleettui.simulation.layout import Engine, State, prepare
from fleettui.simulation.run import compile_now, replicate
from fleettui.simulation.statistics import wanted
from tests.evidence.pools import Setup, Staged, staged

Benchmark = Any
SIZES = [
    pytest.param(replicas, marks=pytest.mark.benchmark(group=f"azure-2023-conv, .7 busy, replicas: {replicas}"))
    for replicas in (10, 100, 1000)
]
PLAIN_REQUESTS = {10: 1_000, 100: 500, 1000: 100}
REQUESTS = {10: 150_000, 100: 300_000, 1000: 600_000}
MOST_BYTES = 120
SEED = 3


@cache
def pool(replicas: int) -> Staged:
    return staged(Setup(workload="azure-2023-conv", gpu="h100", tp=8, replicas=replicas, utilization=0.7))


def draws(replicas: int, requests: int) -> Draws:
    return open_draws(pool(replicas).traffic.pools[0], 0, prefix_hit=0.0, requests=requests, seed=SEED, index=0)


def engine(replicas: int) -> Engine:
    return Engine.of(pool(replicas).fleet.pools[0], "paged")


def say(benchmark: Benchmark, **figures: float) -> None:
    """Keep figures beside the times, and write them."""
    benchmark.extra_info.update(figures)
    words = ", ".join(f"{name} {value:,.4g}" for name, value in figures.items())
    sys.stdout.write(f"{benchmark.name}: {words}\n")


def timed(
    benchmark: Benchmark, requests: int, play: Callable[..., object], prepared: Callable[[], Any], *, rounds: int
) -> None:
    """Time `play` on what `prepared` makes, and say how many requests it serves a second."""
    times = []

    def once(given: Any) -> None:
        start = process_time()
        play(given)
        times.append(process_time() - start)

    benchmark.pedantic(once, setup=lambda: ((prepared(),), {}), rounds=rounds)
    say(benchmark, **{"requests/s": requests / min(times)})


@pytest.mark.parametrize("replicas", SIZES)
def test_yardstick_twin(benchmark: Benchmark, replicas: int) -> None:
    requests = PLAIN_REQUESTS[replicas]
    given, one = draws(replicas, requests), engine(replicas)
    timed(benchmark, requests, lambda these: twin.play([one], these), lambda: given, rounds=1)


@pytest.mark.parametrize("replicas", SIZES)
def test_compiled(benchmark: Benchmark, replicas: int) -> None:
    requests = REQUESTS[replicas]
    given, one = draws(replicas, requests), engine(replicas)
    compile_now()
    timed(
        benchmark,
        requests,
        lambda state: kernel.run(state, 0, requests, True),
        lambda: prepare([one], given),
        rounds=3,
    )
    held = nbytes(prepare([one], given)) / requests
    say(benchmark, **{"bytes/request": held})
    assert held <= MOST_BYTES


@pytest.mark.benchmark(group="azure-2023-conv by kernels, 10 replicas, and by the line through them")
@pytest.mark.parametrize("utilization", [0.5, 0.7, 0.85])
def test_the_law_and_its_line_by_turns(benchmark: Benchmark, utilization: float) -> None:
    """Seconds of the processor per request, the least of several, of either in the same requests."""
    own = staged(
        Setup(workload="azure-2023-conv", gpu="h100", tp=8, replicas=10, utilization=utilization, step_law="kernels")
    )
    requests = REQUESTS[10]
    given = open_draws(own.traffic.pools[0], 0, prefix_hit=0.0, requests=requests, seed=SEED, index=0)
    law = Engine.of(own.fleet.pools[0], "paged", hardware=own.profiles[0])
    least = {"law": np.inf, "line": np.inf}
    compile_now()

    def once() -> None:
        for name, one in (("law", law), ("line", replace(law, curve=None))):
            state, start = prepare([one], given), process_time()
            kernel.run(state, 0, requests, True)
            least[name] = min(least[name], process_time() - start)

    benchmark.pedantic(once, rounds=4)
    each = {f"{name}, ns a request": 1e9 * seconds / requests for name, seconds in least.items()}
    say(benchmark, **each, ratio=least["law"] / least["line"])


def nbytes(state: State) -> int:
    return sum(np.asarray(array).nbytes for array in state)


@pytest.mark.benchmark(group="P99 TTFT of 10 replicas, from draws to interval")
@pytest.mark.parametrize("precision", [0.05, 0.01])
def test_time_to_an_interval(benchmark: Benchmark, precision: float) -> None:
    given = pool(10)
    compile_now()
    start = process_time()
    found: Sequence[Replication] = benchmark.pedantic(interval, (given, precision), rounds=1)
    seconds = process_time() - start
    assert wanted(found, (), precision=precision) == len(found)
    requests = sum(one.requests for one in found)
    say(benchmark, replications=len(found), requests=requests, seconds=seconds, **{"requests/s": requests / seconds})


def interval(given: Staged, precision: float) -> Sequence[Replication]:
    """Return so many replications that the interval is narrow enough."""
    found: list[Replication] = []
    while len(found) < wanted(found, (), precision=precision):
        found.append(replicate_one(given, len(found)))
    return found


def replicate_one(given: Staged, index: int) -> Replication:
    return replicate(
        given.fleet,
        given.traffic,
        given.lengths.pools,
        profiles=given.profiles,
        slo=Slo(),
        seed=SEED,
        index=index,
    )
