"""The time per output token against steps that are drawn one by one: few tokens, many, and what prompts bring."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from fleettui.domain.speculation import speculation
from fleettui.queueing import token_times
from fleettui.queueing.bursts import Bursts, peakedness
from fleettui.queueing.latency import PoolLoad
from fleettui.queueing.moments import RequestTable
from fleettui.queueing.ranges import PARTS, RangeTable
from fleettui.queueing.token_times import LEAST_SKEW, MOST_SKEW, _full, _score, _seen, _share_above, _Steps
from tests.queueing.loads import load_of, random_load
from tests.queueing.test_gated import PROMPTS
from tests.queueing.test_working_point import Bent

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


@pytest.mark.parametrize("left", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("longer", [-0.01, 0.0, 0.08])
@pytest.mark.parametrize("number", [1, 2, 9, 200])
def test_the_mean_of_so_many_steps_is_added_up_one_by_one(left: float, longer: float, number: int) -> None:
    """What step j gets varies as long as the step before it is, and counts in all that follow. The one before the
    first was as long as those of a chain that goes on for ever, but for what made it longer.
    """
    mean, shared, apart, third = 0.05, 0.004, 2e-4, 3e-6
    gains = [sum(left**later for later in range(number - step)) for step in range(number)]
    before = [mean + longer, *[mean] * (number - 1)]
    own = sum(gain**2 * length / mean for gain, length in zip(gains, before, strict=True))
    inherited = (left * gains[0]) ** 2 / (1.0 - left**2)
    variance = shared**2 + apart * (own + inherited) / number**2
    row = np.ones(1)
    steps = _Steps(
        mean=mean * row, shared=shared * row, apart=apart * row, third=third * row, left=left * row,
        longer=longer * row, inverse=np.full((1, len(PARTS)), 1.0 / number),
    )  # fmt: skip
    found = [float(one[0, 0]) for one in np.broadcast_arrays(*steps._of_parts())]
    skew = third * ((own + inherited) / number) ** 1.5 / number**2 / variance**1.5
    assert found[0] == pytest.approx(mean + longer * left * gains[0] / number, rel=1e-9)
    assert found[1] == pytest.approx(variance**0.5, rel=1e-9)
    assert found[2] == pytest.approx(min(max(skew, LEAST_SKEW), MOST_SKEW), rel=1e-9)


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("chunk", [1000, 400])
def test_the_step_of_ones_own_prompt_is_longer_by_what_a_mean_step_has_not(alone: bool, chunk: int) -> None:
    """A prompt of one chunk or of three pays once for each. Alone it has no decodes beside, only what came with it."""
    once, replicas = 0.02, 3.0
    load = load_of(
        (1.0, 1000.0, 101.0), rate=7.0 * replicas, replicas=replicas, chunk=chunk,
        base=0.05, per_context=2e-7, per_prompt=3e-5, concurrency=256.0, token_budget=2048.0,
    )  # fmt: skip
    load = replace(load, service=replace(load.service, steps=Bent(w=0.05, once=once), alone=alone))
    found, prompts, o = _seen(load), load.prompts, load.occupancy
    assert float(prompts.once[0]) == pytest.approx(once, rel=1e-9)
    assert float(prompts.each[0]) == pytest.approx(0.03, rel=1e-9)
    joined, chunks = float(prompts.joined[0]), -(-1000 // chunk)
    mean = float((o.near.base + o.per_sequence * o.batch)[0])
    coming, busy = 7.0 * joined * mean, 7.0 * 0.03 * joined
    some = 1.0 - np.exp(-coming)
    assert 0.05 < some < 0.95
    own = once + 0.03 / chunks
    assert float(found.mean[0]) == pytest.approx(mean)
    assert float(found.left[0]) == pytest.approx(busy, rel=1e-9)
    assert float(found.longer[0]) == pytest.approx(own - ((1.0 - busy) * mean if alone else some * once), rel=1e-9)
    varying = coming * 0.03**2 * float(prompts.spread()[0]) + once**2 * some * (1.0 - some)
    assert float(found.apart[0]) == pytest.approx(varying, rel=1e-9)
    assert float(found.third[0]) == pytest.approx(coming * 0.03**3, rel=1e-9)


def drafting(later: int, text: str) -> PoolLoad:
    """Return a lane of steps of 20 ms that verify drafts, whose prompts take next to nothing."""
    drafts = speculation(text)
    load = load_of((1.0, 64.0, later + 1.0), rate=1.0, base=BASE, per_prompt=1e-12, concurrency=1e4, token_budget=1e6)
    table = RequestTable.of(((1.0, 64.0, later + 1.0),), chunk=64, drafting=drafts)
    return replace(load, ranges=RangeTable.of(table, [0], [10_000]), service=replace(load.service, drafting=drafts))


@pytest.mark.parametrize("later", [1, 10, 300])
def test_tokens_share_the_steps_that_commit_them(later: int) -> None:
    """By expectation n tokens take (n + beyond)/1.5 steps of 20 ms, and none varies."""
    load = drafting(later, "mtp:1@50%")
    each = (later + load.service.drafting.beyond) / 1.5 / later
    assert float(token_times.steps_a_token(load)[0]) == pytest.approx(each)
    found = float(token_times.tpot_percentile(load, 0.01)[0])
    assert found == pytest.approx(BASE * each, rel=1e-4)
    assert float(token_times.tpot_exceeded(load, 0.99 * found)[0]) == pytest.approx(1.0)
    assert float(token_times.tpot_exceeded(load, 1.01 * found)[0]) == pytest.approx(0.0, abs=1e-9)
    assert float(token_times.steps_a_token(one_output(later, 1.0))[0]) == 1.0
    assert float(token_times.steps_a_token(drafting(0, "mtp:1@50%"))[0]) == 0.0


@pytest.mark.parametrize("later", [30, 300])
def test_luck_with_drafts_makes_the_slowest_hundredth_as_slow_as_drawn_requests_are(later: int) -> None:
    load = drafting(later, "mtp:1@50%:sampled")
    rng = np.random.default_rng(later)
    tokens = np.cumsum(1 + (rng.random((6_000, later)) < 0.5), axis=1)
    steps = (tokens < later).sum(axis=1) + 1.0
    assert float(token_times.steps_a_token(load)[0]) * later == pytest.approx(steps.mean(), rel=0.01)
    assert float(_seen(load).apart[0]) == pytest.approx(0.25 / 1.5**2 * BASE**2, rel=1e-6)
    seen = BASE * float(np.quantile(steps, 0.99)) / later
    assert float(token_times.tpot_percentile(load, 0.01)[0]) == pytest.approx(seen, rel=0.03)


def test_full_steps_take_up_as_many_prompts_as_requests_leave() -> None:
    """Of n places n/E[steps] are left a step; prompts of 20 and 100 tokens vary, and so do their cubes as a gamma's."""
    load = load_of(
        (3.0, 100.0, 11.0), (1.0, 20.0, 31.0), rate=1.0, replicas=2.0,
        base=BASE, per_context=1e-5, per_prompt=1e-3, concurrency=8.0, token_budget=256.0,
    )  # fmt: skip
    drafts = speculation("mtp:1@50%:sampled")
    m, full = load.moments, float(load.occupancy.full_step[0])
    found, lucky = _full(load), _full(replace(load, service=replace(load.service, drafting=drafts)))
    mean, scv = 0.08, (0.75 * 100.0**2 + 0.25 * 20.0**2) / 80.0**2 - 1.0
    coming = 8.0 / float(m.steps[0])
    assert float(m.steps[0]) == pytest.approx(0.75 * (2 + 10) + 0.25 * (1 + 30))
    assert float(found.mean[0]) == full
    assert float(found.shared[0]) == pytest.approx(1e-5 * (8.0 * float(m.context_variance[0])) ** 0.5)
    assert float(found.apart[0]) == pytest.approx(coming * mean**2 * (1.0 + scv))
    assert float((lucky.apart - found.apart)[0]) == pytest.approx(0.25 / 1.5**2 * full**2)
    assert float(found.third[0]) == pytest.approx(coming * mean**3 * (1.0 + scv) * (1.0 + 2.0 * scv))
    assert float(found.left[0]) == float(found.longer[0]) == 0.0


@pytest.mark.parametrize(("bursts", "memory"), [(0.0, 0.0), (3.0, 0.0), (3.0, 2.0)])
@pytest.mark.parametrize("replicas", [1.0, 5.0])
def test_all_steps_share_the_spread_of_batch_and_contexts(replicas: float, bursts: float, memory: float) -> None:
    """The number in the system is negative binomial, and a replica has its part; with bursts it varies more, in
    proportion to what they bring in the time for which a request stays. Contexts vary independently of each other.
    """
    h, w = 1e-5, 0.01
    load = load_of(
        (3.0, 100.0, 11.0), (1.0, 20.0, 31.0), rate=25.0 * replicas, replicas=replicas, chunk=128,
        base=w, per_context=h, per_prompt=1e-4, concurrency=200.0, token_budget=1e4,
    )  # fmt: skip
    load = replace(load, bursts=Bursts(rate=25.0 * replicas, long_run=bursts, memory=memory))
    o, m = load.occupancy, load.moments
    kappa, share = float(o.per_sequence[0]), float(o.batch_share[0])
    assert share == pytest.approx(25.0 * float(m.steps[0]) * kappa)
    assert 0.2 < share < 0.8
    system = stats.nbinom(1.0 + replicas * w / kappa, 1.0 - share)
    assert float(o.batch[0]) == pytest.approx(system.mean() / replicas)
    contexts = h**2 * float(o.batch[0]) * float(m.context_variance[0])
    assert load.excess is not None
    more = float(peakedness(load.excess, m.steps * o.full_step)[0])
    assert more == 1.0 + bursts if not memory else 1.2 < more < 3.8
    expected = kappa**2 * system.var() / replicas**2 * more + contexts
    assert float(_seen(load).shared[0]) ** 2 == pytest.approx(expected, rel=1e-9)
