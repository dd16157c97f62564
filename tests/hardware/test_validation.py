"""The uncalibrated roofline against published end-to-end measurements, and the closed loop's arithmetic."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from fleettui.domain.hardware import StepCost, StepLaw
from fleettui.domain.validation import Comparison, MeasuredPoint
from fleettui.hardware import validation
from fleettui.hardware.measured import read_points
from fleettui.hardware.validation import ClosedLoop, summarize

compare_point = partial(validation.compare_point, step_law="roofline")
MEASURED = Path(__file__).parents[2] / "../shared/data/measured-h100.csv"
COST = StepCost(
    overhead=3e-3,
    weight_time=5e-3,
    linear_time=1e-5,
    all_reduce_time=0,
    context_time=1e-8,
    attention_time=0,
)
POINT = MeasuredPoint(
    line=2,
    model="llama-3.1-70b",
    gpu="h100",
    dtype="fp8",
    engine="vllm",
    tp=2,
    prompt_tokens=1024,
    output_tokens=1024,
    concurrency=16,
    ttft=0.253,
    tpot=0.0197,
)


def compare(points: Iterable[MeasuredPoint], step_law: StepLaw = "roofline") -> tuple[Comparison, ...]:
    return validation.compare(points, step_law)[0]


@pytest.fixture(scope="module")
def measured() -> tuple[Comparison, ...]:
    if not MEASURED.exists():
        pytest.skip(f"{MEASURED} is absent")
    return compare(read_points(MEASURED).points)


def test_a_lone_client_decodes_undisturbed() -> None:
    loop = ClosedLoop(cost=COST, clients=1, prompt_tokens=100, output_tokens=101, token_budget=2048)
    assert loop.decoding == pytest.approx(100 / 101)
    assert loop.tpot() == pytest.approx(8e-3 + 1e-8 * 150.5 * 100 / 101)
    assert loop.ttft() == pytest.approx(1.5 * loop.tpot(), rel=1e-9)


def test_a_decode_meets_each_other_clients_prompt_once() -> None:
    alone = ClosedLoop(
        cost=replace(COST, context_time=0), clients=1, prompt_tokens=4096, output_tokens=1025, token_budget=2048
    )
    many = replace(alone, clients=9)
    step = 2048 * 1e-5 + many.decoding * 1e-5 - 5e-3  # what a full step costs beyond one that only decodes
    assert many.tpot() - alone.tpot() == pytest.approx(8 * 2 * step / 1024)


def test_prompts_that_fill_every_step_leave_fewer_to_decode() -> None:
    loop = ClosedLoop(cost=COST, clients=100, prompt_tokens=8192, output_tokens=65, token_budget=2048)
    assert loop.decoding == pytest.approx(100 * 64 / 400)
    assert loop.tpot() == pytest.approx(3e-3 + 1e-5 * (2048 + 16) + 1e-8 * 16 * (8192 + 32.5))


def test_prompts_alone_run_in_turn_and_decodes_wait_for_half_of_them() -> None:
    loop = ClosedLoop(
        cost=replace(COST, context_time=0),
        clients=8,
        prompt_tokens=1024,
        output_tokens=129,
        token_budget=2048,
        alone=True,
    )
    step = loop.step(2048)
    assert (loop.decoding, loop.waves, loop.wave) == (8.0, 4.0, step)
    assert step == replace(loop, clients=2).step(2048), "nobody decodes beside prompts"
    assert loop.ttft() == pytest.approx(2.5 * step)
    assert loop.tpot() == pytest.approx(loop.step(0) + 1.5 * step / 128)


def test_a_point_is_unsaturated_kv_bound_or_impossible() -> None:
    assert compare_point(POINT).state == "unsaturated"
    assert compare_point(replace(POINT, prompt_tokens=8192, concurrency=64)).state == "kv-bound"
    assert compare_point(replace(POINT, tpot=0.010)).state == "impossible"


def test_a_kv_bound_point_is_predicted_for_what_fits() -> None:
    bound = replace(POINT, prompt_tokens=8192, concurrency=64)
    assert compare_point(bound).predicted_tpot == compare_point(replace(bound, concurrency=500)).predicted_tpot


def test_the_summary_counts_only_unsaturated_points() -> None:
    points = (POINT, replace(POINT, prompt_tokens=8192, concurrency=64), replace(POINT, tpot=0.010))
    (summary,) = summarize(compare(points))
    error = compare_point(POINT).tpot_error
    assert (summary.points, summary.unsaturated, summary.kv_bound, summary.impossible) == (3, 1, 1, 1)
    assert summary.mean_absolute_error == pytest.approx(abs(error))
    assert summary.bias == pytest.approx(error)
    assert summary.worst == compare_point(POINT)


def test_a_summary_without_unsaturated_points_has_no_figures() -> None:
    (summary,) = summarize(compare([replace(POINT, tpot=0.010)]))
    assert (summary.mean_absolute_error, summary.bias, summary.worst) == (None, None, None)


def test_llama_70b_in_fp8_is_within_fifteen_percent(measured: tuple[Comparison, ...]) -> None:
    errors = [
        abs(one.tpot_error)
        for one in measured
        if (one.point.model, one.point.dtype, one.state) == ("llama-3.1-70b", "fp8", "unsaturated")
    ]
    assert len(errors) > 35
    assert sum(errors) / len(errors) <= 0.15


def test_no_model_and_tensor_parallelism_is_worse_than_thirty_percent(measured: tuple[Comparison, ...]) -> None:
    summaries = [one for one in summarize(measured) if one.mean_absolute_error is not None]
    assert len(summaries) >= 11
    assert max(one.mean_absolute_error or 0 for one in summaries) <= 0.30


def test_kernels_are_nearer_than_the_roofline(measured: tuple[Comparison, ...]) -> None:
    by_kernels = compare((one.point for one in measured), "kernels")
    (old, worst), (new, near) = (
        np.quantile([abs(one.tpot_error) for one in found if one.state == "unsaturated"], (0.5, 0.9))
        for found in (measured, by_kernels)
    )
    assert new < 0.08 < old
    assert near < 0.18 < worst


def test_what_does_not_fit_is_counted() -> None:
    large = replace(POINT, model="llama-3.1-405b", tp=1)
    compared, refused = validation.compare([POINT, large, large], "kernels")
    assert len(compared) == 1
    assert [one.why for one in refused] == 2 * ["llama-3.1-405b fp8 does not fit on 1 h100"]


def test_the_known_saturated_points_are_recognised(measured: tuple[Comparison, ...]) -> None:
    bound = {
        (one.point.prompt_tokens, one.point.output_tokens, one.point.concurrency)
        for one in measured
        if one.state == "kv-bound" and (one.point.model, one.point.tp) == ("llama-3.1-70b", 2)
    }
    assert {(8192, 1024, 64), (8192, 1024, 32), (1024, 8192, 64)} <= bound
    slow = [one for one in measured if one.point.ttft > 10]
    assert slow
    assert all(one.state == "kv-bound" for one in slow)


def test_impossible_points_are_few_and_shown(measured: tuple[Comparison, ...]) -> None:
    impossible = [one for one in measured if one.state == "impossible"]
    assert 0 < len(impossible) <= 3
    assert {(one.point.model, one.point.dtype) for one in impossible} == {("qwen3-32b", "fp8")}


def test_a_law_that_cannot_time_experts_that_are_spread_leaves_them_out() -> None:
    point = replace(POINT, model="gpt-oss-120b", dtype="mxfp4", tp=4, expert_parallel=True)
    dense = replace(POINT, expert_parallel=True)
    _, skipped = validation.compare([point], "roofline")
    assert [one.why for one in skipped] == [
        "the roofline does not know how unevenly experts that are spread are chosen"
    ]
    found, skipped = validation.compare([point, dense], "kernels")
    assert len(found) == 1
    assert [one.why for one in skipped] == [f"{POINT.model} has no routed experts to spread"]


def test_runs_with_another_cache_or_experts_that_are_spread_are_summarized_apart() -> None:
    experts = replace(POINT, model="gpt-oss-120b", dtype="mxfp4", tp=4)
    points = [POINT, replace(POINT, kv_dtype="fp8"), experts, replace(experts, expert_parallel=True)]
    found = summarize(compare([*points, POINT], "kernels"))
    assert [(one.model, one.kv_dtype, one.expert_parallel, one.points) for one in found] == [
        ("gpt-oss-120b", "bf16", False, 1),
        ("gpt-oss-120b", "bf16", True, 1),
        ("llama-3.1-70b", "bf16", False, 2),
        ("llama-3.1-70b", "fp8", False, 1),
    ]


def test_the_mfu_that_a_measurement_implies_is_that_of_the_tokens_it_served() -> None:
    seconds = POINT.ttft + 1023 * POINT.tpot
    linear = 2 * 69.5e9 * (1024 + 1023) * 16 / seconds / (2 * 1978e12)
    found = compare_point(POINT).mfu
    assert linear < found < 1.1 * linear, "attention of a thousand tokens adds a few percent"
    assert validation.implied_mfu(replace(POINT, output_throughput=2 * POINT.throughput)) == pytest.approx(2 * found)
    assert validation.implied_mfu(replace(POINT, tp=4)) == pytest.approx(found / 2)
