"""Replicas in stages: their memory, their steps, and what they are known by."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.hardware import StepTable
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.fit import DoesNotFit
from fleettui.hardware.memory import cache_budget, stage_share
from fleettui.hardware.pipeline import LINK_LATENCY, NETWORK_LATENCY, OPERATOR, staged
from fleettui.hardware.profile import build_profile

VLLM = catalog.engine("vllm")
H100, LLAMA, DEEPSEEK = catalog.gpu("h100"), catalog.model("llama-3.1-70b"), catalog.model("deepseek-v3")
ASKED = {"dtype": "fp8", "tp": 8, "step_law": "kernels"}


def test_a_model_that_eight_gpus_do_not_hold_fits_in_two_stages() -> None:
    with pytest.raises(DoesNotFit, match="choose --pp 2;"):
        build_profile(H100, DEEPSEEK, **ASKED)  # type: ignore[arg-type]
    found = build_profile(H100, DEEPSEEK, pp=2, **ASKED)  # type: ignore[arg-type]
    assert (found.gpus_per_replica, found.division, found.name) == (16, "tp8pp2", "h100/deepseek-v3/fp8/tp8pp2")
    assert found.kv_blocks > 1000
    assert found.memory[-1].endswith("blocks for each of 2 batches")


def test_a_stage_holds_its_layers_weights_and_cache() -> None:
    """80 layers in two stages: half the weights of a GPU, half a token's cache, and half the blocks for each batch."""
    one, two = (cache_budget(H100, LLAMA, dtype="bf16", tp=8, pp=pp, engine=VLLM) for pp in (1, 2))
    weights = dict(one.parts)["weights"]
    room = dict(one.parts)["KV cache"] + weights / 2
    assert dict(two.parts)["weights"] == pytest.approx(weights / 2)
    token = one.cache.per_token_per_gpu(LLAMA, 8)
    assert two.blocks == int(room / (16 * token / 2) / 2)
    assert (stage_share(LLAMA, 2), stage_share(DEEPSEEK, 2), stage_share(DEEPSEEK, 4)) == (0.5, 31 / 61, 16 / 61)


def test_a_replica_in_stages_has_the_peaks_of_all_its_gpus_and_reads_its_weights_once() -> None:
    one, two = (build_profile(H100, LLAMA, pp=pp, **ASKED) for pp in (1, 2))  # type: ignore[arg-type]
    assert (two.peak, two.bandwidth) == (2 * one.peak, 2 * one.bandwidth)
    assert (two.bytes_per_step, two.kv_bytes_per_token) == (one.bytes_per_step, one.kv_bytes_per_token)
    assert (one.evidence, two.evidence) == ("kernels and model measured", "kernels measured")
    assert "pp" not in one.name


@pytest.mark.parametrize(
    ("tp", "pp", "latency", "speed"), [(4, 2, LINK_LATENCY, "link"), (8, 4, NETWORK_LATENCY, "out")]
)
def test_between_stages_each_gpu_sends_its_part_of_two_rows_a_token(
    tp: int, pp: int, latency: float, speed: str
) -> None:
    step = build_profile(H100, LLAMA, dtype="fp8", tp=tp, step_law="kernels").step
    assert isinstance(step, StepTable)
    found = staged(step, H100, LLAMA, tp=tp, pp=pp)
    each = 2 * 2.0 * LLAMA.hidden / tp / (H100.link_bandwidth if speed == "link" else float(H100.scale_out or 0.0))
    assert found.overhead - step.overhead == pytest.approx((pp - 1) * latency)
    more = np.subtract(found.linear, step.linear)
    assert more == pytest.approx((pp - 1) * each * np.array(step.tokens))
    (part,) = (one for one in found.parts if one.operator == OPERATOR)
    assert part.prompt == pytest.approx((pp - 1) * (latency + each * step.shown_tokens))
    assert staged(step, H100, LLAMA, tp=tp, pp=1) is step


def test_stages_that_cannot_be_are_refused() -> None:
    with pytest.raises(InputError, match="does not know how the stages"):
        build_profile(H100, LLAMA, dtype="fp8", tp=8, pp=2)
    with pytest.raises(InputError, match="a pipeline of so many stages"):
        build_profile(H100, LLAMA, pp=3, **ASKED)  # type: ignore[arg-type]
    alone = replace(H100, scale_out=None)
    with pytest.raises(DoesNotFit, match="more than the link of h100 joins"):
        build_profile(alone, LLAMA, pp=2, **ASKED)  # type: ignore[arg-type]
    assert build_profile(alone, LLAMA, dtype="fp8", tp=4, pp=2, step_law="kernels").gpus_per_replica == 8
