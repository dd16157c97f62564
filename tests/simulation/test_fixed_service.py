"""The queue with given service times: bit for bit a plain one, and in distribution what queueing theory proves.

The theory is held by intervals: 20 independent replications, and the whole 95 % interval of their mean must lie
within the tolerance, so that neither a wrong mean nor a vague one passes.
"""

import heapq
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from fleettui.queueing.erlang import erlang_c
from fleettui.queueing.waiting import wait_percentile
from fleettui.simulation.fixed_service import Floats, waits
from tests.repeated import few

REPLICATIONS = 20
SEED = 20_251

Law: TypeAlias = Callable[[np.random.Generator, int], Floats]
LAWS: dict[str, tuple[Law, float]] = {  # service times of mean 1, with their scv
    "exponential": (lambda rng, n: rng.standard_exponential(n), 1.0),
    "constant": (lambda _, n: np.ones(n), 0.0),
    "uniform": (lambda rng, n: rng.uniform(0.0, 2.0, n), 1.0 / 3.0),
    "gamma": (lambda rng, n: rng.gamma(0.25, 4.0, n), 4.0),
}


def waits_by_hand(arrivals: Sequence[float], service: Sequence[float], servers: int) -> list[float]:
    """Return the waits with the library's heap, one request after the other."""
    free = [0.0] * servers
    found = []
    for arrival, length in zip(arrivals, service, strict=True):
        begin = max(arrival, free[0])
        heapq.heapreplace(free, begin + length)
        found.append(begin - arrival)
    return found


def draw(law: str, load: float, requests: int, replication: int) -> tuple[Floats, Floats]:
    """Return Poisson arrivals at rate `load` and service times of mean 1."""
    rng = np.random.default_rng([SEED, replication])
    return np.cumsum(rng.standard_exponential(requests)) / load, LAWS[law][0](rng, requests)


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of the 95 % interval of the mean of `values`, by Student's t."""
    half = float(stats.t.ppf(0.975, len(values) - 1) * stats.sem(values))
    mean = float(np.mean(values))
    return mean - half, mean + half


def within(values: Sequence[float], theory: float, share: float) -> bool:
    """Return whether the whole interval of the mean lies within `share` of `theory`."""
    low, high = interval(values)
    return theory * (1 - share) <= low and high <= theory * (1 + share)


def measured(law: str, servers: int, utilization: float, requests: int, *, faster: float = 1.0) -> list[Floats]:
    """Return the waits of each replication without its first tenth; `faster` divides every service time."""
    found = []
    for replication in range(REPLICATIONS):
        arrivals, service = draw(law, servers * utilization, requests, replication)
        found.append(waits(arrivals, service / faster, servers)[requests // 10 :])
    return found


def rounded(values: Floats) -> NDArray[np.float64]:
    """Return whole numbers: many arrivals at once, services of no length, servers that fall free together."""
    return np.floor(values * 3.0)


@pytest.mark.parametrize("servers", [1, 2, 3, 4, 7, 64, 333])
@pytest.mark.parametrize("utilization", [0.3, 0.95, 1.2])
@pytest.mark.parametrize("ties", [False, True])
def test_the_queue_is_the_plain_one_bit_for_bit(servers: int, utilization: float, ties: bool) -> None:
    arrivals, service = draw("gamma", servers * utilization, 3_000, servers)
    if ties:
        arrivals, service = rounded(arrivals), rounded(service)
    plain = waits_by_hand(arrivals.tolist(), service.tolist(), servers)
    assert waits(arrivals, service, servers).tolist() == plain


def test_nobody_and_nothing() -> None:
    assert waits([], [], 3).tolist() == []
    assert waits([0, 0, 0], [1, 1, 1], 2).tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("arrivals", "service", "servers"),
    [([0.0], [1.0], 0), ([0.0, 1.0], [1.0], 1), ([1.0, 0.5], [1.0, 1.0], 1), ([0.0], [-1.0], 1), ([[0.0]], [[1.0]], 1)],
)
def test_what_is_no_queue_is_a_bug(arrivals: list[float], service: list[float], servers: int) -> None:
    with pytest.raises(AssertionError):
        waits(arrivals, service, servers)


@pytest.mark.parametrize(
    ("servers", "utilization", "requests"), few([(1, 0.5, 200_000), (4, 0.7, 300_000), (32, 0.8, 500_000)], 1)
)
def test_erlang_c_waits(servers: int, utilization: float, requests: int) -> None:
    probability = float(erlang_c(servers, servers * utilization))
    percentile = float(wait_percentile(servers, utilization, 1.0, 1.0, 0.01))
    assert probability > 0.1
    runs = measured("exponential", servers, utilization, requests)
    assert within([float(np.mean(run > 0)) for run in runs], probability, 0.03)
    assert within([float(np.quantile(run, 0.99)) for run in runs], percentile, 0.03)


@pytest.mark.parametrize(("law", "utilization"), [("constant", 0.7), ("uniform", 0.7), ("gamma", 0.5)])
def test_pollaczek_khinchine_means(law: str, utilization: float) -> None:
    mean = utilization * (1 + LAWS[law][1]) / (2 * (1 - utilization))
    assert within([float(run.mean()) for run in measured(law, 1, utilization, 300_000)], mean, 0.02)


@pytest.mark.parametrize(("law", "servers", "utilization"), [("exponential", 4, 0.7), ("gamma", 16, 0.8)])
def test_littles_law(law: str, servers: int, utilization: float) -> None:
    """What Poisson arrivals find is the mean over time, and that is rate times sojourn."""
    ratios = []
    for replication in range(REPLICATIONS):
        arrivals, service = draw(law, servers * utilization, 100_000, replication)
        sojourn = waits(arrivals, service, servers) + service
        gone = np.searchsorted(np.sort(arrivals + sojourn), arrivals, side="right")
        present = np.arange(len(arrivals)) - gone
        ratios.append(float(present.mean() / (servers * utilization * sojourn.mean())))
    assert within(ratios, 1.0, 0.01)


@pytest.mark.parametrize("faster", few([0.98, 1.02], 1))
def test_these_intervals_notice_two_percent_of_service_time(faster: float) -> None:
    runs = measured("exponential", 4, 0.7, 300_000, faster=faster)
    assert not within([float(np.mean(run > 0)) for run in runs], float(erlang_c(4, 2.8)), 0.03)
    assert not within([float(np.quantile(run, 0.99)) for run in runs], float(wait_percentile(4, 0.7, 1, 1, 0.01)), 0.03)
    single = [float(run.mean()) for run in measured("constant", 1, 0.7, 300_000, faster=faster)]
    assert not within(single, 0.7 / 0.6, 0.02)


def test_these_intervals_notice_a_wrong_law_and_too_few_requests() -> None:
    assert not within([float(run.mean()) for run in measured("uniform", 1, 0.7, 300_000)], 0.7 / 0.6, 0.02)
    assert not within([float(run.mean()) for run in measured("constant", 1, 0.7, 1_000)], 0.7 / 0.6, 0.02)
