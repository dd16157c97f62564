"""Use of the hardware against sums by hand, and how busy replicas are against runs."""

from dataclasses import replace

import numpy as np
import pytest

from fleettui.optimize.hardware_use import bandwidth_use, busy_share, host_share, mfu
from tests.optimize.samples import atoms
from tests.optimize.test_pool_figures import load


def test_mfu_is_the_arithmetic_of_all_tokens_over_the_peak() -> None:
    pool, one, _ = load()
    weights = np.array([atom[0] for atom in atoms(4)])
    flops = 0.0
    for weight, prompt, output in atoms(4):
        pairs = prompt**2 / 2 + (output - 1) * prompt + (output - 1) * output / 2
        flops += weight / weights.sum() * (1.4e11 * (prompt + output - 1) + 2.6e6 * pairs)
    assert mfu(pool, one)[0] == pytest.approx(20.0 * flops / (pool.replicas[0] * one.peak), rel=1e-9)


def test_more_than_the_peak_is_a_bug() -> None:
    pool, one, _ = load()
    with pytest.raises(AssertionError, match="no hardware does that"):
        mfu(pool, replace(one, peak=one.peak / 100))
    with pytest.raises(AssertionError, match="no hardware does that"):
        bandwidth_use(pool, replace(one, bandwidth=one.bandwidth / 100))


def test_bandwidth_use_of_an_idle_pool_is_one_weight_read_per_step() -> None:
    pool, one, _ = load(rate=1e-6)
    rate = 1e-6 / pool.replicas[0]
    read = rate * pool.moments.steps[0] * 1.4e11 + rate * pool.moments.context[0] * 327_680.0
    assert bandwidth_use(pool, one)[0] == pytest.approx(read / one.bandwidth)


def test_a_replica_is_busy_while_it_has_a_sequence() -> None:
    """At a load so light that no two requests meet it is busy for as long as they last."""
    pool, _, _ = load(rate=1e-4)
    alone = pool.arrival_rate[0] / pool.replicas[0] * pool.moments.steps[0] * pool.occupancy.step[0]
    assert busy_share(pool)[0] == pytest.approx(alone, rel=1e-2)
    assert busy_share(load(rate=20.0)[0])[0] > 0.99


def test_the_host_has_what_the_engine_adds_of_a_step() -> None:
    pool, one, _ = load()
    assert host_share(pool, one)[0] == pytest.approx(one.step.overhead / pool.occupancy.step[0])
