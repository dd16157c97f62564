"""The operators of a step added up over layers: known shapes, and how they grow."""

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.dtype import Dtype
from fleettui.hardware import catalog
from fleettui.hardware.kernel_search import Kernels
from fleettui.hardware.operator_law import OperatorLaw
from fleettui.hardware.operators import ExpertShape, experts


def law(gpu: str = "h100", model: str = "llama-3.1-70b", dtype: Dtype = "bf16", tp: int = 8) -> OperatorLaw:
    return OperatorLaw(Kernels(catalog.gpu(gpu), "vllm"), catalog.model(model), dtype, tp)


def test_products_of_a_layer_are_those_that_were_measured() -> None:
    parts = law().linear(np.array([1.0, 128.0, 1024.0]))
    assert parts["gate and up"] / 80 * 1e6 == pytest.approx((44.8, 45.1, 161.4), rel=0.18)
    assert parts["down"] / 80 * 1e6 == pytest.approx((22.6, 24.9, 78.0), rel=0.18)


def test_operators_that_a_model_lacks_are_not_there() -> None:
    assert {"experts", "router", "shared experts", "recurrent layers"}.isdisjoint(law().linear(1))
    assert {"experts", "router", "shared experts", "gate and up"} <= law(model="deepseek-v3", dtype="fp8").linear(
        1
    ).keys()
    assert "gate and up" not in law(model="qwen3-235b-a22b").linear(1)
    assert "recurrent layers" in law(model="qwen3.5-397b-a17b", dtype="fp8").linear(1)
    assert "all-reduce" not in law(model="llama-3.1-8b", tp=1).linear(1)


def test_a_step_multiplies_all_active_parameters() -> None:
    """On hardware without measured kernels many tokens take their arithmetic at the share that is assumed."""
    for model in ("llama-3.1-70b", "qwen3-235b-a22b"):
        own, known = law("mi300x", model, tp=8), catalog.model(model)
        many = own.linear(1e6)
        matrices = sum(float(many[name]) for name in many if name not in ("all-reduce", "norms and activations"))
        head = float(own.head(1e6))
        share = 2 * known.active_parameters * 1e6 / (8 * own.kernels.gpu.peak_bf16 * (matrices + head))
        assert share == pytest.approx(0.6, rel=0.05), model


def test_formats_of_weights_are_those_that_are_published() -> None:
    own = law(model="gpt-oss-120b", dtype="mxfp4", tp=2)
    own.linear(8)
    assert own.kernels.evidence["experts"] == "measured, vllm 0.24.0"
    assert own.kernels.evidence["router"].startswith("measured")
    wide = law(model="gpt-oss-120b", tp=2)
    assert float(own.linear(8)["experts"]) < 0.6 * float(wide.linear(8)["experts"])
    assert float(own.linear(8)["attention output"]) == float(wide.linear(8)["attention output"])


def test_a_format_that_nobody_measured_takes_the_multiples_of_bf16_and_says_so() -> None:
    """Four bits read .53 of 2 bytes and take as long to multiply; that is no measured kernel."""
    plain, small = law(dtype="bf16"), law(dtype="int4")
    few, many = (float(small.linear(n)["down"]) / float(plain.linear(n)["down"]) for n in (1, 8192))
    assert few == pytest.approx(0.53 / 2, rel=0.05)
    assert many == pytest.approx(1.0, rel=0.01)
    assert small.kernels.evidence["down"] == "measured, vllm 0.24.0 (products in bf16)"
    own = law(gpu="a100", dtype="int4")
    own.linear(1)
    assert own.kernels.evidence["down"] == "measured, but under trtllm 1.0.0"


def test_heads_that_cannot_be_divided_are_read_by_several_gpus() -> None:
    four, eight = (float(law("h200", "qwen3-235b-a22b", tp=tp).decode(64, 8192)) for tp in (4, 8))
    assert eight > 0.7 * four


def test_windows_bound_what_a_long_context_costs() -> None:
    own = law(model="gemma-3-27b", tp=2)
    short, long = (float(own.decode(64, context)) for context in (1024, 32_768))
    assert long / short < 32 / 3
    unbounded = OperatorLaw(own.kernels, own.model, "bf16", 2, bounded=False)
    assert float(unbounded.decode(64, 32_768)) > 3 * long


def test_a_recurrent_layer_reads_its_state_whatever_the_context() -> None:
    own = law("b200", "qwen3.5-397b-a17b", "fp8")
    assert float(own.decode(1000, 1)) > 1000 * 2 * own.model.state_bytes / 8 / own.kernels.gpu.bandwidth


@pytest.mark.parametrize("model", ["llama-3.1-70b", "qwen3-235b-a22b", "deepseek-v3"])
def test_prompts_take_longer_the_longer_they_are(model: str) -> None:
    lengths = np.geomspace(64, 131_072, 12)
    assert np.all(np.diff(law(model=model, dtype="fp8").prompt(lengths)) > 0)


@pytest.mark.parametrize(
    ("model", "engine", "whole_alone"), [("qwen3-235b-a22b", "vllm", False), ("gpt-oss-120b", "trtllm", True)]
)
def test_experts_that_are_spread_are_timed_as_measured_so_and_the_rest_stays(
    model: str, engine: str, whole_alone: bool
) -> None:
    known = catalog.model(model)
    parts, evidence = [], []
    for expert_parallel in (False, True):
        kernels = Kernels(catalog.gpu("h200"), engine)
        own = OperatorLaw(kernels, known, known.native_dtype, 4, expert_parallel=expert_parallel)
        parts.append({name: float(seconds) for name, seconds in own.linear(64).items()})
        evidence.append(kernels.evidence["experts"])
    divided, spread = (one.pop("experts") for one in parts)
    assert parts[0] == parts[1]
    assert 0.5 < spread / divided < 2.0
    assert (spread == divided) == whole_alone
    assert evidence[1].startswith("measured")


def test_a_gpu_that_holds_experts_whole_touches_as_many_weights_on_average() -> None:
    """64 tokens that use 8 of 128 experts touch 1 - (120/128)^64 of them, on whichever GPU they are."""
    shape = ExpertShape(hidden=4096, inner=1536, used=8, count=128, divided=4)
    divided, spread = (experts(64, one, "fp8") for one in (shape, replace(shape, divided=1, ranks=4)))
    touched = 128 * (1 - (120 / 128) ** 64) * 3 * 4096 * 1536 / 4
    assert float(divided.moved) == float(spread.moved) == pytest.approx(touched + 2 * 64 * 4096)
    assert float(divided.flops) == float(spread.flops)


@pytest.mark.parametrize("engine", ["vllm", "sglang", "trtllm"])
@pytest.mark.parametrize("gpu", ["h100", "h200", "b200", "a100"])
def test_many_sequences_with_much_context_read_no_slower_than_fewer(gpu: str, engine: str) -> None:
    """Nobody measured a thousand sequences with thousands of tokens each: their cache is larger than was tried."""
    own = OperatorLaw(Kernels(catalog.gpu(gpu), engine), catalog.model("llama-3.1-70b"), "bf16", 1)
    counts, contexts = (
        np.array([128.0, 256.0, 512.0, 1024.0, 2048.0]),
        np.array([512.0, 1024.0, 2048.0, 4096.0, 8192.0]),
    )
    pace = np.array([[count * context / float(own.decode(count, context)) for count in counts] for context in contexts])
    assert (pace[:, 1:] > 0.97 * pace[:, :-1]).all(), "a context further on"
    assert (pace[1:] > 0.9 * pace[:-1]).all(), "more context"


def test_what_is_fused_moves_no_bytes_of_its_own_and_sums_run_beside_products() -> None:
    plain = OperatorLaw(Kernels(catalog.gpu("h100"), "trtllm", "fp8"), catalog.model("llama-2-70b"), "fp8", 2)
    fused, tokens = replace(plain, fused=True), np.array([1.0, 64.0, 2048.0])
    apart, within = plain.linear(tokens), fused.linear(tokens)
    assert (within["norms and activations"] < 0.5 * apart["norms and activations"]).all()
    hidden = within["attention output"] + within["down"]
    assert within["all-reduce"] == pytest.approx(np.maximum(apart["all-reduce"] - hidden, 0.0))
    lanes = replace(fused, attention_dp=True).linear(tokens)
    assert lanes["all-reduce"] == pytest.approx(
        np.maximum(replace(plain, attention_dp=True).linear(tokens)["all-reduce"] - lanes["down"], 0.0)
    )


@pytest.mark.parametrize(("gpu", "dtype", "number"), [("h100", "fp8", 1.0), ("b200", "nvfp4", 9 / 16)])
def test_measured_products_quantize_what_they_multiply_and_fused_ones_do_not(
    gpu: str, dtype: Dtype, number: float
) -> None:
    plain = OperatorLaw(Kernels(catalog.gpu(gpu), "trtllm", "fp8"), catalog.model("llama-2-70b"), dtype, 1)
    tokens = 2048.0
    apart, within = plain.linear(tokens), replace(plain, fused=True).linear(tokens)
    moved = 80 * tokens * (2.0 + number) / (0.7 * plain.kernels.gpu.bandwidth)
    for name, width in (
        ("query, key, value", 8192),
        ("attention output", 8192),
        ("gate and up", 8192),
        ("down", 28672),
    ):
        assert apart[name] - within[name] == pytest.approx(width * moved), name
    few = plain.kernels.gpu.bandwidth * replace(plain, fused=True).linear(1.0)["down"]
    assert few >= 80 * 8192 * 28672 * number, "no less than the weights take to be read"


def test_weights_without_units_of_their_own_are_not_quantized_for() -> None:
    plain = OperatorLaw(Kernels(catalog.gpu("h100"), "trtllm", "bf16"), catalog.model("llama-2-70b"), "bf16", 2)
    apart, within = plain.linear(64.0), replace(plain, fused=True).linear(64.0)
    beside = {"norms and activations", "all-reduce"}
    assert all((within[name] == apart[name]).all() for name in apart.keys() - beside)
