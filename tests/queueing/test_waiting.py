"""Waiting formulas against the figures of model.md §12, against exact queues, and at their edges."""

import math

import numpy as np
import pytest

from fleettui.queueing.erlang import erlang_c
from fleettui.queueing.waiting import (
    WaitTail,
    kimura_tail,
    state_dependent_wait,
    sure_part,
    variability_factor,
    wait_percentile,
)

FIGURES = [
    (16, 0.85, 4.0, 3.92569, 3.68263),
    (16, 0.85, 0.25, 0.98142, 1.03496),
    (128, 0.95, 16.0, 5.07851, 4.69120),
    (1, 0.7, 1.0, 14.16165, 14.16165),
]


@pytest.mark.parametrize(("servers", "utilization", "scv", "fleetopt", "ours"), FIGURES)
def test_two_percentile_formulas(servers: int, utilization: float, scv: float, fleetopt: float, ours: float) -> None:
    assert float(kimura_tail(servers, utilization, scv, 0.01)) == pytest.approx(fleetopt, abs=6e-6)
    assert float(wait_percentile(servers, utilization, 1.0, scv, 0.01)) == pytest.approx(ours, abs=6e-6)


def test_single_server_exponential_is_exact() -> None:
    tail = WaitTail.of(1, 0.7, 1.0, 1.0)
    assert float(tail.probability) == pytest.approx(0.7)
    assert float(tail.rate) == pytest.approx(0.3)


@pytest.mark.parametrize("utilization", [0.1, 0.8])
def test_one_server_of_little_variance_is_pollaczek_khinchine(utilization: float) -> None:
    for scv in (0.0, 0.3, 0.9):
        assert float(variability_factor(1, utilization, scv, utilization)) == pytest.approx((1 + scv) / 2)


def test_constant_service_waits_by_cosmetatos() -> None:
    """M/D/c over M/M/c: ½(1 + (1 − ρ)(c − 1)(√(4 + 5c) − 2)/(16cρ)), at most 1; 4 + 5·9 = 7²."""
    assert float(variability_factor(9, 0.5, 0.0, 0.1)) == pytest.approx(0.5 * (1 + 0.5 * 8 * 5 / (16 * 9 * 0.5)))
    assert float(variability_factor(9, 0.01, 0.0, 0.1)) == 1.0


def test_little_variance_lies_between_constant_and_exponential_service_by_kimura() -> None:
    constant = 0.5 * (1 + 0.5 * 8 * 5 / (16 * 9 * 0.5))
    assert float(variability_factor(9, 0.5, 0.25, 0.1)) == pytest.approx(1.25 / (0.5 + 0.75 / constant))
    assert float(variability_factor(9, 0.5, 1.0, 0.1)) == pytest.approx(1.0)


def test_much_variance_counts_as_far_as_requests_wait() -> None:
    assert float(variability_factor(9, 0.5, 5.0, 0.0)) == 1.0
    assert float(variability_factor(9, 0.5, 5.0, 1.0)) == 3.0
    assert float(variability_factor(9, 0.5, 5.0, 0.5)) == pytest.approx(1 + 2 * (1 - 1 / 16))
    assert float(variability_factor(9, 0.5, 1.0 + 1e-9, 0.5)) == pytest.approx(1.0)


def test_an_idle_queue_is_not_stretched() -> None:
    assert variability_factor([1, 9], 0.0, [0.0, 0.5], 0.0).tolist() == [1.0, 1.0]


def test_nobody_waits_below_the_percentile_and_everybody_at_full_load() -> None:
    assert float(wait_percentile(256, 0.5, 1.0, 1.0, 0.01)) == 0.0
    assert float(wait_percentile(4, 1.0, 1.0, 1.0, 0.01)) == np.inf
    assert float(wait_percentile(4, 1.4, 1.0, 2.0, 0.01)) == np.inf


def test_an_overloaded_queue_has_everybody_wait_for_ever() -> None:
    for utilization in (1.0, 1.4):
        tail = WaitTail.of(4, utilization, 2.0, 2.0)
        assert (float(tail.probability), float(tail.rate)) == (1.0, 0.0)


def test_the_tail_is_that_of_servers_times_spare_capacity() -> None:
    tail = WaitTail.of(8, 0.75, 0.5, 1.0)
    assert float(tail.probability) == float(erlang_c(8, 6.0))
    assert float(tail.rate) == pytest.approx(8 * 0.25 / 0.5)
    assert float(tail.percentile(0.001)) == pytest.approx(math.log(float(tail.probability) / 0.001) / 4.0)


def test_the_wait_ends_where_its_share_of_requests_does() -> None:
    tail = WaitTail(np.array([0.25, 0.25, 0.5, 1.0]), np.array([2.0, 0.0, 2.0, 0.0]))
    assert tail.percentile(0.25).tolist() == pytest.approx([0.0, 0.0, math.log(2) / 2, math.inf])


def test_what_takes_no_time_keeps_nobody_waiting() -> None:
    tail = WaitTail.of(1, 0.5, 0.0, 0.0)
    assert float(tail.rate) == math.inf
    assert float(tail.percentile(0.01)) == 0.0


def test_kimuras_tail_is_nothing_where_few_wait() -> None:
    exceeded = float(erlang_c(9, 4.5))
    assert float(kimura_tail(9, 0.5, 3.0, exceeded)) == 0.0
    assert float(kimura_tail(9, 0.5, 3.0, 2 * exceeded)) == 0.0
    assert float(kimura_tail(9, 0.5, 3.0, exceeded / 2)) == pytest.approx(math.log(2) * 4.0 / (2 * 9 * 0.5))


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


@pytest.mark.parametrize(
    ("base", "each", "places", "replicas", "utilization"), [(0.5, 0.25, 1, 1, 0.5), (2, 1, 2, 3, 0.9)]
)
def test_state_dependent_wait_of_few_places(
    base: float, each: float, places: int, replicas: int, utilization: float
) -> None:
    found = float(state_dependent_wait(base, each, places, replicas, utilization))
    assert found == pytest.approx(by_summation(base, each, places, replicas, utilization), rel=1e-12)


def test_everybody_waits_at_a_full_pool() -> None:
    waits = state_dependent_wait(0.008, 1e-4, 64, 1, [1.0 - 1e-12, 1.0, 1.2])
    assert waits[0] == pytest.approx(1.0, abs=1e-9)
    assert waits[1:].tolist() == [1.0, 1.0]


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


@pytest.mark.parametrize("utilization", [1e-6, 0.05, 0.5, 0.999])
@pytest.mark.parametrize("scv", [0.0, 0.2, 1.0])
def test_a_part_of_a_server_is_a_slow_one(utilization: float, scv: float) -> None:
    """At c times the speed a service takes E[S]/c, and M/G/1 waits with probability ρ: Erlang's formula says no less.

    `why` asks for parts of a server, for which Cosmetatos' fit is not made: its ratio may be below 0 there.
    """
    parts = np.array([1e-9, 0.01, 0.5, 0.99, 1.0])
    tail = WaitTail.of(parts, utilization, 3.0, scv)
    assert (tail.probability >= utilization * (1 - 1e-12)).all()
    np.testing.assert_allclose(tail.rate, parts * (1 - utilization) / (3.0 * (1 + scv) / 2))
    assert (np.diff(tail.percentile(0.001)) <= 0).all()


def test_an_overloaded_queue_of_little_variance_waits_for_ever() -> None:
    assert WaitTail.of([0.5, 2.0, 1e6], 1.5, 1.0, 0.0).percentile(0.01).tolist() == [np.inf] * 3


@pytest.mark.parametrize("mean", [1e-3, 0.5, 20.0])
@pytest.mark.parametrize("deviation", [0.0, 0.3, 0.999, 1.001, 1.7, 10.0])
def test_a_sure_part_and_a_tail_have_the_mean_and_variance_that_are_asked_for(mean: float, deviation: float) -> None:
    """Of s and, with probability p, an exponential of rate r: s + p/r, and (2p - p²)/r². Only one of both is free."""
    variance = (deviation * mean) ** 2
    surely, tail = sure_part(np.array(mean), np.array(variance))
    probability, each = float(tail.probability), 1.0 / float(tail.rate)
    assert float(surely) + probability * each == pytest.approx(mean)
    assert (2.0 * probability - probability**2) * each**2 == pytest.approx(variance)
    assert (float(surely) > 0.0) == (deviation < 1.0)
    assert (probability == 1.0) == (deviation < 1.0)


def test_nobody_waits_where_the_mean_is_nothing_or_less_by_rounding() -> None:
    for mean, variance in ((0.0, 0.0), (-1e-18, 1e-18), (0.0, 1.0)):
        surely, tail = sure_part(np.array(mean), np.array(variance))
        assert (float(surely), float(tail.probability)) == (0.0, 0.0)
        assert float(tail.percentile(0.01)) == 0.0
    surely, tail = sure_part(np.array(0.5), np.array(-1e-18))
    assert (float(surely), float(tail.rate)) == (0.5, math.inf)
