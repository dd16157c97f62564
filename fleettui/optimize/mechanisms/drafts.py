"""What multi-token prediction gains by batch, drafts and acceptance (Frontier, Table 6 and Section 5.2).

Tokens a second with drafts over those without, at decode steps of the operator law: no line in the batch, since a
verified draft is free only while the step reads weights.
"""

from __future__ import annotations

from collections.abc import Callable

from fleettui.domain.hardware import StepTable
from fleettui.domain.plan import Estimate
from fleettui.domain.speculation import speculation
from fleettui.hardware import catalog
from fleettui.hardware.drafter import gains
from fleettui.hardware.profile import build_profile
from fleettui.optimize.mechanisms.mechanism import Mechanism, Row

GPU, MODEL, TP = "h200", "deepseek-v3", 8
BATCHES = (1, 8, 32, 128, 512)
DRAFTS, ACCEPTANCE = (1, 7, 15), (30, 70)
"""Drafts, which are verify tokens less one, and accepted ones of a hundred; 32 verify tokens are more than we model."""


def gained(drafts: int, percent: int) -> list[float]:
    """Return how many times the tokens a second come with drafts, by batch."""
    said = f"mtp:{drafts}@{percent}%"
    plain, drafting = (
        build_profile(
            catalog.gpu(GPU), catalog.model(MODEL), dtype="fp8", tp=TP, step_law="kernels", speculative=one
        ).step
        for one in ("", said)
    )
    assert isinstance(plain, StepTable), "a step by kernels is a table"
    assert isinstance(drafting, StepTable), "a step by kernels is a table"
    return gains(drafting, plain, speculation(said), BATCHES)


def rows(seed: int, tell: Callable[[str, int, int], None]) -> list[Row]:
    """Return the gain as a share above 0 where drafts pay; nothing is drawn by the seed."""
    del seed
    found, cases = list[Row](), [(drafts, percent) for drafts in DRAFTS for percent in ACCEPTANCE]
    for place, (drafts, percent) in enumerate(cases):
        tell(f"{drafts} drafts at {percent}%", place, len(cases))
        for batch, gain in zip(BATCHES, gained(drafts, percent), strict=True):
            exact = Estimate(value=gain - 1.0, low=gain - 1.0, high=gain - 1.0)
            found.append(
                Row(name=f"{drafts + 1} verify tokens, {percent}% accepted, batch {batch}", ours=exact, note="formula")
            )
    found += [
        Row(name="P95 errors of Table 6", note="against vLLM on H800, which are the paper's machines"),
        Row(name="32 verify tokens", note="of Qwen3-30B with forced acceptance; at most 15 drafts are modelled"),
    ]
    return found


MECHANISM = Mechanism(
    title="FR T6",
    about=f"tokens/s with MTP above those without by batch; DeepSeek-V3 in fp8 on eight {GPU.upper()}, formula",
    rows=rows,
)
