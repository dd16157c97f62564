"""Percentiles over atoms: closed forms, exact against simulation of the formula itself, and against each other."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from fleettui.queueing import latency, tails
from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.latency import PoolLoad
from fleettui.queueing.moments import RequestTable
from fleettui.queueing.ranges import LATER, RangeTable
from fleettui.queueing.tails import Tail, mixture_percentile
from fleettui.queueing.waiting import WaitTail
from tests.queueing.loads import load_of, random_load


def by(feature: int, seconds: float) -> FloatArray:
    """Return the coefficients of a row whose delay is by one feature alone."""
    found = np.zeros((1, LATER + 2))
    found[0, feature] = seconds
    return found


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


@pytest.mark.parametrize("seed", range(8))
def test_some_of_the_atoms_bound_the_share_that_all_of_them_give(seed: int) -> None:
    """Bounds on both sides, and near enough to decide most rows; a request late by itself counts in full."""
    load = random_load(seed, busy=0.4 + 0.07 * seed)
    coefficients, waits = latency.ttft_delay(load), tails._sum_of_waits(load, place=True, prefill=True)
    for limit in (0.02, 0.05, 0.3, 3.0):
        limits = np.full(len(load.rows), limit)
        least, most = tails._bounds(load, coefficients, limits, waits)
        exact = tails._exceedance(load, coefficients, limits, waits)
        assert ((least <= exact * (1.0 + 1e-9)) & (exact <= most * (1.0 + 1e-9))).all()
        assert (most <= 3.0 * least + 1e-3).all()


def test_the_running_sums_agree_with_adding_up_atoms() -> None:
    load = random_load(11)
    rising = latency.ttft_delay(load)
    nudged = rising.copy()
    nudged[:, LATER] = 1e-15
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


def tail(delays: Sequence[float], *queues: tuple[float, float], weights: Sequence[float] | None = None) -> Tail:
    """Return the tail of delays, equally likely unless said otherwise, and up to two waits C·e^(−rt)."""
    (c1, r1), (c2, r2) = [*queues, (0.0, 11.0), (0.0, 13.0)][:2]
    both = c1 * c2 / (r1 - r2)
    return Tail(
        np.array(delays),
        np.array(weights or [1 / len(delays)] * len(delays)),
        ((c1 * (1 - c2) - both * r2, r1), (c2 * (1 - c1) + both * r1, r2)),
        tuple(queues),
        True,
    )


def test_one_delay_and_one_wait_have_a_closed_form() -> None:
    """P(T > t) = C·e^(−r(t − d)): T = d + ln(C/q)/r, and d itself where no more than q wait at all."""
    one = tail([2.0], (0.4, 0.5))
    assert mixture_percentile([(one, 1.0)], 0.01) == pytest.approx(2.0 + math.log(0.4 / 0.01) / 0.5, rel=1e-8)
    assert mixture_percentile([(one, 1.0)], 0.4) == 2.0
    assert mixture_percentile([(one, 1.0)], 0.5) == 2.0


def test_two_certain_waits_have_a_closed_form() -> None:
    """Both queues hold everybody: a sum of two exponentials, P(T > t) = (r₂e^(−r₁t) − r₁e^(−r₂t))/(r₂ − r₁)."""
    both = tail([0.0], (1.0, 2.0), (1.0, 3.0))
    for time in (0.0, 0.3, 2.0):
        expected = (3 * math.exp(-2 * time) - 2 * math.exp(-3 * time)) / (3 - 2)
        assert both(time) == pytest.approx(expected)
    time = mixture_percentile([(both, 1.0)], 0.05)
    assert (3 * math.exp(-2 * time) - 2 * math.exp(-3 * time)) == pytest.approx(0.05, rel=1e-6)


def test_without_waits_it_is_the_quantile_of_the_delays() -> None:
    """The smallest delay that at most a share q exceeds; a delay's own weight counts as not exceeding it."""
    four = tail([4.0, 1.0, 3.0, 2.0])
    assert [mixture_percentile([(four, 1.0)], q) for q in (0.01, 0.25, 0.26, 0.5, 0.74, 0.75)] == [4, 3, 3, 2, 2, 1]
    assert [four.late(time) for time in (0.9, 1.0, 3.5, 4.0)] == [1.0, 0.75, 0.25, 0.0]
    assert four(2.0) == 0.5


def test_a_wait_between_two_delays_is_found_there() -> None:
    """Half of the requests take 1 s, half 5 s; at q = .6 a tenth of all may still wait beyond, before the 5 s begin."""
    two = tail([1.0, 5.0], (0.8, 1.0))
    found = mixture_percentile([(two, 1.0)], 0.6)
    assert found == pytest.approx(1.0 + math.log(0.5 * 0.8 / 0.1), rel=1e-8)
    assert 0.5 * 0.8 * math.exp(-(found - 1.0)) + 0.5 == pytest.approx(0.6)


def test_who_is_late_anyway_who_waits_for_a_place_and_who_for_prefill_add_up() -> None:
    """Each hardly more than half of what is allowed: with y = e^(−x), .004 + .996(W₁(y) + W₂(y²)) = .01 at 1 s + x."""
    rare = tail([1.0, 99.0], (0.006, 1.0), (0.006, 2.0), weights=[0.996, 0.004])
    found = mixture_percentile([(rare, 1.0)], 0.01)
    assert rare(found) == pytest.approx(0.01, rel=1e-6)
    assert found == pytest.approx(1.0 + math.log(2.0 / (math.sqrt(5.0) - 1.0)), abs=0.01)


def test_a_mixture_of_two_pools_is_solved_together() -> None:
    short, long = tail([1.0], (0.5, 1.0)), tail([10.0])
    assert mixture_percentile([(short, 0.9), (long, 0.1)], 0.05) == 10.0
    found = mixture_percentile([(short, 0.9), (long, 0.1)], 0.2)
    assert found == pytest.approx(1.0 + math.log(0.9 * 0.5 / 0.1), rel=1e-8)


@pytest.mark.parametrize("seed", range(60))
def test_a_tail_alone_is_solved_as_in_a_mixture_to_the_last_digit(seed: int) -> None:
    """Delays of few values, so that many are equal; waits from none to those of a queue that hardly ends."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 300))
    delays = rng.gamma(2.0, size=count).round(int(rng.integers(0, 6)))
    queues = [(float(rng.choice([0.0, rng.uniform(), 1.0])), float(10.0 ** rng.uniform(-2, 4))) for _ in range(2)]
    one = tail(delays.tolist(), *queues, weights=rng.dirichlet(np.ones(count)).tolist() if seed % 2 else ())
    for exceeded in (0.5, 0.25, 0.1, 0.01, 0.001):
        assert tails.percentile_of(one, exceeded) == mixture_percentile([(one, 1.0)], exceeded)
    assert tails.percentile_of(replace(one, stable=False), 0.01) == math.inf


@pytest.mark.parametrize("seed", range(30))
def test_a_mixture_is_exceeded_by_its_share_and_no_less(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(3)).tolist()
    parts = [
        (tail(rng.uniform(0, 9, 6).tolist(), (rng.uniform(), rng.uniform(0.2, 5)), (rng.uniform(), 6.0)), share)
        for share in shares
    ]
    for exceeded in (0.3, 0.05, 0.01):
        found = mixture_percentile(parts, exceeded)
        assert sum(share * one(found) for one, share in parts) <= exceeded * (1 + 1e-6)
        assert sum(share * one(found * (1 - 1e-6)) for one, share in parts) >= exceeded * (1 - 1e-6)


def test_a_request_waits_only_for_what_is_left_of_the_time() -> None:
    two = tail([1.0, 5.0], (0.8, 1.0), weights=[0.25, 0.75])
    (slow, rate), (fast, _) = two.waiting(3.0)
    assert (slow + fast, rate) == (pytest.approx(0.25 * 0.8 * math.exp(-2.0)), 1.0)
    assert two(3.0) == pytest.approx(0.75 + 0.25 * 0.8 * math.exp(-2.0))
    assert sum(amplitude for amplitude, _ in two.waiting(5.0)) == pytest.approx(
        0.25 * 0.8 * math.exp(-4.0) + 0.75 * 0.8
    )


def test_the_longest_wait_leaves_half_of_the_share_to_each_queue() -> None:
    one = tail([0.0], (0.4, 0.5), (0.002, 2.0))
    assert one.longest_wait(0.01) == pytest.approx(math.log(0.4 / 0.005) / 0.5)
    assert one.longest_wait(0.002) == pytest.approx(math.log(0.4 / 0.001) / 0.5 + math.log(2.0) / 2.0)
    assert one.longest_wait(0.8) == 0.0


def test_an_overloaded_pool_makes_the_mixture_endless() -> None:
    bad = Tail(np.zeros(1), np.ones(1), (), (), False)
    assert bad(1e9) == 1.0
    assert mixture_percentile([(tail([1.0]), 0.999), (bad, 0.001)], 0.01) == math.inf


def test_a_limit_that_equals_a_delay_is_kept() -> None:
    """Prompts of 64, 128 and 192 tokens in steps of ½ s, alone: the floor takes ½, 1 and 1½ s."""
    load = load_of((1.0, 64.0, 1.0), (1.0, 128.0, 1.0), (2.0, 192.0, 1.0), rate=1e-12)
    alone = latency.floor_delay(load)
    limits = (0.49, 0.5, 0.99, 1.0, 1.49, 1.5)
    shares = [float(tails.share_above(load, alone, np.array([limit]))[0]) for limit in limits]
    assert shares == [1.0, 0.75, 0.75, 0.5, 0.5, 0.0]
    nudged = alone.copy()
    nudged[:, LATER + 1] = 1e-300
    assert [float(tails.share_above(load, nudged, np.array([limit]))[0]) for limit in limits] == shares


def test_ranges_of_parts_share_the_running_sums() -> None:
    splits = ((0, 64), (64, 10_000), (0, 129))
    load = load_of((1.0, 63.0, 1.0), (1.0, 128.0, 1.0), (2.0, 192.0, 1.0), rate=1e-12, splits=splits)
    found = tails.share_above(load, latency.floor_delay(load), np.array([0.5, 1.0, 0.5]))
    assert found.tolist() == pytest.approx([0.0, 2 / 3, 0.5])


@pytest.mark.parametrize("exceeded", [0.5, 0.25])
def test_within_is_at_most_the_share_and_not_less(exceeded: float) -> None:
    load = load_of((1.0, 64.0, 1.0), (1.0, 128.0, 1.0), (2.0, 192.0, 1.0), rate=1e-12, per_prompt=2.0**-70)
    vars(load)["prefill"] = WaitTail(np.zeros(1), np.ones(1))  # nor is half a step waited for
    kept = [bool(tails.within(load, latency.floor_delay, limit, exceeded)[0]) for limit in (0.99, 1.0, 1.49, 1.5)]
    assert kept == ([False, True, True, True] if exceeded == 0.5 else [False, False, False, True])


def test_the_wait_for_a_place_is_left_out_on_request() -> None:
    load = random_load(14, busy=0.95, replicas=1.0)
    whole, part = (tails.tails_of(load, latency.ttft_delay, place=place)[0] for place in (True, False))
    assert len(whole.queues) == 2
    assert part.queues == ((float(load.prefill.probability[0]), float(load.prefill.rate[0])),)
    time = float(np.median(part.delays))
    alone = load.prefill.probability[0] * np.exp(-load.prefill.rate[0] * np.maximum(time - part.delays, 0.0))
    assert part(time) == pytest.approx(float(part.weights @ np.where(part.delays > time, 1.0, alone)))
    assert whole(time) > part(time)


def none(load: PoolLoad) -> FloatArray:
    """Return no delay of a request's own."""
    return 0.0 * latency.floor_delay(load)


def test_the_wait_for_a_place_alone_can_be_too_long() -> None:
    """One place, busy for half of the time with services of ½ s: ½·e^(−2t) = 1 % at t = ln(50)/2."""
    load = load_of((1.0, 1.0, 1.0), rate=1.0, base=0.5, concurrency=1.0, token_budget=1e9, per_prompt=2.0**-70)
    vars(load)["prefill"] = WaitTail(np.zeros(1), np.ones(1))
    _holds_from(load, math.log(50) / 2)


def test_the_wait_for_prefill_alone_can_be_too_long() -> None:
    load = load_of((1.0, 1.0, 1.0), rate=1.0, per_prompt=0.5, concurrency=1e6, token_budget=1e9)
    _holds_from(load, float(load.prefill.percentile(0.01)[0]))


def _holds_from(load: PoolLoad, end: float) -> None:
    limits = (end / 9, end / 2, end * (1 - 1e-9), end * (1 + 1e-9), end * 1.5, end * 4)
    kept = [bool(tails.within(load, none, limit, 0.01)[0]) for limit in limits]
    assert kept == [False, False, False, True, True, True]
    assert float(tails.percentile(load, none, 0.01)[0]) == pytest.approx(end, rel=1e-8)


def test_steps_without_end_are_late_as_an_overloaded_pool_is() -> None:
    """Beside a step that never ends no request has a first token, though the pool's utilization is below one."""
    load = load_of((1.0, 64.0, 3.0), (1.0, 32.0, 2.0), rate=0.1)

    def endless(load: PoolLoad) -> FloatArray:
        delay: FloatArray = latency.floor_delay(load) + by(2, math.inf)
        return delay

    assert load.stable.all()
    assert tails.percentile(load, endless, 0.01).tolist() == [math.inf]
    (late,), (own,) = tails.tails_of(load, endless), tails.tails_of(load, latency.floor_delay)
    assert late(1e9) == 1.0
    assert mixture_percentile([(own, 0.999), (late, 0.001)], 0.01) == math.inf


def test_prompts_that_take_no_time_leave_the_wait_for_a_place() -> None:
    one = (1.0, 64.0, 3.0)
    free, cheap = (load_of(one, rate=1.5, per_prompt=seconds, token_budget=1e30) for seconds in (0.0, 2.0**-70))
    assert float(free.prefill.rate[0]) == math.inf
    expected = float(tails.percentile(cheap, latency.ttft_delay, 0.01)[0])
    assert expected > float((latency.ttft_delay(cheap) @ cheap.ranges.features[:, 0])[0]) + 0.1
    assert float(tails.percentile(free, latency.ttft_delay, 0.01)[0]) == pytest.approx(expected)
    limits = expected * 0.999, expected * 1.001
    assert [bool(tails.within(free, latency.ttft_delay, limit, 0.01)[0]) for limit in limits] == [False, True]


def test_a_delay_by_the_prompt_counts_where_nearly_all_of_it_is_cached() -> None:
    """Of a hit of 99 % one token of each prompt is computed, and the cached ones are read: 9 is below 40 and 70."""
    atoms = ((1.0, 40.0, 1.0), (1.0, 9.0, 50.0), (2.0, 70.0, 2.0))
    requests = RequestTable.of(atoms, chunk=64, prefix_hit=0.99)
    shared = RangeTable.of(requests, [0], [1000])
    rows = np.stack([requests.weight, requests.prompt, requests.output], axis=1)
    own = RangeTable.of_parts([rows], shared.moments, chunk=64, prefix_hit=0.99)
    for ranges in (shared, own):
        load = replace(load_of(atoms[0], rate=1e-12, per_context=1.0), ranges=ranges)
        alone = latency.floor_delay(load)
        shares = [float(tails.share_above(load, alone, np.array([limit]))[0]) for limit in (9.0, 30.0, 50.0, 80.0)]
        assert shares == pytest.approx([1.0, 0.75, 0.5, 0.0])


@pytest.mark.parametrize(("others", "waits", "kept"), [(3.0, 0.00625, 0.26), (4.0, 0.125, 0.31)])
def test_a_rare_wait_counts_beside_the_requests_that_are_late_anyway(others: float, waits: float, kept: float) -> None:
    """One in so many takes three steps and is late; so many of the others wait as long that a quarter is exceeded."""
    prompts = (others + 129) / (others + 1)
    atoms = (others, 1.0, 1.0), (1.0, 129.0, 1.0)
    load = load_of(*atoms, rate=1.0, per_prompt=0.5 / prompts, concurrency=1e6, token_budget=1e9)
    step = float(load.prefill.percentile(waits)[0])

    def three_steps_are_late(one: PoolLoad) -> FloatArray:
        return by(0, step)

    assert not tails.within(load, three_steps_are_late, 2.01 * step, 0.25)[0]
    assert tails.within(load, three_steps_are_late, 2.01 * step, kept)[0]
    assert tails.percentile(load, three_steps_are_late, 0.25)[0] > 2.01 * step


def test_a_delay_may_be_of_another_kind_in_each_row() -> None:
    """Prompts of 63, 128 and 192 tokens: by steps of ½ s, or by ⅛ s a token."""
    splits = ((0, 10_000), (0, 10_000))
    load = load_of((1.0, 63.0, 1.0), (1.0, 128.0, 1.0), (2.0, 192.0, 1.0), rate=1e-12, splits=splits)
    kinds = np.concatenate([by(0, 0.5), by(1, 0.125)])
    assert tails.share_above(load, kinds, np.array([1.0, 8.0])).tolist() == [0.5, 0.75]
    assert tails.share_above(load, kinds, np.array([0.5, 16.0])).tolist() == [0.75, 0.5]


def test_a_delay_by_later_tokens_alone_is_no_delay_by_prompts() -> None:
    load = load_of((1.0, 1.0, 1.0), (3.0, 1.0, 3.0), rate=1e-12)
    by_later_tokens = by(LATER, 0.5)
    shares = [float(tails.share_above(load, by_later_tokens, np.array([limit]))[0]) for limit in (-0.1, 0.0, 0.9, 1.0)]
    assert shares == [1.0, 0.75, 0.75, 0.0]
    falling = load_of((1.0, 1.0, 3.0), (3.0, 2.0, 1.0), rate=1e-12)
    assert float(tails.share_above(falling, by_later_tokens, np.array([0.5]))[0]) == 0.25


def test_a_pool_without_requests_has_no_latency() -> None:
    load = load_of((1.0, 1.0, 1.0), rate=1.0, splits=((0, 10), (10, 20)))
    with pytest.raises(AssertionError, match="without requests"):
        tails._Flat.of(load, np.zeros((2, 6)))


def test_equal_rates_are_told_apart_without_harm() -> None:
    """Two like queues add up to an Erlang tail, C²(1 + rt)e^(−rt) + 2C(1 − C)e^(−rt)."""
    load = load_of((1.0, 1.0, 1.0), rate=1.0, per_prompt=0.25)
    for queue in (load.place, load.prefill):
        queue.probability, queue.rate = np.array([0.5]), np.array([2.0])
    found = tails.tails_of(load, none)[0]
    for time in (0.0, 0.7, 3.0):
        expected = (0.25 * (1 + 2 * time) + 0.5) * math.exp(-2 * time)
        assert found(time) == pytest.approx(expected, rel=1e-5)


@pytest.mark.filterwarnings("error")
def test_a_pool_that_is_exactly_full_keeps_no_limit_not_even_none() -> None:
    """Four places of 2½ s a request, at 1.6 requests/s and at half of that: 100 % and 50 % busy."""
    full, half = (load_of((1.0, 2.0, 5.0), rate=rate) for rate in (1.6, 0.8))
    assert (float(full.occupancy.utilization[0]), float(half.occupancy.utilization[0])) == (1.0, 0.5)
    for limit in (1e9, math.inf):
        assert not tails.within(full, latency.ttft_delay, limit, 0.01)[0]
        assert tails.within(half, latency.ttft_delay, limit, 0.01)[0]
