"""A load of experts in the step of a replica: what it changes, what it leaves, and what is told of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.expert_load import ExpertLoad, measured
from fleettui.domain.hardware import Profile, StepTable
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.profile import build_profile
from fleettui.hardware.step_cost import step_time
from fleettui.optimize.load_words import load_words
from tests.hardware.test_afd import replica

MODEL = catalog.model("qwen3-235b-a22b")
ONE_RANK = measured([8.0] * 16 + [1.0] * 112, None).text
"""Half of all tokens go to the experts of the first GPU of eight."""


def profile(chosen: str = "", *, spread: bool = True, **said: object) -> Profile:
    return build_profile(
        catalog.gpu("h200"),
        MODEL,
        dtype="fp8",
        tp=4,
        step_law="kernels",
        expert_parallel=spread,
        chosen=chosen,
        **said,  # type: ignore[arg-type]
    )


def linear(one: Profile) -> np.ndarray:
    assert isinstance(one.step, StepTable)
    return np.array(one.step.linear)


def experts(one: Profile) -> float:
    assert isinstance(one.step, StepTable)
    return next(part.prompt for part in one.step.parts if part.operator == "experts")


def test_the_fuller_the_fullest_rank_the_longer_the_step() -> None:
    even, popular, one_rank = (profile(text) for text in ("uniform", "zipf:0.8", ONE_RANK))
    long = np.array(even.step.tokens) >= 256  # type: ignore[union-attr]
    assert np.all(linear(even)[long] < linear(popular)[long])
    assert np.all(linear(popular)[long] < linear(one_rank)[long])
    assert np.all(np.diff(linear(one_rank)) >= 0)


def test_a_load_changes_routed_experts_alone() -> None:
    plain, even = profile().step, profile("uniform").step
    assert isinstance(plain, StepTable)
    assert isinstance(even, StepTable)
    for one, other in zip(plain.parts, even.parts, strict=True):
        assert (one == other) == (one.operator != "experts")
    assert replace(plain, linear=(), parts=()) == replace(even, linear=(), parts=())


def test_divided_experts_have_no_fullest_rank_but_few_tokens_touch_fewer_of_those_that_are_popular() -> None:
    even, one_rank = (profile(text, spread=False) for text in ("uniform", ONE_RANK))
    few = [step_time(one.step, decodes=16, context_tokens=16_000) for one in (even, one_rank)]
    assert few[1] < few[0]
    assert experts(one_rank) == pytest.approx(experts(even), rel=0.03)


def test_a_load_is_told_with_what_it_comes_to() -> None:
    told = profile(ONE_RANK).expert_load
    assert "experts chosen as counted: the busiest of 128 4.27 x the mean; the fullest of 4 GPUs has" in told
    assert "steps of 32 decodes take" in told
    assert "tokens touch" in profile("zipf:0.5", spread=False).expert_load
    assert profile().expert_load == ""
    named = [replace(profile("uniform"), name="a"), profile()]
    assert load_words(named) == (f"experts on a: {named[0].expert_load}",)


def test_a_load_goes_with_drafts_lanes_and_stages() -> None:
    for said in ({"speculative": "qwen3-30b-a3b:2@60%"}, {"attention_dp": True}, {"pp": 2}):
        plain, one_rank = profile(**said), profile(ONE_RANK, **said)
        assert linear(one_rank)[-1] > linear(plain)[-1]


def test_what_has_no_such_experts_is_refused() -> None:
    with pytest.raises(InputError, match="tokens of 3 experts were counted"):
        profile("measured:1000/1000/1000")
    with pytest.raises(InputError, match="has no routed experts"):
        build_profile(
            catalog.gpu("h200"),
            catalog.model("llama-3.1-70b"),
            dtype="fp8",
            tp=4,
            step_law="kernels",
            chosen="uniform",
        )
    with pytest.raises(InputError, match="roofline's line does not know how unevenly"):
        build_profile(catalog.gpu("h200"), MODEL, dtype="fp8", tp=4, chosen="uniform")


def test_the_feed_forward_role_of_its_own_waits_for_its_fullest_gpu() -> None:
    plain = replica("tp2dp4/ep8", MODEL.name)
    even, popular = (replace(plain, load=ExpertLoad(power=one)) for one in (0.0, 1.0))
    assert np.all(popular.times([512.0, 4096.0]).feed_forward > even.times([512.0, 4096.0]).feed_forward)
    assert np.array_equal(popular.times(512.0).attention, plain.times(512.0).attention)
    with pytest.raises(InputError, match="tokens of 2 experts were counted"):
        replace(plain, load=measured([1.0, 1.0], None))
