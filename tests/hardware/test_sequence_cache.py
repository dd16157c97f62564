"""What a sequence keeps: the exact bytes, and the forms in which engines count them."""

from dataclasses import replace

import pytest

from fleettui.domain.hardware import StepCost, StepTable
from fleettui.hardware import catalog
from fleettui.hardware.kernel_search import Kernels
from fleettui.hardware.memory import cache_budget
from fleettui.hardware.operator_law import OperatorLaw
from fleettui.hardware.profile import build_profile
from fleettui.hardware.sequence_cache import cache_bytes, cache_split, forms, sequence_bytes

VLLM = catalog.engine("vllm")
LENGTHS = (1, 100, 128, 1000, 8192, 100_000)


def test_the_cache_of_a_window_is_bounded_by_it() -> None:
    """gpt-oss-120b: half of its 36 layers keep 128 tokens of 2 x 8 heads x 64 numbers."""
    model = catalog.model("gpt-oss-120b")
    layer = 2 * 8 * 64 * 2
    assert sequence_bytes(model, 100) == 36 * 100 * layer
    assert sequence_bytes(model, 10_000) == (18 * 10_000 + 18 * 128) * layer
    assert sequence_bytes(model, 10_001) - sequence_bytes(model, 10_000) == 18 * layer


def test_a_state_takes_the_same_at_any_length() -> None:
    """Qwen3.5-397B: 15 of 60 layers have a cache, of 2 x 2 heads x 256 numbers."""
    model = catalog.model("qwen3.5-397b-a17b")
    assert cache_bytes(model) == 15 * 2 * 2 * 256 * 2
    assert sequence_bytes(model, 0) == model.state_bytes == 45 * (4 * 64 * 128 * 128 + 2 * 12_288 * 3)


@pytest.mark.parametrize("name", catalog.model_names())
def test_no_form_counts_too_little(name: str) -> None:
    model = catalog.model(name)
    for form in forms(model):
        for tokens in LENGTHS:
            counted = form.per_token * tokens + form.windows + form.state
            assert counted >= sequence_bytes(model, tokens)
    assert forms(model)[0].per_token == cache_bytes(model)


@pytest.mark.parametrize("name", [name for name in catalog.model_names() if len(forms(catalog.model(name))) > 1])
def test_one_of_two_forms_is_exact(name: str) -> None:
    model = catalog.model(name)
    for tokens in LENGTHS:
        least = min(form.per_token * tokens + form.windows + form.state for form in forms(model))
        assert least == sequence_bytes(model, tokens)


def test_models_without_windows_have_one_form() -> None:
    for name in ("llama-3.1-70b", "deepseek-v3", "qwen3-32b"):
        (form,) = forms(catalog.model(name))
        assert (form.windows, form.state) == (0, 0)
        assert form.fixed_per_gpu(catalog.model(name), 8) == 0


def test_memory_takes_the_form_with_more_room() -> None:
    short = cache_budget(catalog.gpu("h100"), catalog.model("gpt-oss-120b"), dtype="fp8", tp=4, engine=VLLM)
    assert short.cache.windows > 0
    assert "256 sequences" in " ".join(short.lines)
    wide = cache_budget(catalog.gpu("h100"), catalog.model("gemma-3-27b"), dtype="bf16", tp=2, engine=VLLM)
    assert wide.cache.windows == 0
    assert "sequences" not in " ".join(wide.lines)


def test_tensorrt_llm_keeps_every_token_in_layers_with_a_window_and_reads_no_more_than_that() -> None:
    gpu, model = catalog.gpu("h200"), catalog.model("gpt-oss-120b")
    kept, windowed = (
        build_profile(gpu, model, dtype="mxfp4", tp=1, engine=engine, kv_dtype="fp8", step_law="kernels")
        for engine in ("trtllm", "vllm")
    )
    assert kept.kv_bytes_per_token == 2 * windowed.kv_bytes_per_token == 36 * 2 * 8 * 64
    whole = replace(VLLM, rules=replace(VLLM.rules, cache=replace(VLLM.rules.cache, keeps_all=True)))
    both = [cache_budget(gpu, model, dtype="mxfp4", tp=1, engine=one, kv_dtype="fp8").blocks for one in (whole, VLLM)]
    assert both[0] == pytest.approx(both[1] / 2, rel=0.01)
    (form,) = forms(model, "fp8", keeps_all=True)
    assert (form.per_token, form.windows, form.bounded) == (cache_bytes(model, "fp8"), 0.0, True)
    assert isinstance(kept.step, StepTable)
    law = OperatorLaw(Kernels(gpu, "trtllm", "fp8"), model, "mxfp4", 1)
    longer = float(law.decode(64, 16_384) - law.decode(64, 8192)) / (64 * 8192)
    assert kept.step.slope[kept.step.sequences.index(64.0)] == pytest.approx(longer, rel=0.1)


def test_whole_attention_is_kept_alike_by_all() -> None:
    assert forms(catalog.model("llama-3.1-70b"), keeps_all=True) == forms(catalog.model("llama-3.1-70b"))


def test_more_sequences_leave_fewer_blocks() -> None:
    gpu, model = catalog.gpu("b200"), catalog.model("qwen3.5-397b-a17b")
    few, many = (build_profile(gpu, model, dtype="fp8", tp=8, sequences=count) for count in (64, 1024))
    assert few.kv_blocks > many.kv_blocks
    assert few.step == many.step
    assert [one.sequences for one in (few, many)] == [64, 1024]
    assert [few.serves(count) for count in (64, 1024)] == [True, False]
    assert isinstance(few.step, StepCost)
    assert few.step.sequence_time > 0
    plain = catalog.model("llama-3.1-70b")
    one, other = (build_profile(gpu, plain, dtype="fp8", tp=8, sequences=count) for count in (64, 1024))
    assert one == other
    assert one.serves(64)
    assert one.serves(1024)
    assert isinstance(one.step, StepCost)
    assert one.step.sequence_time == 0


def test_the_cache_is_divided_as_heads_allow() -> None:
    model = catalog.model("qwen3.5-397b-a17b")
    assert [cache_split(model, tp) for tp in (1, 2, 8)] == [1, 2, 2]
    (form,) = forms(model)
    assert form.per_token_per_gpu(model, 8) == cache_bytes(model) / 2
    assert form.fixed_per_gpu(model, 8) == model.state_bytes / 8


@pytest.mark.parametrize(("name", "token"), [("llama-3.1-70b", 327_680), ("deepseek-v3", 576 * 2 * 61)])
def test_an_fp8_cache_takes_half_the_bytes_of_a_token(name: str, token: int) -> None:
    model = catalog.model(name)
    assert (cache_bytes(model), cache_bytes(model, "fp8")) == (token, token / 2)


def test_a_state_and_its_bytes_stay_with_an_fp8_cache() -> None:
    model = catalog.model("qwen3.5-397b-a17b")
    (form,) = forms(model, "fp8")
    assert (form.per_token, form.state, form.dtype) == (15 * 2 * 2 * 256, model.state_bytes, "fp8")


def test_a_windows_bytes_are_halved_too() -> None:
    whole, bounded = forms(catalog.model("gpt-oss-120b"), "fp8")
    assert (whole.per_token, bounded.per_token, bounded.windows) == (36 * 1024, 18 * 1024, 18 * 128 * 1024)
