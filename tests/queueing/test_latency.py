"""Delays and time per output token: what they must be at the ends, and how they move."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import special

from fleettui.queueing import latency, tails
from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.latency import PoolLoad
from tests.queueing.loads import random_load


def test_an_idle_replica_takes_the_floor_and_half_a_step() -> None:
    load = random_load(1, busy=1e-9)
    features = load.ranges.features
    alone = latency.floor_delay(load) @ features
    own = latency.ttft_delay(load) @ features
    prefill_reads = load.service.per_context[:, None] * features[3]
    np.testing.assert_allclose(own - alone + prefill_reads, load.service.base[0] / 2.0, rtol=1e-4)


def test_e2e_adds_a_step_for_every_later_token() -> None:
    load = random_load(2)
    later = load.ranges.features[4]
    extra = (latency.e2e_delay(load) - latency.ttft_delay(load)) @ load.ranges.features
    assert np.all(extra >= load.service.base[:, None] * later)


def test_more_replicas_never_slow_anyone_down() -> None:
    load = random_load(3, busy=0.9)
    sizes = [load.resized(np.full(len(load.rows), float(g))) for g in (3, 4, 6, 12, 48)]
    metrics: tuple[Callable[[PoolLoad], FloatArray], ...] = (
        lambda one: latency.tpot_percentile(one, 0.01),
        lambda one: tails.percentile(one, latency.ttft_delay, 0.01),
        lambda one: tails.percentile(one, latency.e2e_delay, 0.01),
    )
    for metric in metrics:
        values = [metric(one) for one in sizes]
        for larger, smaller in zip(values[1:], values, strict=False):
            assert np.all(larger <= smaller * (1 + 1e-9))


def test_tpot_share_inverts_the_percentile() -> None:
    load = random_load(4)
    for exceeded in (0.5, 0.1, 0.01):
        limit = latency.tpot_percentile(load, exceeded)
        for row in range(len(load.rows)):
            one = load.pick(np.array([row]))
            assert float(latency.tpot_exceeded(one, float(limit[row]))[0]) == pytest.approx(exceeded)


def test_tpot_is_the_step_an_arrival_sees_at_the_median() -> None:
    load = random_load(5)
    o = load.occupancy
    assert special.ndtri(0.5) == 0.0
    np.testing.assert_allclose(latency.tpot_percentile(load, 0.5), load.service.base + o.per_sequence * o.batch)


def test_an_overloaded_pool_has_no_latency() -> None:
    load = random_load(6, busy=20.0, replicas=1.0)
    assert np.all(np.isinf(latency.tpot_percentile(load, 0.01)))
    assert np.all(np.isinf(tails.percentile(load, latency.ttft_delay, 0.01)))
    assert not load.stable.any()


def test_the_longest_step_holds_a_full_chunk() -> None:
    load = random_load(7)
    assert np.all(latency.longest_step(load, 512.0) >= load.service.base + load.service.per_prompt * 512.0)
