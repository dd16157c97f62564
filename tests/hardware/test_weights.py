"""What weights take in each number format, held to published checkpoints, and the units that multiply them."""

import pytest

from fleettui.domain.dtype import DTYPES, Dtype
from fleettui.hardware import catalog
from fleettui.hardware.fit import lacks
from fleettui.hardware.formats import peak
from fleettui.hardware.weights import Weights, all_read, always_read, weights_of

ENDS = 2 * 128_256 * 8192
"""Llama-3.1-70B's embedding and projection to the vocabulary."""
REST = 70_553_706_496 - ENDS


def weights(model: str, dtype: Dtype, gpu: str = "h100") -> Weights:
    return weights_of(catalog.gpu(gpu), catalog.model(model), dtype)


@pytest.mark.parametrize(
    ("dtype", "total"),
    [
        ("bf16", 2 * (REST + ENDS)),
        ("fp8", REST + ENDS),
        ("fp8-block", REST + ENDS),
        ("int8", REST + 2 * ENDS),
        ("int4", 0.53 * REST + 2 * ENDS),
        ("nvfp4", 0.5625 * REST + 2 * ENDS),
    ],
)
def test_the_bytes_of_a_dense_model_with_their_scales(dtype: Dtype, total: float) -> None:
    assert weights("llama-3.1-70b", dtype).held == pytest.approx(total, rel=1e-9)


@pytest.mark.parametrize(
    ("model", "dtype", "gigabytes"),
    [
        ("llama-3.1-8b", "int4", 5.74),  # AWQ, groups of 128
        ("llama-3.1-70b", "int4", 39.8),
        ("gpt-oss-120b", "mxfp4", 65.2),  # 60.8 GiB as published
        ("gpt-oss-20b", "mxfp4", 13.8),  # 12.8 GiB
    ],
)
def test_published_checkpoints_are_met_within_two_percent(model: str, dtype: Dtype, gigabytes: float) -> None:
    assert weights(model, dtype).held / 1e9 == pytest.approx(gigabytes, rel=0.02)


@pytest.mark.parametrize("name", catalog.model_names())
def test_of_one_format_all_is_parameters_times_its_bytes(name: str) -> None:
    model = catalog.model(name)
    for size, found in ((2, weights(name, "bf16")), (1, weights(name, "fp8"))):
        assert found.held == size * model.parameters
        assert found.always == size * always_read(model)
        assert found.always + found.routed == size * all_read(model)
        assert sum(found.active.values()) == model.active_parameters


@pytest.mark.parametrize("name", catalog.model_names())
def test_four_bits_are_between_a_quarter_and_half_of_bf16(name: str) -> None:
    whole = weights(name, "bf16").held
    for found in (weights(name, "int4", "b200"), weights(name, "nvfp4", "b200")):
        assert 0.25 * whole < found.held < 0.45 * whole


def test_experts_in_four_bits_leave_the_rest_in_bf16() -> None:
    model = catalog.model("gpt-oss-120b")
    found = weights("gpt-oss-120b", "mxfp4")
    assert (found.layers, found.experts, found.ends) == ("bf16", "w4a16_mxfp4", "bf16")
    assert found.routed == pytest.approx(0.53 * 128 * model.expert_parameters)
    assert found.always == 2 * always_read(model)


def test_what_multiplies_depends_on_the_gpu() -> None:
    """Weights alone in integers run in bf16 everywhere; experts in mxfp4 in fp8 where there are fp4 units."""
    h100, b200 = catalog.gpu("h100"), catalog.gpu("b200")
    expected: tuple[tuple[Dtype, float, float | None], ...] = (
        ("int4", h100.peak_bf16, b200.peak_bf16),
        ("int8", h100.peak_bf16, b200.peak_bf16),
        ("mxfp4", h100.peak_bf16, b200.peak_fp8),
    )
    for dtype, hopper, blackwell in expected:
        found = [peak(gpu, weights("gpt-oss-120b", dtype, gpu.name).fastest(gpu)) for gpu in (h100, b200)]
        assert found == [hopper, blackwell]
    assert weights("gpt-oss-120b", "nvfp4", "b200").fastest(b200) == "fp4"


def test_published_fp8_weights_of_some_architectures_are_scaled_by_block() -> None:
    assert weights("deepseek-v3", "fp8").layers == weights("deepseek-v3", "fp8-block").layers == "fp8_block"
    assert (weights("llama-3.1-70b", "fp8").layers, weights("llama-3.1-70b", "fp8-block").layers) == (
        "fp8",
        "fp8_block",
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_can_be_served_has_units_for_it(dtype: Dtype) -> None:
    for gpu in catalog.gpus():
        for model in catalog.models():
            if not lacks(gpu, model, dtype):
                assert gpu.peak(weights_of(gpu, model, dtype).fastest(gpu)) is not None
