"""Steps of replicas that only decode."""

from __future__ import annotations

import pytest

from fleettui.domain.disagg import DECODE_STEPS
from fleettui.domain.hardware import StepLaw
from fleettui.hardware import catalog
from fleettui.hardware.decode_steps import CITATION, decoding
from fleettui.hardware.profile import build_profile
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
