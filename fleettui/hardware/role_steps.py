"""What the steps of a replica that only prefills, or only decodes, take beside those of its kernels."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.calibration import StepTerms
from fleettui.domain.disagg import DECODE_STEPS, PREFILL_STEPS
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
PREFILL_CITATION = Citation(
    field="prefill steps",
    source=(
        "NVIDIA/srt-slurm, recipes/trtllm/h200/rate_matching/ctx_only_8k1k.yaml (Apache-2.0): eight H200 that only "
        "prefill DeepSeek-R1 took 2.94 prompts of 8,192 tokens a second, by kernels alone 3.32"
    ),
    confidence="low",
)


def prefilling(profile: Profile) -> Profile:
    """Return the profile of a replica that only prefills, its steps as a public server of that kind had them.

    Such replicas run without CUDA graphs, plan a step when the last has ended, and send caches meanwhile.
    """
    return _slower(profile, PREFILL_STEPS, PREFILL_CITATION)


def decoding(profile: Profile, api_token: float | None = None) -> Profile:
    """Return the profile of a replica that only decodes, its steps as public disaggregated servers had them.

    Its tokens are handed out by front ends of its own, of which one pool of eight B200 fed 55,000 tokens a second:
    that takes no time unless `api_token`, seconds each, is typed.
    """
    return replace(_slower(profile, DECODE_STEPS, CITATION), api_token=api_token or 0.0)


def _slower(profile: Profile, factor: float, citation: Citation) -> Profile:
    step = fitted_step(profile.step, StepTerms(factor=factor), 1.0)
    return replace(profile, step=step, citations=(*profile.citations, citation))
