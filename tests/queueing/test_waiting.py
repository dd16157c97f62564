"""Waiting formulas against the figures of model.md §12 and against exact queues."""

import numpy as np
import pytest

from fleettui.queueing.waiting import (
    WaitTail,
    kimura_tail,
    mean_wait_scaled,
    state_dependent_wait,
    variability_factor,
    wait_percentile,
)

FIGURES = [
    (16, 0.85, 4.0, 2.07818, 3.92569, 3.68263),
    (16, 0.85, 0.25, 0.51955, 0.98142, 1.03496),
    (128, 0.95, 16.0, 2.79994, 5.07851, 4.69120),
    (1, 0.7, 1.0, 10.7454, 14.16165, 14.16165),
]


@pytest.mark.parametrize(("servers", "utilization", "scv", "ifs", "fleetopt", "ours"), FIGURES)
def test_three_percentile_formulas(
    servers: int, utilization: float, scv: float, ifs: float, fleetopt: float, ours: float
) -> None:
    assert float(mean_wait_scaled(servers, utilization, scv, 0.01)) == pytest.approx(ifs, abs=6e-6)
    assert float(kimura_tail(servers, utilization, scv, 0.01)) == pytest.approx(fleetopt, abs=6e-6)
    assert float(wait_percentile(servers, utilization, 1.0, scv, 0.01)) == pytest.approx(ours, abs=6e-6)


def test_single_server_exponential_is_exact() -> None:
    tail = WaitTail.of(1, 0.7, 1.0, 1.0)
    assert float(tail.probability) == pytest.approx(0.7)
    assert float(tail.rate) == pytest.approx(0.3)


def test_deterministic_single_server_mean_is_pollaczek_khinchine() -> None:
    assert float(variability_factor(1, 0.8, 0.0, 0.8)) == pytest.approx(0.5)


def test_nobody_waits_below_the_percentile_and_everybody_at_full_load() -> None:
    assert float(wait_percentile(256, 0.5, 1.0, 1.0, 0.01)) == 0.0
    assert float(wait_percentile(4, 1.0, 1.0, 1.0, 0.01)) == np.inf
    assert float(wait_percentile(4, 1.4, 1.0, 2.0, 0.01)) == np.inf


STATE_DEPENDENT = [
    (0.008, 1e-4, 64, 1, 0.85, 0.0719754),
    (0.008, 1e-4, 64, 4, 0.95, 0.20276),
    (0.008, 5e-4, 16, 4, 0.85, 0.0622341),
    (0.004, 5e-5, 256, 1, 0.95, 0.0789862),
]


@pytest.mark.parametrize(("base", "each", "places", "replicas", "utilization", "printed"), STATE_DEPENDENT)
def test_state_dependent_wait(
    base: float, each: float, places: int, replicas: int, utilization: float, printed: float
) -> None:
    found = float(state_dependent_wait(base, each, places, replicas, utilization))
    assert found == pytest.approx(printed, rel=1e-5)
    assert found == pytest.approx(by_summation(base, each, places, replicas, utilization), rel=1e-9)


def by_summation(base: float, each: float, places: int, replicas: int, utilization: float) -> float:
    """Return the state-dependent wait by adding up the weights of model.md §5.1 one by one."""
    servers = places * replicas
    load = utilization * places * each / (base + places * each)
    r = 1.0 + replicas * base / each
    weight, below = 1.0, 0.0
    for j in range(servers):
        below += weight
        weight *= load * (j + r) / (j + 1)
    tail = weight / (1.0 - utilization)
    return tail / (below + tail)
