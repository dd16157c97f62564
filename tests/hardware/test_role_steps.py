"""Steps of replicas that only prefill, and of those that only decode."""

from __future__ import annotations

import pytest

from fleettui.domain.disagg import DECODE_STEPS, PREFILL_STEPS
from fleettui.domain.hardware import StepLaw
from fleettui.hardware import catalog
from fleettui.hardware.profile import build_profile
from fleettui.hardware.role_steps import CITATION, PREFILL_CITATION, decoding, prefilling
from fleettui.hardware.step_cost import step_time


@pytest.mark.parametrize("law", ["kernels", "roofline"])
def test_every_decode_step_is_longer_by_one_factor_and_its_source_is_told(law: StepLaw) -> None:
    profile = build_profile(
        catalog.gpu("h100"), catalog.model("llama-3.1-8b"), dtype="bf16", tp=1, engine="trtllm", step_law=law
    )
    found = decoding(profile)
    for decodes, context in ((1, 0), (32, 65_536), (200, 1_000)):
        own = step_time(profile.step, decodes=decodes, context_tokens=context)
        assert step_time(found.step, decodes=decodes, context_tokens=context) == pytest.approx(DECODE_STEPS * own)
    assert found.citations[-1] == CITATION
    assert profile.api_token > 0.0
    assert found.api_token == 0.0
    assert decoding(profile, 5e-5).api_token == 5e-5


@pytest.mark.parametrize("law", ["kernels", "roofline"])
def test_every_prefill_step_is_longer_by_one_factor_and_its_source_is_told(law: StepLaw) -> None:
    profile = build_profile(
        catalog.gpu("h100"), catalog.model("llama-3.1-8b"), dtype="bf16", tp=1, engine="trtllm", step_law=law
    )
    found = prefilling(profile)
    for tokens in (1, 500, 8192):
        own, longer = (
            step_time(one.step, decodes=0, context_tokens=0, prompt_tokens=tokens, attention_pairs=tokens**2 / 2)
            for one in (profile, found)
        )
        assert longer == pytest.approx(PREFILL_STEPS * own)
    assert found.citations[-1] == PREFILL_CITATION
    assert found.api_token == profile.api_token


def test_a_public_server_that_only_prefills_took_about_as_many_prompts() -> None:
    """Eight H200, TensorRT-LLM, DeepSeek-R1 in fp8, experts divided: 2.94 prompts of 8,192 tokens a second, by two."""
    profile = build_profile(
        catalog.gpu("h200"),
        catalog.model("deepseek-v3"),
        dtype="fp8-block",
        tp=8,
        engine="trtllm",
        step_law="kernels",
        expert_parallel=True,
        kv_dtype="fp8",
    )
    seconds = step_time(
        prefilling(profile).step,
        decodes=0,
        context_tokens=0,
        prompt_tokens=16_384,
        attention_pairs=8192.0**2,
        prompts=2,
    )
    assert 2.0 / float(seconds) == pytest.approx(2.94, rel=0.02)
