"""Percentiles over atoms: exact against simulation of the formula itself and against each other."""

import numpy as np
import pytest

from fleettui.queueing import latency, tails
from tests.queueing.loads import random_load


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("delay", [latency.ttft_delay, latency.e2e_delay])
def test_a_percentile_is_exceeded_by_its_share_and_no_less(seed: int, delay: latency.Delay) -> None:
    load = random_load(seed, busy=0.4 + 0.07 * seed)
    for exceeded in (0.2, 0.01):
        for tail, time in zip(tails.tails_of(load, delay), tails.percentile(load, delay, exceeded), strict=True):
            assert tail(float(time)) <= exceeded * (1 + 1e-6)
            assert tail(float(time) * (1 - 1e-6)) >= exceeded * (1 - 1e-6)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("delay", [latency.ttft_delay, latency.e2e_delay])
def test_within_agrees_with_the_percentile(seed: int, delay: latency.Delay) -> None:
    load = random_load(seed, busy=0.4 + 0.07 * seed)
    times = tails.percentile(load, delay, 0.01)
    for limit in (*(times * 0.999), *(times * 1.001), 0.05, 0.3, 3.0):
        np.testing.assert_array_equal(tails.within(load, delay, float(limit), 0.01), times <= limit)


def test_the_running_sums_agree_with_adding_up_atoms() -> None:
    load = random_load(11)
    rising = latency.ttft_delay(load)
    nudged = rising.copy()
    nudged[:, 4] = 1e-15
    for limit in np.linspace(0.0, 1.0, 40):
        limits = np.full(len(load.rows), limit)
        np.testing.assert_allclose(tails.share_above(load, rising, limits), tails.share_above(load, nudged, limits))


def test_two_waits_add_up_as_drawn() -> None:
    load = random_load(12, busy=0.97, replicas=1.0)
    tail = tails.tails_of(load, latency.ttft_delay)[0]
    rng = np.random.default_rng(5)
    size = 400_000
    delays = rng.choice(tail.delays, size, p=tail.weights / tail.weights.sum())
    for probability, rate in tail.queues:
        delays = delays + np.where(rng.random(size) < probability, rng.exponential(1.0 / rate, size), 0.0)
    assert all(probability > 0.05 for probability, _ in tail.queues)
    for time in np.quantile(delays, [0.5, 0.9, 0.99]):
        assert tail(float(time)) == pytest.approx(float(np.mean(delays > time)), rel=0.03)


def test_a_mixture_lies_between_its_parts_and_is_no_mean() -> None:
    load = random_load(13)
    short, long = tails.tails_of(load, latency.ttft_delay)[1:3]
    alone = [tails.mixture_percentile([(tail, 1.0)], 0.01) for tail in (short, long)]
    mixed = tails.mixture_percentile([(short, 0.7), (long, 0.3)], 0.01)
    assert min(alone) <= mixed <= max(alone)
    assert 0.7 * short(mixed) + 0.3 * long(mixed) <= 0.01 * (1 + 1e-6)
