"""What one replica does: a profile's figures, and what a factor on its steps changes."""

import numpy as np
import pytest

from fleettui.domain.fleet import PoolProfile
from fleettui.queueing.batching import saturated_rate
from fleettui.queueing.service import Service
from tests.queueing.loads import line_service, one_kind, random_load


def test_the_service_of_a_profile_has_its_figures_and_a_factor_leaves_the_limits() -> None:
    profile = PoolProfile(base_step_time=0.01, time_per_context_token=1e-7, time_per_prompt_token=2e-5, kv_blocks=9)
    made = Service.of(profile, 32, 512, (2,)).scaled(3.0)
    assert made.base.tolist() == pytest.approx([0.03, 0.03])
    assert made.per_context.tolist() == pytest.approx([3e-7, 3e-7])
    assert made.per_prompt.tolist() == pytest.approx([6e-5, 6e-5])
    assert (made.concurrency.tolist(), made.token_budget.tolist()) == ([32.0, 32.0], [512.0, 512.0])


def test_scaled_steps_scale_the_rate() -> None:
    moments, offered = one_kind(1000.0, 100.0), line_service(0.01, 1e-8, 3e-5, 64.0, 2048.0)
    assert float(saturated_rate(moments, offered.scaled(2.0))) == pytest.approx(
        float(saturated_rate(moments, offered)) / 2.0
    )


def test_rows_are_picked_with_their_own_factor() -> None:
    load = random_load(1)
    factors = np.arange(1.0, len(load.rows) + 1.0)
    picked = load.service.scaled(factors).pick(np.array([2, 0]))
    assert np.asarray(picked.factor).tolist() == [3.0, 1.0]
    assert load.service.pick(np.array([0])).factor == 1.0


def test_waits_are_of_their_own_factor_and_each_row_its_own() -> None:
    load = random_load(1)
    factors = np.arange(1.0, len(load.rows) + 1.0)
    longer = load.service.scaled(2.0, factors)
    assert longer.base.tolist() == load.service.scaled(2.0).base.tolist()
    assert np.asarray(longer.pick(np.array([2, 0])).waits).tolist() == [3.0, 1.0]
    assert load.service.scaled(2.0).waits == 1.0
