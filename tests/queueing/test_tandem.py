"""The way through prefill, a link and a decode batch: sums of waits, and a prefill pool against M/D/1."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from fleettui.queueing.tails import mixture_percentile
from fleettui.queueing.tandem import PrefillLoad, link_wait, sum_of, tandem_tail
from fleettui.queueing.waiting import WaitTail

FIXED = PrefillLoad(
    weight=np.ones(1),
    alone=np.array([0.1]),
    packed=np.array([0.1]),
    turns=np.ones(1),
    fixed=0.02,
    full=1.0,
    rate=7.0,
    lanes=1.0,
)


def wait(probability: float, rate: float) -> WaitTail:
    return WaitTail(np.asarray(probability), np.asarray(rate))


@pytest.mark.parametrize("time", [0.0, 0.3, 1.0, 4.0])
def test_three_certain_waits_have_the_closed_form(time: float) -> None:
    """P(T > t) of a sum of exponentials of rates 1, 2 and 4: Σ e^(−rᵢt)·Π rⱼ/(rⱼ − rᵢ)."""
    tail = tandem_tail(np.zeros(1), np.ones(1), [wait(1.0, 2.0), wait(1.0, 1.0), wait(1.0, 4.0)], stable=True)
    expected = math.exp(-time) * 8 / 3 - 2 * math.exp(-2 * time) + math.exp(-4 * time) / 3
    assert tail(time) == pytest.approx(expected, abs=1e-12)


def test_a_sum_of_waits_is_that_of_many_drawn_ones() -> None:
    rng = np.random.default_rng(4)
    waits, total = [(0.5, 3.0), (0.2, 3.0), (0.9, 0.7)], np.zeros(400_000)
    for probability, rate in waits:
        total += np.where(rng.random(len(total)) < probability, rng.exponential(1.0 / rate, len(total)), 0.0)
    tail = tandem_tail(np.array([1.0]), np.ones(1), [wait(*one) for one in waits], stable=True)
    found = mixture_percentile([(tail, 1.0)], 0.01)
    assert found == pytest.approx(1.0 + np.quantile(total, 0.99), rel=0.02)


def test_nobody_waits_where_a_link_takes_no_time() -> None:
    assert sum_of([link_wait(0.3, 0.0), wait(0.0, 5.0)]) == ((), ())


def test_a_part_of_the_way_that_does_not_keep_up_makes_all_late() -> None:
    tail = tandem_tail(np.zeros(1), np.ones(1), [wait(1.0, 0.0)], stable=False)
    assert mixture_percentile([(tail, 1.0)], 0.01) == math.inf


def test_fixed_prompts_that_fill_their_steps_wait_as_in_m_d_1() -> None:
    """E[W] = ρS/(2(1 − ρ)), and nothing is shared where each prompt fills its step."""
    mean = float(FIXED.wait.probability / FIXED.wait.rate)
    assert FIXED.utilization == pytest.approx(0.7)
    assert mean == pytest.approx(0.7 * 0.1 / (2 * 0.3))
    assert FIXED.delays.tolist() == [0.1]


def test_prompts_that_leave_room_wait_for_half_a_step_and_share_the_next() -> None:
    short = replace(FIXED, packed=np.array([0.085]), full=0.25)
    assert short.utilization == pytest.approx(0.595)
    assert short.delays[0] > 0.1
    assert short.resized(2.0).delays[0] < short.delays[0]


def test_transfers_that_share_a_link_take_as_long_on_average_as_by_processor_sharing() -> None:
    excess = link_wait(0.75, 0.2)
    assert float(excess.probability / excess.rate) == pytest.approx(0.2 * 0.75 / 0.25)


def test_what_comes_in_a_step_with_room_waits_for_half_of_it_and_shares_the_next() -> None:
    """Prompts of a quarter of a step each: half a step is waited for, longer by what others bring into it."""
    load = replace(FIXED, alone=np.array([0.02 + 0.02]), packed=np.array([0.02 + 0.005]), full=0.25, rate=5.0)
    growing = 5.0 * (0.025 - 0.02 * 0.25)
    step = 0.02 / (1.0 - growing)
    assert load.growing == pytest.approx(growing)
    assert load.delays == pytest.approx([0.04 + 0.75 * (5.0 * 0.04) * step * (0.5 + growing)])
