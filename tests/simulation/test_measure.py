"""What is read off a run, computed by hand."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fleettui.domain.fleet import Pool, PoolProfile
from fleettui.domain.hardware import Profile
from fleettui.domain.limit import ALWAYS
from fleettui.domain.simulation import PoolTraffic
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.hardware.step_cost import affine
from fleettui.queueing.moments import RequestTable
from fleettui.simulation.histogram import histogram
from fleettui.simulation.measure import (
    Flow,
    Latencies,
    Missed,
    hit_share,
    mfu,
    pairs_per_prompt_token,
    pool_run,
    utilization,
)
from fleettui.simulation.records import POOL, REQUEST
from tests.optimize.samples import profile

W, H, P = 0.01, 1e-6, 1e-4
HARDWARE = replace(profile("fast"), peak=1e15, flops_per_token=1e11, attention_flops=1e6)
TRAFFIC = PoolTraffic(arrival_rate=1.0, atoms=((1.0, 100.0, 10.0),))
FLEETS = Pool(
    name="all",
    gpu="fast",
    model="made-up",
    dtype="bf16",
    tp=2,
    replicas=4,
    context=4096,
    concurrency=20,
    max_num_seqs=64,
    token_budget=256,
    above=0,
    up_to=4096,
    profile=PoolProfile(base_step_time=W, time_per_context_token=H, time_per_prompt_token=P, kv_blocks=1000),
)


def served(*rows: tuple[float, float, float, float, int]) -> Any:
    """Return served requests of the given arrival, admitted, first, finish and output tokens."""
    found = np.zeros(len(rows), REQUEST)
    for name, values in zip(("arrival", "admitted", "first", "finish", "output"), zip(*rows, strict=True), strict=True):
        found[name] = values
    return found


def flow(seconds: float = 50.0, **added: float) -> Flow:
    """Return a flow in which four replicas together added so much to a pool's sums, on top of what was there."""
    start, end = np.zeros(1, POOL), np.zeros(1, POOL)
    start["replicas"] = end["replicas"] = 4
    for name, value in added.items():
        start[name] = 17
        end[name] = 17 + value
    return Flow(start=start[0], end=end[0], seconds=seconds)


# 4 replicas for 50 s: 10,000 steps of 100 replica-seconds in all, 80,000 sequence-steps, 400,000 prompt tokens
BUSY = {
    "steps": 10_000,
    "busy": 160.0,
    "joined": 80_000,
    "prompted": 400_000,
    "decoded": 76_000,
    "active": 1_500.0,
    "completed": 800,
    "preempted": 3,
}


def test_latencies_are_counted_from_the_arrival() -> None:
    found = Latencies.of(served((1.0, 1.5, 2.0, 5.0, 4), (2.0, 2.0, 2.25, 2.25, 1)))
    assert found.metrics["ttft"].tolist() == [1.0, 0.25]
    assert found.metrics["e2e"].tolist() == [4.0, 0.25]
    assert found.wait.tolist() == [0.5, 0.0]
    assert found.metrics["tpot"][0] == 1.0


def test_the_front_end_is_in_the_times_to_the_first_and_the_last_token_alone() -> None:
    found = Latencies.of(served((1.0, 1.5, 2.0, 5.0, 4), (2.0, 2.0, 2.25, 2.25, 1)), 0.25)
    assert found.metrics["ttft"].tolist() == [1.25, 0.5]
    assert found.metrics["e2e"].tolist() == [4.25, 0.5]
    assert found.wait.tolist() == [0.5, 0.0]
    assert found.metrics["tpot"][0] == 1.0
    assert found.kept(Slo(ttft=0.5)).tolist() == [False, True]
    assert measured(found).histograms[0] == histogram("ttft", [1.25, 0.5])


def test_the_normalized_time_is_that_of_the_whole_answer_over_its_tokens() -> None:
    found = Latencies.of(served((1.0, 1.5, 2.0, 5.0, 4), (2.0, 2.0, 2.25, 2.25, 1)), 0.25)
    assert found.metrics["normalized"].tolist() == [4.25 / 4, 0.5]
    assert measured(found, slo=Slo(further=(("normalized.p90", 1.0),))).further == (("normalized.p90", 4.25 / 4),)


def test_an_answer_of_one_token_has_no_time_per_output_token() -> None:
    found = Latencies.of(served((0.0, 0.0, 1.0, 1.0, 1), (0.0, 0.0, 1.0, 4.0, 2)))
    assert np.isnan(found.metrics["tpot"]).tolist() == [True, False]
    run = measured(found)
    assert run.tpot == 3.0
    counts = {one.metric: sum(count for _, count in one.cells) for one in run.histograms}
    assert counts == {metric.name: len(found.defined(metric.name)) for metric in ALWAYS}
    assert (counts["ttft"], counts["tpot"]) == (2, 1)
    alone = measured(Latencies.of(served((0.0, 0.0, 1.0, 1.0, 1))))
    assert alone.tpot is None


def test_a_limit_is_kept_up_to_its_last_instant_and_by_what_has_no_value() -> None:
    found = Latencies.of(served((0.0, 0.0, 1.0, 1.0, 1), (0.0, 0.0, 1.0, 3.0, 2), (0.0, 0.0, 1.5, 2.5, 3)))
    assert found.kept(Slo(ttft=1.0)).tolist() == [True, True, False]
    assert found.kept(Slo(tpot=1.0)).tolist() == [True, False, True]
    assert found.kept(Slo(ttft=1.0, tpot=1.0, e2e=3.0)).tolist() == [True, False, False]
    assert found.kept(Slo()).tolist() == [True, True, True]


def measured(latencies: Latencies, **changes: Any) -> Any:
    values: dict[str, Any] = {
        "traffic": TRAFFIC,
        "prefix_hit": 0.0,
        "profile": HARDWARE,
        "latencies": latencies,
        "flow": flow(**BUSY),
        "slo": Slo(ttft=1.0, percentile=0.5),
    }
    return pool_run(FLEETS, **(values | changes))


def test_a_pools_run_by_hand() -> None:
    run = measured(Latencies.of(served((0.0, 0.5, 1.0, 4.0, 4), (1.0, 1.5, 4.0, 5.0, 3), (2.0, 2.0, 2.5, 2.5, 1))))
    assert (run.name, run.offered, run.completed, run.rejected) == ("all", 3, 3, 0)
    assert (run.ttft, run.e2e, run.wait) == (1.0, 4.0, 0.5)
    assert run.tpot == 0.5  # the smallest value that half of them do not exceed
    assert run.attainment == pytest.approx(2 / 3)
    assert run.batch == pytest.approx(1_500 / 200)
    assert run.throughput == pytest.approx(16.0)
    assert (run.preemptions, run.duration) == (3, 50.0)
    assert measured(Latencies.of(served((0, 0, 1, 1, 1))), profile=None).mfu is None


def test_utilization_is_offered_work_over_full_batch_capacity() -> None:
    """400 sequence-steps a second and replica at 20 places, and .3 s a second beyond w."""
    assert utilization(FLEETS, flow(**BUSY)) == pytest.approx(400 / 20 * W + (160 - 10_000 * W) / 200)
    tight = replace(FLEETS, token_budget=64)  # 2,380 tokens a second and replica in steps of 64
    assert utilization(tight, flow(**BUSY)) == pytest.approx(2_380 / 64 * W + 0.3)


def test_prompts_that_run_alone_leave_the_decodes_no_budget_to_be_short_of() -> None:
    alone = replace(FLEETS, token_budget=64, prompt_steps="alone")
    assert utilization(alone, flow(**BUSY)) == pytest.approx(400 / 20 * W + 0.3)


def test_an_api_process_that_is_busier_than_the_steps_is_the_utilization() -> None:
    """380 tokens of decodes and 4 first ones a second and replica."""
    for token in (1e-4, 2e-3):
        handing = replace(FLEETS, profile=replace(FLEETS.profile, api_token=token))
        assert utilization(handing, flow(**BUSY)) == pytest.approx(max(384 * token, 400 / 20 * W + 0.3))


def test_an_api_process_hands_out_the_tokens_of_all_stages() -> None:
    """384 tokens a second of each of three lanes, by one process."""
    handing = replace(FLEETS, pp=3, profile=replace(FLEETS.profile, api_token=2e-3))
    assert utilization(handing, flow(**BUSY)) == pytest.approx(3 * 384 * 2e-3)


def test_utilization_is_what_the_formula_calls_it() -> None:
    """A replica that steps at full batch all the time is full, whatever its steps hold."""
    steps, prompted = 1_000, 30_000
    context = 20 * 900 * steps
    busy = steps * W + context * H + prompted * P
    full = flow(seconds=busy / 4, steps=steps, busy=busy, joined=20 * steps, prompted=prompted, decoded=10_000)
    assert utilization(FLEETS, full) == pytest.approx(1.0)


def test_mfu_by_hand() -> None:
    beyond = 160.0 - 10_000 * W - 400_000 * P  # seconds that reading contexts took
    flops = 1e11 * 476_000 + 1e6 * (400_000 * 50.0 + beyond / H)
    assert mfu(FLEETS, HARDWARE, 50.0, flow(**BUSY)) == pytest.approx(flops / 200 / 1e15)


def test_without_a_time_per_context_token_its_attention_is_not_known() -> None:
    free = replace(FLEETS, profile=replace(FLEETS.profile, time_per_context_token=0.0))
    flops = 1e11 * 476_000 + 1e6 * 400_000 * 50.0
    assert mfu(free, HARDWARE, 50.0, flow(**BUSY)) == pytest.approx(flops / 200 / 1e15)
    assert mfu(free, HARDWARE, 50.0, flow(steps=1_000, busy=20.0)) == 0.0


@pytest.mark.parametrize("short", [False, True])
def test_no_hardware_does_more_than_its_peak(short: bool) -> None:
    exact = mfu(FLEETS, HARDWARE, 50.0, flow(**BUSY)) * HARDWARE.peak
    slow = replace(HARDWARE, peak=exact * (0.99 if short else 1.01))
    if short:
        with pytest.raises(AssertionError, match="pool all: an MFU of 101% of fast/tp2: no hardware does that"):
            mfu(FLEETS, slow, 50.0, flow(**BUSY))
    else:
        assert 0.98 < mfu(FLEETS, slow, 50.0, flow(**BUSY)) < 1


def test_the_peak_itself_can_be_done() -> None:
    """A token a second and replica of 2⁴⁰ operations on hardware of 2⁴⁰ a second."""
    exact = replace(HARDWARE, peak=2.0**40, flops_per_token=2.0**40)
    assert mfu(FLEETS, exact, 50.0, flow(decoded=200)) == 1.0


def test_prompts_that_take_all_the_time_beyond_the_base_leave_none_for_contexts() -> None:
    """Rounding may have them take more than there was."""
    flops = 1e11 * 400_000 + 1e6 * 400_000 * 50.0
    assert mfu(FLEETS, HARDWARE, 50.0, flow(busy=39.9, prompted=400_000)) == pytest.approx(flops / 200 / 1e15)


def own_engine(hardware: Profile) -> PoolProfile:
    """Return the engine that the catalogue has for TRAFFIC on `hardware`."""
    moments = RequestTable.of(TRAFFIC.atoms, chunk=256).moments(0, 1)
    base, context, prompt = affine(
        hardware.step,
        concurrency=20,
        mean_context=moments.mean_context,
        mean_pairs_per_prompt_token=50.0,
        chunk=100,
        token_budget=256,
    )
    return PoolProfile(
        base_step_time=float(base),
        time_per_context_token=float(context),
        time_per_prompt_token=float(prompt),
        kv_blocks=1000,
    )


PART = ("base_step_time", "time_per_context_token", "time_per_prompt_token")


@pytest.mark.parametrize("scale", [0.99, 1.0, 1.01])
@pytest.mark.parametrize("part", PART)
def test_beyond_the_peak_is_a_bug_unless_a_given_profile_is_faster_than_the_hardware(part: str, scale: float) -> None:
    weak, none = replace(HARDWARE, peak=1e6), Latencies.of(np.zeros(0, REQUEST))
    own = own_engine(weak)
    pool = replace(FLEETS, profile=replace(own, **{part: scale * getattr(own, part)}))
    words = r"pool all: an MFU of \d+% of fast/tp2: no hardware does that"
    with pytest.raises(InputError if scale < 1 else AssertionError, match=words) as raised:
        pool_run(
            pool, traffic=TRAFFIC, prefix_hit=0.0, profile=weak, latencies=none, flow=flow(**BUSY), slo=Slo(ttft=1.0)
        )
    assert str(raised.value).startswith("pool all: profile: this profile is faster") == (scale < 1)


@pytest.mark.parametrize(("hit", "pairs"), [(0.0, 50.0), (0.5, 50 + 25.0), (1.0, 99 + 0.5)])
def test_a_prompt_token_meets_what_is_cached_and_half_of_the_rest(hit: float, pairs: float) -> None:
    assert pairs_per_prompt_token(TRAFFIC, hit) == pytest.approx(pairs)


def test_long_prompts_count_by_their_tokens() -> None:
    both = PoolTraffic(arrival_rate=1.0, atoms=((3.0, 100.0, 1.0), (1.0, 700.0, 1.0)))
    assert pairs_per_prompt_token(both, 0.0) == pytest.approx((3 * 100 * 50 + 700 * 350) / 1_000)


def test_a_pool_that_saw_no_request_kept_its_limits() -> None:
    run = measured(Latencies.of(np.zeros(0, REQUEST)))
    assert (run.offered, run.ttft, run.tpot, run.e2e, run.wait, run.attainment) == (0, None, None, None, 0.0, 1.0)


def test_a_limit_at_a_percentile_of_its_own_is_one_on_all_requests_together() -> None:
    times = served(*((0.0, 0.0, first, 2.0 * first, 2) for first in (0.1, 0.2, 0.3, 0.4)))
    run = measured(Latencies.of(times), slo=Slo(ttft=0.35, further=(("ttft.p50", 0.15), ("e2e.p75", 1.0))))
    assert run.further == (("ttft.p50", 0.2), ("e2e.p75", 0.6))
    assert run.attainment == 0.75, "no request alone breaks a limit on the half of them"


def test_each_class_is_held_to_its_own_limits_and_told_apart() -> None:
    times = served(*((0.0, 0.1 * first, first, 2.0 * first, 2) for first in (0.1, 0.2, 5.0, 20.0)))
    times["batch"] = [False, False, True, True]
    slo = Slo(ttft=0.15, percentile=0.5, further=(("batch.ttft", 10.0), ("batch.ttft.p75", 40.0)))
    run = measured(Latencies.of(times), slo=slo)
    assert (run.offered, run.ttft, run.e2e, run.wait) == (4, 0.1, 0.2, pytest.approx(0.01))
    assert dict(run.further) == {
        "batch.ttft": 5.0, "batch.ttft.p75": 20.0, "batch.tpot": 5.0, "batch.e2e": 10.0
    }  # fmt: skip
    assert run.attainments == (("interactive", 0.5), ("batch", 0.5))
    assert run.attainment == 0.5
    assert sum(count for _, count in run.histograms[0].cells) == 2
    times["first"][3] = times["finish"][3] = np.nan
    lost = measured(Latencies.of(times), slo=slo, missed=Missed(timed_out=1))
    assert dict(lost.over_offered) == {"ttft": 0.1, "batch.ttft": 5.0, "batch.ttft.p75": None}


def test_the_share_that_is_found_is_of_what_was_asked_for_meanwhile() -> None:
    assert hit_share(flow(hit=30, asked=120)) == 0.25
    assert hit_share(flow(hit=0, asked=120)) == 0.0
    assert hit_share(flow()) is None


def test_the_arithmetic_of_prompts_is_by_the_share_that_was_found_or_was_said() -> None:
    """Half of the prompts' tokens asked for were found: as if half were said to be cached, and told as a result."""
    latencies = Latencies.of(served((0.0, 0.5, 1.0, 4.0, 4)))
    busy = flow(**BUSY, asked=1_000, hit=500)
    said, found = (measured(latencies, flow=busy, prefix_hit=hit) for hit in (0.5, None))
    assert (said.hit, found.hit) == (None, 0.5)
    assert found.mfu == said.mfu > measured(latencies, flow=busy).mfu
    nothing_asked = measured(latencies, prefix_hit=None)
    assert (nothing_asked.hit, nothing_asked.mfu) == (None, measured(latencies).mfu)


def test_latencies_are_read_part_by_part_and_take_no_copy_of_the_records() -> None:
    times, own = np.zeros(100_000, REQUEST), np.random.default_rng(3)
    times["arrival"], times["output"] = np.arange(100_000.0), own.integers(1, 4, 100_000)
    for name, after in (("admitted", "arrival"), ("first", "admitted"), ("finish", "first")):
        times[name] = times[after] + own.exponential(1.0, 100_000)
    for name in ("admitted", "first", "finish"):
        times[name][::100] = np.nan
    in_front = own.random(100_000)
    tracemalloc.start()
    found = Latencies.of(times, in_front)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    kept = found.wait.nbytes + sum(values.nbytes for values in found.metrics.values()) + found.batch.nbytes
    assert most - kept < 0.1 * times.nbytes
    with np.errstate(divide="ignore", invalid="ignore"):
        tpot = (times["finish"] - times["first"]) / (times["output"] - 1)
    expected = {
        "ttft": times["first"] - times["arrival"] + in_front,
        "tpot": np.where(times["output"] > 1, tpot, np.nan),
        "e2e": times["finish"] - times["arrival"] + in_front,
    }
    assert np.array_equal(found.wait, times["admitted"] - times["arrival"], equal_nan=True)
    assert all(np.array_equal(found.metrics[name], values, equal_nan=True) for name, values in expected.items())
