"""Delays and time per output token: what they must be at the ends, and how they move."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy import special

from fleettui.domain.speculation import speculation
from fleettui.queueing import latency, tails, token_times
from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.bursts import Bursts
from fleettui.queueing.classes import Classes
from fleettui.queueing.gated import Prompts
from fleettui.queueing.latency import PoolLoad
from fleettui.queueing.ranges import LATER
from fleettui.queueing.waiting import WaitTail, state_dependent_wait
from tests.queueing.loads import load_of, random_load


def test_an_idle_replica_takes_the_floor_and_a_free_one_of_a_busy_pool_half_a_step() -> None:
    load = random_load(1, busy=1e-9)
    features = load.ranges.features
    alone = latency.floor_delay(load) @ features
    own = latency.ttft_delay(load) @ features
    prefill_reads = load.service.per_context[:, None] * features[3]
    np.testing.assert_allclose(own + prefill_reads, alone, rtol=1e-6)
    taken = replace(load.prompts, number=1.0 + 0.0 * load.prompts.number, sharing=1e4 * load.prompts.sharing)
    gate = taken.gate()
    mean = gate.surely + gate.tail.probability / gate.tail.rate
    np.testing.assert_allclose(mean, 0.5 * load.service.base / 2.0, rtol=0.01)  # half of them find a lane free


def test_e2e_adds_a_step_for_every_later_token() -> None:
    load = random_load(2)
    later = load.ranges.features[LATER]
    extra = (latency.e2e_delay(load) - latency.ttft_delay(load)) @ load.ranges.features
    assert np.all(extra >= load.service.base[:, None] * later)


def test_more_replicas_never_slow_anyone_down() -> None:
    load = random_load(3, busy=0.9)
    sizes = [load.resized(np.full(len(load.rows), float(g))) for g in (3, 4, 6, 12, 48)]
    metrics: tuple[Callable[[PoolLoad], FloatArray], ...] = (
        lambda one: token_times.tpot_percentile(one, 0.01),
        lambda one: tails.percentile(one, latency.ttft_delay, 0.01),
        lambda one: tails.percentile(one, latency.e2e_delay, 0.01),
    )
    for metric in metrics:
        values = [metric(one) for one in sizes]
        for larger, smaller in zip(values[1:], values, strict=False):
            assert np.all(larger <= smaller * (1 + 1e-9))


@pytest.mark.parametrize("batch", [False, True])
def test_what_a_load_has_found_goes_with_its_rows_and_is_what_they_find(batch: bool) -> None:
    load, rows = replace(random_load(4), classes=Classes(0.3, not batch)), np.array([3, 1])
    for tail in (load.place, load.prefill):
        assert tail.percentile(0.01).shape == load.rows.shape
    picked, other = load.pick(rows), load.of_class(batch=batch)
    assert "occupancy" in vars(picked)
    assert "occupancy" in vars(other)
    fresh = replace(picked), replace(other)
    for known, anew in zip((picked, other), fresh, strict=True):
        assert not {"occupancy", "place"} & vars(anew).keys()
        np.testing.assert_array_equal(known.occupancy.batch, anew.occupancy.batch)
        np.testing.assert_array_equal(known.occupancy.near.base, anew.occupancy.near.base)
        for one, same in ((known.place, anew.place), (known.prefill, anew.prefill)):
            np.testing.assert_array_equal(one.percentile(0.01), same.percentile(0.01))
        first, second = (tails.percentile(one, latency.ttft_delay, 0.01) for one in (known, anew))
        np.testing.assert_array_equal(first, second)


def test_tpot_share_inverts_the_percentile() -> None:
    load = random_load(4)
    for exceeded in (0.5, 0.1, 0.01):
        limit = token_times.tpot_percentile(load, exceeded)
        for row in range(len(load.rows)):
            one = load.pick(np.array([row]))
            assert float(token_times.tpot_exceeded(one, float(limit[row]))[0]) == pytest.approx(exceeded)


def test_tpot_of_endless_outputs_is_the_step_an_arrival_sees_at_the_median() -> None:
    load = random_load(5)
    endless = replace(load.ranges, inverse_steps=0.0 * load.ranges.inverse_steps)
    load, o = replace(load, ranges=endless), load.occupancy
    assert special.ndtri(0.5) == 0.0
    np.testing.assert_allclose(token_times.tpot_percentile(load, 0.5), load.service.base + o.per_sequence * o.batch)


def test_an_overloaded_pool_has_no_latency() -> None:
    load = random_load(6, busy=20.0, replicas=1.0)
    assert (load.service.concurrency * load.occupancy.per_sequence > load.service.base).any()
    assert (load.really_waits == 1.0).all()
    assert np.all(np.isinf(token_times.tpot_percentile(load, 0.01)))
    assert np.all(np.isinf(tails.percentile(load, latency.ttft_delay, 0.01)))
    assert not load.stable.any()


def test_the_longest_step_holds_a_full_chunk() -> None:
    load = random_load(7)
    assert np.all(latency.longest_step(load, 512.0) >= load.service.base + load.service.per_prompt * 512.0)


@pytest.mark.parametrize(("rate", "n"), [(6.0, 8.0), (75.0, 8.0), (19.0, 2.0)])
def test_a_pool_by_hand(rate: float, n: float) -> None:
    """Each figure of model.md §5 for two kinds of request, computed from their steps and contexts alone."""
    w, h, p, g, chunk = 0.01, 1e-6, 2e-5, 2.0, 64
    load = load_of(
        (3.0, 100.0, 11.0), (1.0, 20.0, 31.0), rate=rate, replicas=g, chunk=chunk,
        base=w, per_context=h, per_prompt=p, concurrency=n, token_budget=256.0,
    )  # fmt: skip
    shares, prompts, k, later = np.array([0.25, 0.75]), np.array([20.0, 100.0]), np.array([1, 2]), np.array([30, 10])
    steps = k + later
    prefill = np.array([20.0, 64.0 + 100.0])
    contexts = [[20 + j for j in range(31)], [64, *(100 + j for j in range(11))]]
    read = np.array([sum(one) for one in contexts])
    squares = np.array([sum(c * c for c in one) for one in contexts])
    mean_steps, mean_read, mean_prompt = shares @ steps, shares @ read, shares @ prompts
    each = (h * mean_read + p * mean_prompt) / mean_steps
    flow = rate / g * mean_steps
    share = flow * each
    step = w / (1 - share)
    batch = flow * step + share / ((1 - share) * g)
    full = w + n * each
    prefill_share = rate / g * p * mean_prompt

    first, last = latency.ttft_delay(load)[0], latency.e2e_delay(load)[0]
    own = w + h * batch * mean_read / mean_steps
    prompt_scv = shares @ prompts**2 / mean_prompt**2 - 1
    beside = 256 - min(flow * step, n) * (shares @ later) / mean_steps
    cut = 1 / beside - 1 / 256
    gate = Prompts(
        rate=np.array([rate / g]), once=np.zeros(1), each=np.array([p * mean_prompt]), full=np.array([p * mean_prompt]),
        scv=np.array([prompt_scv]), room=np.array([1 - mean_prompt / (beside * (shares @ (k + prompts * cut)))]),
        budget=np.array([beside / mean_prompt]), steps=np.array([mean_steps]), decode=np.array([own]),
        alone=False, sharing=np.array([g]), number=np.array([flow * step]), excess=None,
    ).gate()  # fmt: skip
    assert first == pytest.approx([own, p + own * cut, float(gate.surely[0]), 0, 0, 0, 0, 0])
    assert last == pytest.approx([*first[:LATER], w + each * min(batch, n - 1), h])
    assert latency.floor_delay(load)[0] == pytest.approx([w, p, 0, h, 0, 0, 0, 0])
    assert latency.floor_delay(load)[0] @ load.ranges.features == pytest.approx(w * k + p * prompts + h * prefill)

    works = w * steps + n * h * read + n * p * prompts
    scv = shares @ works**2 / (shares @ works) ** 2 - 1
    busy = max(rate / g * mean_steps * full / n, rate / g * (w + 256 / (mean_prompt + shares @ (later + 1)) * (
        p * mean_prompt + h * mean_read)) * (mean_prompt + shares @ (later + 1)) / 256)  # fmt: skip
    place = WaitTail.of(n * g, busy, mean_steps * full, scv)
    assert float(load.place.probability[0]) == pytest.approx(float(place.probability), rel=1e-9)
    assert float(load.place.rate[0]) == pytest.approx(float(place.rate), rel=1e-9)
    assert float(load.occupancy.queued_share[0]) == pytest.approx(prefill_share)
    assert float(load.prefill.probability[0]) == pytest.approx(float(gate.tail.probability[0]), rel=1e-9)
    assert float(load.prefill.rate[0]) == pytest.approx(float(gate.tail.rate[0]), rel=1e-9)
    assert float(load.really_waits[0]) == pytest.approx(float(state_dependent_wait(w, each, n, g, busy)), rel=1e-9)

    variance = shares @ squares / mean_steps - (mean_read / mean_steps) ** 2
    spread = each**2 * (1 + g * w / each) * share / ((1 - share) ** 2 * g**2)
    seen, slow = w + each * batch, h**2 * batch * variance + spread
    joined = 1.0 - math.exp(-g * flow * step)  # somebody is in the other one of two lanes
    u, alike = p * mean_prompt * rate / g * joined, 1 / g + (1 - 1 / g) * 0.5 + (1 / g + (1 - 1 / g) * 0.3) * prompt_scv
    apart = rate / g * joined * seen * (p * mean_prompt) ** 2 * alike
    longer = p * mean_prompt / (shares @ k)
    cubed = (p * mean_prompt) ** 3 * (1 + prompt_scv) * (1 + 2 * prompt_scv)
    fuller = n / mean_steps * (p * mean_prompt) ** 2 * (1 + prompt_scv)

    def drifting(number: int) -> tuple[float, float, float]:
        """Return mean, variance and third cumulant of the mean of so many steps, added up step by step."""
        gains = [(1 - u**j) / (1 - u) for j in range(number, 0, -1)]
        before = [seen + longer, *[seen] * (number - 1)]
        parts = sum(gain**2 * length for gain, length in zip(gains, before, strict=True)) * apart / seen
        others = apart / (1 - u**2) * (u * gains[0]) ** 2
        third = rate / g * joined * seen * cubed * ((parts + others) / apart / number) ** 1.5 / number**2
        return seen + longer * u * gains[0] / number, slow + (parts + others) / number**2, third

    def above(time: float, *, full_steps: bool) -> float:
        total = 0.0
        for part, number in ((0.64, 10), (0.36, 30)):  # of the parts that are looked at
            crowded = full, h**2 * n * variance + fuller / number, n / mean_steps * cubed / number**2
            mean, variance_of, third = crowded if full_steps else drifting(number)
            skew = third / variance_of**1.5
            root = np.cbrt(max(1.0 + (time - mean) / math.sqrt(variance_of) * skew / 2.0, 0.0))
            total += part * float(special.ndtr((1.0 - skew**2 / 36.0 - root) * 6.0 / skew))
        return total

    found = float(token_times.tpot_percentile(load, 0.01)[0])
    shown = [above(found, full_steps=full_steps) for full_steps in (False, True)]
    assert (shown[1] < shown[0]) == (rate > 19.0)
    assert min(shown) == pytest.approx(0.01, rel=1e-6)
    longest = w + h * min(batch, n) * mean_read / mean_steps + p * 256
    assert float(latency.longest_step(load, 256.0)[0]) == pytest.approx(longest)


def test_a_steps_tokens_are_handed_out_before_a_request_has_its_own() -> None:
    load = random_load(3)
    slower = replace(load, service=replace(load.service, api_token=np.full(len(load.rows), 1e-5)))
    for delay in (latency.ttft_delay, latency.e2e_delay):
        more = delay(slower) - delay(load)
        assert more[:, 2] == pytest.approx(load.occupancy.batch_over_steps * 1e-5)
        assert not np.delete(more, 2, axis=1).any()
    drafting = replace(slower, service=replace(slower.service, drafting=speculation("mtp:1@50%")))
    handed = (latency.ttft_delay(drafting) - latency.ttft_delay(load))[:, 2]
    assert handed == pytest.approx(1.5 * load.occupancy.batch_over_steps * 1e-5)
    for one in (load, slower):
        overloaded = one.resized(np.full(len(load.rows), 1e-3))
        assert not np.isnan(latency.ttft_delay(overloaded)).any()


def test_the_front_end_moves_ttft_and_e2e_by_itself_and_nothing_else() -> None:
    load = random_load(3)
    slower = replace(load, service=replace(load.service, front_end=np.full(len(load.rows), 0.04)))
    for delay in (latency.ttft_delay, latency.e2e_delay, latency.floor_delay):
        assert (delay(slower) - delay(load)) @ load.ranges.features == pytest.approx(0.04)
    for delay in (latency.ttft_delay, latency.e2e_delay):
        late, early = (tails.percentile(one, delay, 0.01) for one in (slower, load))
        assert late == pytest.approx(early + 0.04)
    assert np.array_equal(token_times.tpot_percentile(slower, 0.01), token_times.tpot_percentile(load, 0.01))
    assert np.array_equal(slower.occupancy.utilization, load.occupancy.utilization)
    scaled = slower.service.scaled(1.25).pick([0])
    assert scaled.front_end.tolist() == [0.04]


def test_the_batch_of_a_step_is_at_most_a_full_one() -> None:
    """Steps of ½ s and ⅛ s for every sequence's prompt token; 4 requests/s of one step keep more than n = 2 busy."""
    load = load_of((1.0, 1.0, 1.0), rate=4.0, per_prompt=0.125, concurrency=2.0)
    assert float(load.occupancy.batch[0]) > 2.0
    assert latency.e2e_delay(load)[0, LATER] == 0.5 + 0.125 * (2.0 - 1.0)
    contexts = load_of((1.0, 1.0, 1.0), rate=4.0, per_context=0.125, concurrency=2.0)
    assert float(latency.longest_step(contexts, 8.0)[0]) == 0.5 + 0.125 * 2.0


def test_full_means_full_the_moment_it_is() -> None:
    """4 sequences of one prompt token fill a step of ½ + 4·⅛ s = 1 s: at 4 requests/s a replica is full, before not."""
    just, below = (load_of((1.0, 1.0, 1.0), rate=rate, per_prompt=0.125, token_budget=1e6) for rate in (4.0, 3.0))
    assert float(just.occupancy.utilization[0]) == 1.0
    assert not just.stable[0]
    assert float(token_times.tpot_percentile(just, 0.01)[0]) == math.inf
    assert float(token_times.tpot_exceeded(just, 1e9)[0]) == 1.0
    assert below.stable[0]
    assert float(token_times.tpot_percentile(below, 0.01)[0]) == 1.0  # the full step, whose contexts do not differ
    assert float(token_times.tpot_exceeded(below, 1.0 + 1e-9)[0]) == 0.0


def test_prompts_that_fill_the_time_have_no_end() -> None:
    """Two prompt tokens of ¼ s in every request are the whole time at 2 requests/s."""
    one = (1.0, 2.0, 1.0)
    full, nearly = (
        load_of(one, rate=rate, per_prompt=0.25, per_context=2.0**-40, concurrency=1e9, token_budget=1e9)
        for rate in (2.0, 1.0)
    )
    assert float(full.occupancy.prefill_share[0]) == 1.0
    assert not full.stable[0]
    assert tails.percentile(full, latency.ttft_delay, 0.01)[0] == math.inf
    assert nearly.stable[0]
    assert latency.ttft_delay(nearly)[0, 1] == 0.25
    assert math.isfinite(tails.percentile(nearly, latency.ttft_delay, 0.01)[0])


def test_the_share_above_a_step_is_the_normal_law_at_the_smaller_of_two_spreads() -> None:
    load = random_load(8, busy=0.9)
    for limit in (0.011, 0.0125, 0.02):
        found = token_times.tpot_exceeded(load, limit)
        for row, share in enumerate(found):
            if 1e-6 < share < 1 - 1e-6:
                one = load.pick(np.array([row]))
                assert float(token_times.tpot_percentile(one, float(share))[0]) == pytest.approx(limit)


def test_replicas_with_a_queue_each_are_as_many_pools_of_one() -> None:
    """A fair coin splits a Poisson stream into Poisson streams."""
    load = random_load(10, busy=0.9, replicas=3.0)
    apart = PoolLoad(load.ranges, load.rows, load.service, load.arrival_rate, load.replicas, one_queue=False)
    alone = PoolLoad(load.ranges, load.rows, load.service, load.arrival_rate / 3, load.replicas / 3)
    for one in (apart, apart.resized(apart.replicas), apart.pick(np.arange(len(apart.rows)))):
        assert one.occupancy.utilization == pytest.approx(alone.occupancy.utilization)
        assert one.occupancy.batch == pytest.approx(alone.occupancy.batch)
        assert one.really_waits == pytest.approx(alone.really_waits)
        for own, other in ((one.place, alone.place), (one.prefill, alone.prefill)):
            assert own.probability == pytest.approx(other.probability)
            assert own.rate == pytest.approx(other.rate)
        assert token_times.tpot_percentile(one, 0.01) == pytest.approx(token_times.tpot_percentile(alone, 0.01))
        assert (one.place.percentile(0.01) >= load.place.percentile(0.01)).all()


def test_replicas_that_run_several_batches_in_turn_are_as_many_lanes() -> None:
    load = random_load(9, replicas=4.0)
    lanes = replace(load, service=replace(load.service, lanes=3))
    assert (lanes.lanes == 12.0).all()
    assert (lanes.sharing == 12.0).all()
    assert (replace(lanes, one_queue=False).sharing == 1.0).all()
    assert lanes.prompts.rate == pytest.approx(load.arrival_rate / 12.0)
    assert lanes.occupancy.batch_over_steps == pytest.approx(
        load.resized(load.replicas * 3.0).occupancy.batch_over_steps
    )


def test_other_counts_of_replicas_keep_their_requests() -> None:
    load = random_load(9)
    more = load.resized(load.replicas * 2)
    assert (more.arrival_rate == load.arrival_rate).all()
    assert (more.replicas == 2 * load.replicas).all()
    assert more.occupancy.utilization == pytest.approx(load.occupancy.utilization / 2)
    one = load.pick(np.array([1]))
    assert (one.rows[0], one.arrival_rate[0], one.replicas[0]) == (load.rows[1], load.arrival_rate[1], load.replicas[1])
    assert one.occupancy.utilization[0] == load.occupancy.utilization[1]


@pytest.mark.parametrize(("one_queue", "part"), [(True, 1.0), (False, 0.25)])
def test_a_queue_meets_its_part_of_the_bursts(one_queue: bool, part: float) -> None:
    load = replace(
        load_of((1.0, 60.0, 20.0), rate=1.0, replicas=4.0),
        bursts=Bursts(rate=1.0, long_run=3.0, memory=0.0),
        one_queue=one_queue,
    )
    assert load.excess is not None
    assert load.excess(np.array([1.0])) == pytest.approx([3.0 * part])


@pytest.mark.parametrize("times", [0.6, 1.8])
def test_waits_may_be_longer_and_shorter_than_the_steps_make_them(times: float) -> None:
    """Both queues and what everybody waits; a request's own steps stay, and so does who waits."""
    load = random_load(7, busy=0.6)
    plain, other = (replace(load, service=load.service.scaled(1.25, waits)) for waits in (1.0, times))
    for name in ("place", "prefill"):
        np.testing.assert_allclose(getattr(other, name).rate, getattr(plain, name).rate / times, rtol=1e-12)
        np.testing.assert_array_equal(getattr(other, name).probability, getattr(plain, name).probability)
    surely = plain.gate.surely
    assert surely.min() > 0.0
    more = (latency.ttft_delay(other) - latency.ttft_delay(plain))[:, 2]
    np.testing.assert_allclose(more, surely * (times - 1.0) * plain.occupancy.queued_share, rtol=1e-9)
    for place in (0, 1):
        np.testing.assert_array_equal(latency.ttft_delay(other)[:, place], latency.ttft_delay(plain)[:, place])
    for kept in (latency.floor_delay, lambda one: token_times.tpot_percentile(one, 0.01)):
        np.testing.assert_array_equal(kept(plain), kept(other))
