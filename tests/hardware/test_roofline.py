"""The roofline against its reference figures and against public kernel measurements."""

from dataclasses import replace

import pytest

from fleettui.domain.dtype import Dtype
from fleettui.domain.hardware import StepCost
from fleettui.hardware import catalog
from fleettui.hardware.fit import DoesNotFit
from fleettui.hardware.roofline import (
    cache_penalty,
    flops_per_token,
    link_bytes,
    step_cost,
)
from fleettui.hardware.sequence_cache import cache_bytes, cache_split, counted_in_full
from fleettui.hardware.weights import all_read, always_read


def cost(gpu: str, model: str = "llama-3.1-70b", dtype: Dtype = "bf16", tp: int = 8) -> StepCost:
    return step_cost(catalog.gpu(gpu), catalog.model(model), dtype=dtype, tp=tp, engine_overhead=3e-3)


@pytest.mark.parametrize(("gpu", "microseconds"), [("h100", 29.5), ("a100", 93)])
def test_a_prompt_token_of_llama_70b_on_eight_gpus(gpu: str, microseconds: float) -> None:
    assert cost(gpu).linear_time * 1e6 == pytest.approx(microseconds, rel=0.01)


def test_a_step_of_llama_70b_on_eight_h100() -> None:
    bf16, fp8 = cost("h100"), cost("h100", dtype="fp8")
    assert 3e-3 < bf16.overhead + bf16.weight_time < 15e-3
    assert bf16.weight_time == pytest.approx(69.5e9 * 2 / 8 / 2.68e12, rel=1e-3)
    assert fp8.weight_time == pytest.approx(bf16.weight_time / 2)
    assert fp8.linear_time == pytest.approx(bf16.linear_time / 2)
    assert (fp8.context_time, fp8.attention_time) == (bf16.context_time, bf16.attention_time)
    assert bf16.overhead == pytest.approx(3e-3 + 80 * 3e-6 + 2 * 80 * 16e-6)
    assert cost("h100", tp=1).overhead == pytest.approx(3e-3 + 80 * 3e-6)


def test_the_cache_of_a_token() -> None:
    llama, deepseek = catalog.model("llama-3.1-70b"), catalog.model("deepseek-v3")
    assert cache_bytes(llama) == 327_680
    assert counted_in_full(llama).per_token_per_gpu(llama, 8) == 40_960
    assert cache_bytes(deepseek) == 576 * 2 * 61
    assert cost("h100").context_time == pytest.approx(40_960 / 2.68e12 * 1.1)


def test_a_cache_is_divided_only_as_heads_allow() -> None:
    assert [cache_split(catalog.model("llama-3.1-70b"), tp) for tp in (1, 2, 4, 8)] == [1, 2, 4, 8]
    assert [cache_split(catalog.model("qwen3-235b-a22b"), tp) for tp in (1, 2, 4, 8)] == [1, 2, 4, 4]
    assert [cache_split(catalog.model("deepseek-v3"), tp) for tp in (1, 2, 4, 8)] == [1, 1, 1, 1]


def test_only_grouped_queries_pay_for_grouping() -> None:
    llama = catalog.model("llama-3.1-70b")
    assert cache_penalty(llama) == 1.1
    assert cache_penalty(replace(llama, kv_heads=llama.heads)) == 1.0
    assert cache_penalty(catalog.model("deepseek-v3")) == 1.0


def test_experts_are_kept_apart_from_what_every_step_reads() -> None:
    model = catalog.model("qwen3-235b-a22b")
    mixture = cost("h200", "qwen3-235b-a22b")
    assert mixture.expert_share == 8 / 128
    assert all_read(model) == pytest.approx(model.parameters, rel=0.005)
    assert mixture.expert_time / mixture.weight_time == pytest.approx(
        (all_read(model) - always_read(model)) / always_read(model)
    )
    assert flops_per_token(model) < 0.1 * 2 * all_read(model)
    assert cost("h100").expert_share == cost("h100").expert_time == 0


def test_links_carry_nothing_on_one_gpu() -> None:
    llama = catalog.model("llama-3.1-70b")
    assert link_bytes(llama, 1) == 0
    assert link_bytes(llama, 8) == pytest.approx(2 * 7 / 8 * 8192 * 2 * 2 * 80)
    assert cost("h100").all_reduce_time == pytest.approx(link_bytes(llama, 8) / 450e9)


def test_fp8_without_units_is_refused() -> None:
    with pytest.raises(DoesNotFit, match="no fp8 units"):
        cost("a100", dtype="fp8")


@pytest.mark.parametrize(
    ("gpu", "tp", "one_token", "four_thousand"),
    [  # qkv, o, gate_up, down in milliseconds a layer, Llama-70B shapes (public measurements of Vidur)
        ("a100", 1, (0.112, 0.090, 0.579, 0.293), (2.96, 2.48, 16.5, 8.38)),
        ("h100", 1, (0.063, 0.048, 0.311, 0.171), (0.983, 0.789, 5.67, 2.65)),
        ("h100", 8, (0.013, 0.009, 0.044, 0.022), (0.151, 0.094, 0.643, 0.296)),
    ],
)
def test_measured_matrix_products(
    gpu: str, tp: int, one_token: tuple[float, ...], four_thousand: tuple[float, ...]
) -> None:
    predicted = cost(gpu, tp=tp)
    assert predicted.weight_time == pytest.approx(80e-3 * sum(one_token), rel=0.15)
    measured = 80e-3 * sum(four_thousand) / 4096
    assert 0.75 < measured / predicted.linear_time < 1.05


@pytest.mark.parametrize(
    ("gpu", "batch", "context", "milliseconds"),
    [  # decode attention of one layer with 32 query and 8 key-value heads (public measurements)
        ("h100", 32, 1024, 0.0567),
        ("h100", 32, 4096, 0.186),
        ("h100", 128, 2048, 0.363),
        ("a100", 32, 4096, 0.419),
        ("a100", 128, 2048, 0.645),
    ],
)
def test_measured_decode_attention(gpu: str, batch: int, context: int, milliseconds: float) -> None:
    layer = cost(gpu, "llama-3.1-8b", tp=1).context_time / 32
    assert layer * batch * context == pytest.approx(milliseconds * 1e-3, rel=0.25)
