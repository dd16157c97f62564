"""The time per output token against steps that are drawn one by one: few tokens, many, and what prompts bring."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from fleettui.queueing import token_times
from fleettui.queueing.latency import PoolLoad
from fleettui.queueing.ranges import PARTS, RangeTable
from fleettui.queueing.token_times import LEAST_SKEW, MOST_SKEW, _score, _seen, _share_above
from tests.queueing.loads import load_of, random_load
from tests.queueing.test_gated import PROMPTS

BASE, PROMPT = 0.02, 0.03
"""Seconds of a step without prompts, and that a prompt adds."""


def one_output(later: int, rate: float) -> PoolLoad:
    """Return a lane of requests of one prompt chunk and so many later tokens."""
    return load_of(
        (1.0, 64.0, later + 1.0), rate=rate, base=BASE, per_prompt=PROMPT / 64.0, concurrency=1e4, token_budget=1e6
    )


def drawn(later: int, rate: float, lanes: int = 6_000) -> tuple[float, float]:
    """Return mean and 99th percentile of the mean of a request's `later` steps after the one with its own prompt."""
    rng = np.random.default_rng(later)
    last = np.full(lanes, BASE)
    for _ in range(40):
        last = BASE + PROMPT * rng.poisson(rate * last)
    last = BASE + PROMPT * (1 + rng.poisson(rate * last))
    whole = np.zeros(lanes)
    for _ in range(later):
        last = BASE + PROMPT * rng.poisson(rate * last)
        whole += last
    return float(whole.mean()) / later, float(np.quantile(whole, 0.99)) / later


@pytest.mark.parametrize(("later", "near"), [(2, 0.25), (8, 0.12), (40, 0.06), (400, 0.05)])
@pytest.mark.parametrize("rate", [4.0, 15.0])
def test_few_tokens_feel_the_prompts_that_come_in_their_steps(later: int, near: float, rate: float) -> None:
    found = float(token_times.tpot_percentile(one_output(later, rate), 0.01)[0])
    assert found == pytest.approx(drawn(later, rate)[1], rel=near)


@pytest.mark.parametrize("later", [2, 8, 40])
def test_the_first_step_is_longer_by_what_came_during_the_requests_own_prompt(later: int) -> None:
    """By the step after it, .03·.45 s; that of those after them, .45 of it each."""
    few, endless = (float(_seen(one)._of_parts()[0][0, 0]) for one in _with_later(one_output(later, 15.0)))
    assert (few - endless) * later == pytest.approx(0.03 * sum(0.45**step for step in range(1, later + 1)), rel=1e-6)
    assert few - endless == pytest.approx(drawn(later, 15.0)[0] - BASE / 0.55, rel=0.15)


def _with_later(load: PoolLoad) -> tuple[PoolLoad, PoolLoad]:
    """Return a load as it is, and one whose requests have later steps without end."""
    endless = replace(load.ranges, inverse_steps=0.0 * load.ranges.inverse_steps)
    return load, replace(load, ranges=endless)


def test_fewer_tokens_take_longer_each_at_the_99th_percentile() -> None:
    times = [float(token_times.tpot_percentile(one_output(later, 10.0), 0.01)[0]) for later in (1, 3, 10, 100, 5_000)]
    assert times == sorted(times, reverse=True)
    assert times[0] > 2.0 * times[-1]


def test_pools_that_only_decode_have_steps_that_are_alike() -> None:
    """Their requests have no prompt to compute; the steps differ by batch and contexts alone."""
    load = random_load(5)
    load = replace(load, service=replace(load.service, per_prompt=0.0 * load.service.per_prompt))
    few, many = (
        replace(load.ranges, inverse_steps=inverse + 0.0 * load.ranges.inverse_steps) for inverse in (1.0, 0.0)
    )
    short, long = (token_times.tpot_percentile(replace(load, ranges=ranges), 0.01) for ranges in (few, many))
    assert short == pytest.approx(long)


def test_a_full_batch_is_the_most_that_there_is_and_takes_up_prompts_as_requests_leave() -> None:
    load = one_output(4, 30.0)
    places = replace(load, service=replace(load.service, concurrency=np.array([3.0])))
    assert not places.stable[0]
    assert token_times.tpot_percentile(places, 0.01)[0] == np.inf
    few = replace(places, arrival_rate=np.array([0.9 / float(places.occupancy.utilization[0]) * 30.0]))
    steps = float(few.occupancy.full_step[0])
    found = float(token_times.tpot_percentile(few, 0.01)[0])
    assert steps < found < steps + PROMPT * 3.0


def test_parts_stand_for_their_requests() -> None:
    assert PARTS.sum() == pytest.approx(1.0)
    load = load_of((3.0, 64.0, 5.0), (1.0, 64.0, 41.0), (6.0, 64.0, 1.0), rate=1.0)
    ranges: RangeTable = load.ranges
    found = ranges.inverse_steps[0]
    assert set(found) == {1.0 / 4.0, 1.0 / 40.0}
    assert PARTS[found == 1.0 / 4.0].sum() == pytest.approx(0.75, abs=PARTS.max() / 2)
    assert not load_of((1.0, 64.0, 1.0), rate=1.0).ranges.inverse_steps.any()


def test_the_share_of_those_who_exceed_falls_with_the_limit_to_none() -> None:
    load = one_output(8, 15.0)
    shares = [float(token_times.tpot_exceeded(load, limit)[0]) for limit in (0.0, 0.03, 0.04, 0.06, 0.1, 1.0)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == pytest.approx(1.0, abs=0.01)
    assert shares[-1] < 1e-12


def test_prompts_of_a_lane_are_those_of_its_gate() -> None:
    load = one_output(8, 15.0)
    assert float(load.prompts.busy[0]) == pytest.approx(15.0 * PROMPT)
    assert float(load.prompts.spread()[0]) == float(PROMPTS.spread()[0]) - 1.0  # one queue, prompts that are alike


@pytest.mark.parametrize("skew", [0.0, 0.01, 0.5, 1.0, 2.0])
def test_the_skewed_law_is_the_moved_gamma_distribution(skew: float) -> None:
    """Of mean 3 and deviation 2, where one in two to one in a thousand exceed: by scipy's Pearson III."""
    law, kept = stats.pearson3(skew, loc=3.0, scale=2.0), np.full((1, len(PARTS)), max(skew, LEAST_SKEW))
    for exceeded in (0.5, 0.1, 0.01, 0.001):
        limit = float(law.isf(exceeded))
        share = float(_share_above(np.array([limit]), 0.0 * kept + 3.0, 0.0 * kept + 2.0, kept)[0])
        assert share == pytest.approx(exceeded, rel=0.2)
        assert 3.0 + 2.0 * float(_score(float(stats.norm.isf(exceeded)), kept)[0, 0]) == pytest.approx(limit, rel=0.03)


def test_nobody_is_below_the_least_of_a_skewed_law() -> None:
    kept = np.full((1, len(PARTS)), MOST_SKEW)
    assert float(_share_above(np.array([-10.0]), 0.0 * kept, 0.0 * kept + 1.0, kept)[0]) == pytest.approx(1.0)


@pytest.mark.parametrize("rate", [1.0, 4.0])
def test_rare_long_prompts_make_the_time_of_few_tokens_skewed(rate: float) -> None:
    """One prompt in ten is as long as ten of the others: of eight steps the slowest hundredth meets one of them."""
    later, kinds = 8, np.array([PROMPT / 2.0, PROMPT * 5.0])
    load = load_of(
        (9.0, 64.0, later + 1.0), (1.0, 640.0, later + 1.0), chunk=1024,
        rate=rate, base=BASE, per_prompt=PROMPT / 128.0, concurrency=1e4, token_budget=1e6,
    )  # fmt: skip
    rng = np.random.default_rng(1)
    last, whole = np.full(20_000, BASE), np.zeros(20_000)
    for step in range(40 + later):
        coming = rng.poisson(rate * last[:, None] * np.array([0.9, 0.1]))
        if step == 40:
            coming[np.arange(len(last)), rng.choice(2, len(last), p=[0.9, 0.1])] += 1
        else:
            whole += last * (step > 40)
        last = BASE + coming @ kinds
    seen = float(np.quantile((whole + last) / later, 0.99))
    assert float(token_times.tpot_percentile(load, 0.01)[0]) == pytest.approx(seen, rel=0.22)
