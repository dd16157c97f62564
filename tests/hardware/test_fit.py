"""What no memory can help: precision, tensor parallelism, heads."""

from dataclasses import replace

import pytest

from fleettui.domain.dtype import Dtype
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.fit import TENSOR_PARALLEL, DoesNotFit, check_fit, check_spread

LLAMA = catalog.model("llama-3.1-70b")


@pytest.mark.parametrize("tp", TENSOR_PARALLEL)
def test_the_four_sizes_are_accepted(tp: int) -> None:
    check_fit(catalog.gpu("h100"), LLAMA, dtype="fp8", tp=tp)


@pytest.mark.parametrize("tp", [0, -1, 3, 16])
def test_any_other_size_is_bad_input(tp: int) -> None:
    with pytest.raises(InputError, match="1, 2, 4, 8") as caught:
        check_fit(catalog.gpu("h100"), LLAMA, dtype="bf16", tp=tp)
    assert not isinstance(caught.value, DoesNotFit)


@pytest.mark.parametrize("name", ["a100", "a10g"])
def test_fp8_needs_fp8_units(name: str) -> None:
    with pytest.raises(DoesNotFit, match=f"{name} has no fp8 units") as caught:
        check_fit(catalog.gpu(name), LLAMA, dtype="fp8", tp=8)
    assert "h100" in str(caught.value)
    assert "--dtype bf16" in str(caught.value)


def test_an_unknown_dtype_is_bad_input() -> None:
    with pytest.raises(InputError, match="bf16, fp8"):
        check_fit(catalog.gpu("h100"), LLAMA, dtype="int3", tp=1)  # type: ignore[arg-type]


def test_heads_must_divide() -> None:
    with pytest.raises(DoesNotFit, match=r"12 attention heads(.|\n)*accepted: 1, 2, 4\n"):
        check_fit(catalog.gpu("h100"), replace(LLAMA, heads=12), dtype="bf16", tp=8)


def test_a_replica_stays_in_its_node() -> None:
    small = replace(catalog.gpu("h100"), gpus_per_node=4, scale_up_domain=None)
    with pytest.raises(DoesNotFit, match="choose --tp 4 or less"):
        check_fit(small, LLAMA, dtype="bf16", tp=8)


def test_a_link_that_joins_nodes_lets_a_replica_span_them() -> None:
    rack = catalog.gpu("gb200")
    assert (rack.gpus_per_node, rack.joined) == (4, 72)
    check_fit(rack, LLAMA, dtype="bf16", tp=8)


@pytest.mark.parametrize("name", ["a100", "a10g"])
def test_an_fp8_cache_needs_fp8_units_whatever_the_weights_are(name: str) -> None:
    with pytest.raises(DoesNotFit, match=f"{name} has no fp8 units: its attention cannot read an fp8 cache") as caught:
        check_fit(catalog.gpu(name), LLAMA, dtype="bf16", tp=8, kv_dtype="fp8")
    assert "--kv-dtype bf16, or fp8 on b200, h100" in str(caught.value)
    check_fit(catalog.gpu(name), LLAMA, dtype="bf16", tp=8)


@pytest.mark.parametrize(
    ("gpu", "model", "dtype", "why", "others"),
    [
        ("h100", "llama-3.1-70b", "nvfp4", "h100 has no fp4 units", "bf16, fp8, fp8-block, int8, int4; nvfp4 on b200"),
        ("a100", "llama-3.1-70b", "fp8-block", "a100 has no fp8 units", "bf16, int8, int4; fp8-block on b200, h100"),
        ("mi355x", "llama-3.1-70b", "nvfp4", "nvfp4 is a format of NVIDIA's GPUs", "bf16, fp8, fp8-block, int8, int4"),
        ("b200", "llama-3.1-70b", "mxfp4", "mxfp4 is a format of routed experts", "bf16, fp8, fp8-block, int8, nvfp4"),
    ],
)
def test_a_format_that_is_not_served_says_which_are(gpu: str, model: str, dtype: Dtype, why: str, others: str) -> None:
    with pytest.raises(DoesNotFit, match=why) as caught:
        check_fit(catalog.gpu(gpu), catalog.model(model), dtype=dtype, tp=8)
    assert f"accepted: --dtype {others}" in str(caught.value)


@pytest.mark.parametrize("gpu", catalog.gpu_names())
def test_weights_alone_in_integers_are_served_everywhere(gpu: str) -> None:
    dtypes: tuple[Dtype, ...] = ("int8", "int4")
    for dtype in dtypes:
        check_fit(catalog.gpu(gpu), LLAMA, dtype=dtype, tp=1)


@pytest.mark.parametrize("gpu", ["a100", "h100", "b200", "mi300x", "mi355x"])
def test_published_experts_of_four_bits_are_served_with_and_without_fp4_units(gpu: str) -> None:
    check_fit(catalog.gpu(gpu), catalog.model("gpt-oss-120b"), dtype="mxfp4", tp=1)


def test_experts_are_spread_evenly_or_not_at_all() -> None:
    check_spread(catalog.model("gpt-oss-120b"), 8)
    with pytest.raises(InputError, match=r"llama-3\.1-70b has no routed experts to spread"):
        check_spread(LLAMA, 8)
    odd = replace(catalog.model("gpt-oss-120b"), experts=36)
    with pytest.raises(
        DoesNotFit, match="the 36 routed experts of gpt-oss-120b cannot be spread evenly over 8"
    ) as caught:
        check_spread(odd, 8)
    assert "accepted: 1, 2, 4\n" in str(caught.value)
