"""Cache blocks, their arithmetic, and refusals that name ways that fit."""

import re
from dataclasses import replace

import pytest

from fleettui.domain.dtype import DTYPES, Dtype
from fleettui.domain.fleet import BLOCK_SIZE, WATERMARK
from fleettui.hardware import catalog
from fleettui.hardware.fit import TENSOR_PARALLEL, DoesNotFit
from fleettui.hardware.memory import USEFUL_CONTEXT, CacheBudget, activation_bytes, alternatives, cache_budget

VLLM = catalog.engine("vllm")


def budget(gpu: str, model: str, dtype: Dtype, tp: int) -> CacheBudget:
    return cache_budget(catalog.gpu(gpu), catalog.model(model), dtype=dtype, tp=tp, engine=VLLM)


def serves(gpu: str, model: str, dtype: Dtype, tp: int, pp: int = 1) -> bool:
    """Return whether a replica holds one request of a useful length."""
    try:
        blocks = cache_budget(catalog.gpu(gpu), catalog.model(model), dtype=dtype, tp=tp, pp=pp, engine=VLLM).blocks
    except DoesNotFit:
        return False
    return (1.0 - WATERMARK) * blocks * BLOCK_SIZE >= USEFUL_CONTEXT


def other_gpu(gpu: str, model: str, dtype: Dtype, tp: int) -> str:
    """Return the way with another GPU: one that is searched, at the same tp, with least memory, where there is one."""
    more = (one for one in catalog.gpus() if one.memory > catalog.gpu(gpu).memory)
    found = [(one, size) for one in more for size in TENSOR_PARALLEL if serves(one.name, model, dtype, size)]
    best, size = min(found, key=lambda way: (not way[0].searched, way[1] != tp, way[1], way[0].memory))
    return f"--gpu {best.name} --tp {size}"


def test_the_blocks_follow_from_the_printed_arithmetic() -> None:
    found = budget("h100", "llama-3.1-70b", "bf16", 8)
    text = "\n".join(found.lines)
    usable, weights, collectives, activations = (
        float(value) for value in re.findall(r"^[−]?\s*([\d.]+) GB", text, re.MULTILINE)[:4]
    )
    left = usable - weights - collectives - activations
    assert found.blocks == pytest.approx(left * 1e9 / (16 * 40_960), rel=1e-3)
    assert f"{found.blocks:,} blocks" in text


def test_dividing_the_cache_is_not_forgotten() -> None:
    found = budget("h100", "llama-3.1-70b", "bf16", 8)
    assert 150 < found.blocks * 16 // 8192 < 190


@pytest.mark.parametrize("name", catalog.model_names())
def test_activations_are_one_to_three_gibibytes(name: str) -> None:
    assert 1 < activation_bytes(catalog.model(name)) / 2**30 < 3


@pytest.mark.parametrize(
    ("gpu", "model", "dtype", "tp", "ways"),
    [
        ("h100", "llama-3.1-70b", "bf16", 1, ["--tp 2", "--dtype fp8"]),
        ("a100", "llama-3.1-70b", "bf16", 1, ["--tp 2"]),
        ("h100", "llama-3.1-405b", "bf16", 8, ["--dtype fp8"]),
        ("h100", "deepseek-v3", "fp8", 8, []),
        ("a10g", "llama-3.1-70b", "bf16", 4, ["--tp 8"]),
    ],
)
def test_what_does_not_fit_says_what_would(gpu: str, model: str, dtype: Dtype, tp: int, ways: list[str]) -> None:
    with pytest.raises(DoesNotFit, match=f"{model} in {dtype} does not fit on {tp} × {gpu}") as caught:
        budget(gpu, model, dtype, tp)
    message = str(caught.value)
    assert all(way in message for way in (*ways, other_gpu(gpu, model, dtype, tp))), message
    assert "GB weights" in message


def test_every_way_that_is_named_serves() -> None:
    for gpu in catalog.gpu_names():
        for model in catalog.model_names():
            for way in alternatives(catalog.gpu(gpu), catalog.model(model), dtype="bf16", tp=2, engine=VLLM):
                given = dict(zip(way.split()[::2], way.split()[1::2], strict=True))
                dtype: Dtype = next((one for one in DTYPES if one == given.get("--dtype")), "bf16")
                stages = int(given.get("--pp", "1"))
                assert serves(given.get("--gpu", gpu), model, dtype, int(given.get("--tp", "2")), stages)


def test_a_way_with_too_few_blocks_for_a_request_is_not_named() -> None:
    model, h200 = catalog.model("deepseek-v3"), catalog.gpu("h200")
    scarce = replace(h200, name="scarce", memory=95.5e9)
    assert 0 < cache_budget(scarce, model, dtype="fp8", tp=8, engine=VLLM).blocks * BLOCK_SIZE < USEFUL_CONTEXT
    assert not {"--tp 8", "--dtype fp8"} & set(alternatives(scarce, model, dtype="fp8", tp=4, engine=VLLM))
    assert "--tp 8" in alternatives(h200, model, dtype="fp8", tp=4, engine=VLLM)


def test_a_model_for_no_known_gpu_asks_for_a_smaller_one() -> None:
    giant = replace(catalog.model("llama-3.1-405b"), parameters=9e12)
    with pytest.raises(DoesNotFit, match="a smaller model"):
        cache_budget(catalog.gpu("h100"), giant, dtype="bf16", tp=8, engine=VLLM)


def test_more_gpus_never_hold_less() -> None:
    sizes = [budget("h200", "qwen3-32b", "bf16", tp).blocks for tp in (1, 2, 4, 8)]
    assert sizes == sorted(sizes)


def test_an_fp8_cache_has_twice_the_blocks() -> None:
    """Llama-3.1-70B fp8 on 4 H100: 56.9 GB are left of each, and 16 tokens take 1.31 MB with a bf16 cache."""
    gpu, model = catalog.gpu("h100"), catalog.model("llama-3.1-70b")
    plain, small = (
        cache_budget(gpu, model, dtype="fp8", tp=4, kv_dtype=one, engine=VLLM).blocks for one in ("bf16", "fp8")
    )
    left = 0.9 * gpu.memory - model.parameters / 4 - 392 * 2**20 - activation_bytes(model)
    assert plain == left // (16 * 327_680 / 4)
    assert small == left // (16 * 163_840 / 4)
    assert small in (2 * plain, 2 * plain + 1)


def test_what_does_not_fit_names_the_first_format_with_fewer_bits_that_does() -> None:
    """Llama-3.1-405B: 406 GB of fp8 on 4 H100 do not fit, nor do 410 of int8; 217 of int4 do."""
    gpu, model = catalog.gpu("h100"), catalog.model("llama-3.1-405b")
    assert alternatives(gpu, model, dtype="fp8", tp=4, engine=VLLM) == ("--tp 8", "--dtype int4", "--gpu h200 --tp 4")
    with pytest.raises(DoesNotFit, match=r"101\.46 GB weights \(405\.85e9 × 1 B / 4\)"):
        cache_budget(gpu, model, dtype="fp8", tp=4, engine=VLLM)
    assert cache_budget(gpu, model, dtype="int4", tp=4, engine=VLLM).blocks > 0
