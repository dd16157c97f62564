"""Operators in seconds, wherever their kernels were measured, and what is said of that."""

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.dtype import CacheDtype
from fleettui.hardware import catalog
from fleettui.hardware.kernel_search import NONE, Kernels
from fleettui.hardware.operators import ExpertShape, experts, matrix_product

QWEN = ExpertShape(hidden=4096, inner=1536, used=8, count=128, divided=8)


def kernels(gpu: str = "h100", engine: str = "vllm", cache: CacheDtype = "bf16") -> Kernels:
    return Kernels(catalog.gpu(gpu), engine, cache)


def test_an_own_kernel_is_said_with_its_version() -> None:
    own = kernels()
    own.product("down", 1, 8192, 8192, "bf16")
    assert own.evidence == {"down": "measured, vllm 0.24.0"}


def test_another_engine_stands_in_on_the_same_gpu() -> None:
    own = kernels("h200")
    own.product("down", 1, 8192, 8192, "fp8")
    assert own.evidence["down"].startswith("measured, but under trtllm")


def test_a_gpu_of_the_same_kind_stands_in_by_the_datasheets() -> None:
    there, here = kernels("gb200"), kernels("b200")
    ratio = there.product("down", 512, 8192, 8192, "bf16") / here.product("down", 512, 8192, 8192, "bf16")
    assert there.evidence["down"] == "measured on b200 under vllm 0.22.0, carried over by the datasheets"
    assert ratio == pytest.approx(
        matrix_product(512, 8192, 8192, "bf16").least(there.gpu)
        / matrix_product(512, 8192, 8192, "bf16").least(here.gpu)
    )


def test_kernels_stand_in_for_a_gpu_of_ones_own_as_its_file_says() -> None:
    own = replace(catalog.gpu("h20"), name="mine")
    kernels = Kernels(own, "vllm")
    assert kernels.product("down", 512, 8192, 8192, "bf16") == pytest.approx(
        Kernels(catalog.gpu("h20"), "vllm").product("down", 512, 8192, 8192, "bf16")
    )
    assert kernels.evidence["down"].startswith("measured on h200")


@pytest.mark.parametrize("gpu", ["mi300x", "gaudi-3", "tpu-v5e"])
def test_what_nobody_measured_is_the_roofline_and_said_to_be(gpu: str) -> None:
    own = kernels(gpu)
    seconds = own.product("down", 1, 8192, 8192, "bf16")
    assert seconds == pytest.approx(matrix_product(1, 8192, 8192, "bf16").moved / (0.8 * own.gpu.bandwidth))
    own.experts(4, "bf16", QWEN)
    own.decode(8, 4, 1000, 128, 0)
    own.all_reduce(1e6, 8)
    assert set(own.evidence.values()) == {NONE}


def test_the_nearest_shape_of_experts_stands_in_and_is_said() -> None:
    own = kernels()
    odd = ExpertShape(hidden=4000, inner=1500, used=8, count=120, divided=8)
    seconds = own.experts(np.array([1.0, 64.0, 4096.0]), "fp8_block", odd)
    assert "(nearest shape: 256 experts of 2048 by 4096, 8 used, over 8 GPUs)" in own.evidence["experts"]
    assert np.all(np.diff(seconds) > 0)


MIXTRAL = ExpertShape(hidden=4096, inner=14336, used=2, count=8, divided=2)
KIMI = ExpertShape(hidden=7168, inner=2048, used=8, count=384, divided=8)


@pytest.mark.parametrize(
    ("gpu", "form", "shape"), [("h200", "int8_wo", QWEN), ("h100", "int8_wo", MIXTRAL), ("h100", "int4_wo", MIXTRAL)]
)
def test_experts_of_fewer_bits_take_less_by_their_bytes_where_none_like_them_was_measured(
    gpu: str, form: str, shape: ExpertShape
) -> None:
    """Found: int8 prompts took a fourth of bf16's by the datasheet, int4 four times as long by a far larger shape."""
    tokens, own, wide = np.array([1.0, 32.0, 512.0, 4096.0]), kernels(gpu), kernels(gpu)
    seconds, whole = own.experts(tokens, form, shape), wide.experts(tokens, "bf16", shape)
    work, wider = experts(tokens, shape, form), experts(tokens, shape, "bf16")
    assert (seconds < whole).all()
    assert (seconds >= work.least(own.gpu)).all()
    assert seconds == pytest.approx(whole - (wider.moved - work.moved) / own.gpu.bandwidth)
    assert own.evidence["experts"] == f"{wide.evidence['experts']}; products in bf16"


def test_experts_of_fewer_bits_that_were_measured_are_timed_so() -> None:
    own = kernels()
    own.experts(1.0, "int4_wo", KIMI)
    assert own.evidence["experts"] == "measured, vllm 0.24.0"


@pytest.mark.parametrize("shape", [QWEN, MIXTRAL], ids=["qwen", "mixtral"])
def test_experts_in_fp8_are_no_slower_than_in_bf16_on_h100(shape: ExpertShape) -> None:
    """Found: a kernel that vLLM takes for one kind of checkpoint made an H100 two to four times as slow in FP8."""
    tokens = np.array([1.0, 32.0, 512.0, 4096.0])
    assert (kernels().experts(tokens, "fp8", shape) < 1.2 * kernels().experts(tokens, "bf16", shape)).all()


OSS = ExpertShape(hidden=2880, inner=2880, used=4, count=128, divided=1)


@pytest.mark.parametrize("gpus", [2, 4])
def test_experts_that_were_measured_whole_alone_take_as_long_divided_as_spread(gpus: int) -> None:
    kernels, tokens = Kernels(catalog.gpu("h200"), "trtllm"), np.array([1, 64, 8192])
    divided, spread = replace(OSS, divided=gpus), replace(OSS, ranks=gpus)
    assert divided.spread == spread
    found = kernels.experts(tokens, "w4a16_mxfp4", divided)
    assert kernels.evidence["experts"].endswith("(as if spread: these were measured whole alone)")
    assert np.array_equal(found, kernels.experts(tokens, "w4a16_mxfp4", spread))
    assert "spread" not in kernels.evidence["experts"]


def test_experts_that_were_measured_divided_are_not_spread() -> None:
    kernels, tokens = Kernels(catalog.gpu("h100"), "vllm"), np.array([1, 64, 8192])
    divided = kernels.experts(tokens, "w4a16_mxfp4", replace(OSS, divided=2))
    assert kernels.evidence["experts"] == "measured, vllm 0.24.0"
    assert not np.array_equal(divided, kernels.experts(tokens, "w4a16_mxfp4", replace(OSS, ranks=2)))


def test_heads_of_another_width_are_timed_by_the_nearest() -> None:
    own = kernels()
    own.decode(8, 4, 1000, 112, 0)
    assert own.evidence["decode attention"].endswith("(heads of another width)")


def test_one_gpu_has_nothing_to_add_up() -> None:
    own = kernels()
    assert own.all_reduce(np.array([1e3, 1e6]), 1).tolist() == [0.0, 0.0]
    assert own.evidence == {}


@pytest.mark.parametrize(("gpu", "gpus", "microseconds"), [("h100", 2, 12.4), ("h100", 8, 19.4), ("b200", 8, 20.7)])
def test_a_million_numbers_are_added_up_as_fast_as_measured(gpu: str, gpus: int, microseconds: float) -> None:
    assert kernels(gpu).all_reduce(2**20, gpus) * 1e6 == pytest.approx(microseconds, rel=0.1)


def test_a_thin_cache_is_read_faster() -> None:
    wide, thin = (kernels(cache=cache).decode(8 * 64, 8, 8192, 128, 0) for cache in ("bf16", "fp8"))
    assert thin < 0.8 * wide


@pytest.mark.parametrize("gpu", ["h100", "h200", "b200", "l40s"])
def test_latent_prompts_of_sglang_take_kernels_that_expand_keys_and_values(gpu: str) -> None:
    """Its own table on Hopper is of one key for all heads: three times the work, which it does not do for prompts."""
    own, plain = kernels(gpu, "sglang"), kernels(gpu, "trtllm")
    assert own.latent_prompt(16.0, 8192.0) == plain.latent_prompt(16.0, 8192.0)
    assert own.evidence["prompt attention"].startswith("measured, but under trtllm")
    assert own.latent_decode(16.0, 32.0, 4096.0) != plain.latent_decode(16.0, 32.0, 4096.0)
