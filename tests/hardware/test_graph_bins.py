"""Steps that are padded to CUDA-graph bins: what they take, and whose bins they are."""

from __future__ import annotations

import numpy as np
import pytest

from fleettui.domain.graph_bins import padded
from fleettui.domain.hardware import Profile, StepTable
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.graph_bins import graphed, padded_step
from fleettui.hardware.profile import build_profile
from fleettui.hardware.step_cost import rescaled, step_time
from fleettui.simulation.curve import Curve

LADDER = (1, 2, 4, 8, 16, 32, 64)


def profile(engine: str = "vllm") -> Profile:
    return build_profile(
        catalog.gpu("h100"), catalog.model("llama-3.1-70b"), dtype="fp8", tp=4, engine=engine, step_law="kernels"
    )


def plain() -> StepTable:
    step = profile().step
    assert isinstance(step, StepTable)
    return step


def test_a_step_of_decodes_takes_the_matrices_of_its_bin_and_its_own_attention() -> None:
    step = plain()
    own = padded_step(step, LADDER)
    for count in (1, 3, 4, 33, 64, 65, 300):
        slots, context = padded(count, LADDER), 1000.0 * count
        expected = step_time(step, decodes=count, context_tokens=context)
        linear = np.interp([slots, count], step.tokens, step.linear)
        assert step_time(own, decodes=count, context_tokens=context) == pytest.approx(
            float(expected) + linear[0] - linear[1], rel=1e-12
        )


def test_the_engine_has_the_same_steps() -> None:
    step = padded_step(plain(), LADDER)
    curve = Curve.of(step, budget=512, places=80)
    for count in (1, 5, 33, 64, 65, 80):
        assert curve.batches["base"][count] == pytest.approx(float(step_time(step, decodes=count, context_tokens=0)))
    assert curve.linear[33] == curve.linear[64]
    assert curve.linear[65] == pytest.approx(float(np.interp(65, plain().tokens, plain().linear)))


def test_graphs_of_decodes_alone_leave_steps_with_prompts_as_they_are() -> None:
    step = plain()
    both, own = padded_step(step, LADDER), padded_step(step, LADDER, only_decodes=True)
    for count in (1, 33, 65):
        alone, mixed = {"decodes": count, "context_tokens": 9000.0}, {"prompt_tokens": 20, "attention_pairs": 200.0}
        assert float(step_time(own, **alone)) == pytest.approx(float(step_time(both, **alone)), rel=1e-12)
        assert float(step_time(own, **alone, **mixed)) == pytest.approx(
            float(step_time(step, **alone, **mixed)), rel=1e-12
        )
    curve = Curve.of(own, budget=512, places=80)
    assert curve.batches["linear"][33] == pytest.approx(float(np.interp(64, step.tokens, step.linear)))
    assert curve.linear[53] - curve.batches["linear"][33] + curve.batches["base"][33] == pytest.approx(
        step.overhead
        + float(np.interp(53, step.tokens, step.linear))
        + float(np.interp(33, step.sequences, step.fixed))
    )


def test_the_bins_of_decodes_are_those_of_the_engine_and_slow_with_the_clock() -> None:
    own, whole = (graphed(profile(), said, "vllm") for said in ("decode:engine", "engine"))
    assert own.graph_bins == whole.graph_bins
    assert isinstance(own.step, StepTable)
    slow = rescaled(own.step, compute=0.5, bandwidth=1.0, overhead=own.step.overhead)
    assert isinstance(slow, StepTable)
    assert slow.alone[-1] > own.step.alone[-1]
    lanes = build_profile(
        catalog.gpu("h100"), catalog.model("llama-3.1-70b"), dtype="fp8", tp=4, step_law="kernels", attention_dp=True
    )
    with pytest.raises(InputError, match="which lanes"):
        graphed(lanes, "decode:engine", "vllm")


def test_padding_never_takes_less_and_ends_with_the_largest_bin() -> None:
    step = plain()
    own = padded_step(step, LADDER)
    counts = np.arange(1.0, 200.0)
    more = step_time(own, decodes=counts, context_tokens=0) - step_time(step, decodes=counts, context_tokens=0)
    assert (more > -1e-12).all()
    assert more[64:] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(("engine", "largest", "count"), [("vllm", 512, 51), ("sglang", 512, 52), ("trtllm", 128, 19)])
def test_an_engines_own_bins_are_those_of_its_source(engine: str, largest: int, count: int) -> None:
    found = graphed(profile(engine), "engine", engine)
    assert found.graph_bins[:3] == (1, 2, 4)
    assert found.graph_bins[-1] == min(largest, 2 * found.settings.max_num_seqs)
    assert len(found.graph_bins) == count - (found.graph_bins[-1] < largest) * ((512 - found.graph_bins[-1]) // 16)
    assert found.citations[-1].field == "engine.graph_bins"


def test_what_nobody_says_is_refused() -> None:
    roofline = build_profile(catalog.gpu("h100"), catalog.model("llama-3.1-8b"), dtype="fp8", tp=1)
    with pytest.raises(InputError, match="roofline"):
        graphed(roofline, "1,2", "vllm")
    assert graphed(roofline, "", "vllm") is roofline
