"""What the steps of a replica that only decodes take beside those of its kernels, as public servers had them."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.calibration import StepTerms
from fleettui.domain.disagg import DECODE_STEPS
from fleettui.domain.hardware import Citation, Profile
from fleettui.hardware.own_fit import fitted_step

CITATION = Citation(
    field="decode steps",
    source=(
        "46 closed-loop runs of disaggregated DeepSeek-R1 servers on H200 and B200 in AIConfigurator's silicon sample "
        "(Apache-2.0), each played; TensorRT-LLM and SGLang"
    ),
    confidence="low",
)


def decoding(profile: Profile, api_token: float | None = None) -> Profile:
    """Return the profile of a replica that only decodes, its steps as public disaggregated servers had them.

    Its tokens are handed out by front ends of its own, of which one pool of eight B200 fed 55,000 tokens a second:
    that takes no time unless `api_token`, seconds each, is typed.
    """
    step = fitted_step(profile.step, StepTerms(factor=DECODE_STEPS), 1.0)
    return replace(profile, step=step, api_token=api_token or 0.0, citations=(*profile.citations, CITATION))
