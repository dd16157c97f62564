"""The compiled queue against the plain one: `pytest tests/benchmarks/test_fixed_service.py --benchmark-only -n 0`.

Each group's plain queue is the yardstick; the table's factor in brackets is the ratio.
"""

from collections.abc import Callable

import pytest

from fleettui.simulation.fixed_service import waits
from tests.simulation.test_fixed_service import draw, waits_by_hand

Benchmark = Callable[..., object]
REQUESTS = 100_000
SIZES = [
    pytest.param(servers, marks=pytest.mark.benchmark(group=f"100,000 requests, servers: {servers}"))
    for servers in (1, 300)
]


@pytest.mark.parametrize("servers", SIZES)
def test_yardstick_plain_python(benchmark: Benchmark, servers: int) -> None:
    arrivals, service = draw("exponential", 0.9 * servers, REQUESTS, 0)
    benchmark(waits_by_hand, arrivals.tolist(), service.tolist(), servers)


@pytest.mark.parametrize("servers", SIZES)
def test_compiled(benchmark: Benchmark, servers: int) -> None:
    arrivals, service = draw("exponential", 0.9 * servers, REQUESTS, 0)
    waits(arrivals, service, servers)  # the first call compiles
    benchmark(waits, arrivals, service, servers)
