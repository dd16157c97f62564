"""A cap on each GPU's power: steps slow where they compute, reads where even decodes draw more; what is refused."""

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from fleettui.domain.hardware import Profile
from fleettui.domain.power_law import PowerLaw
from fleettui.domain.serialization import from_plain, to_plain
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.power import working_power
from fleettui.hardware.power_cap import capped
from fleettui.hardware.profile import build_profile
from fleettui.hardware.step_cost import step_time

PREFILL = {"decodes": 0, "context_tokens": 0, "prompt_tokens": 2048, "attention_pairs": 2048**2 / 2}
DECODE = {"decodes": 32, "context_tokens": 65_536}


def h100(model: str = "llama-3.1-70b", tp: int = 8, law: str = "kernels") -> Profile:
    gpu, served = catalog.gpu("h100"), catalog.model(model)
    return build_profile(gpu, served, dtype="bf16", tp=tp, step_law=law)  # type: ignore[arg-type]


def slower(one: Profile, watts: float, step: Mapping[str, float]) -> float:
    """Return how much longer a step is under a cap."""
    return float(step_time(capped(one, watts).step, **step) / step_time(one.step, **step))


@pytest.mark.parametrize("law", ["kernels", "roofline"])
def test_at_70_percent_prompts_slow_and_decodes_hardly(law: str) -> None:
    """Splitwise's capped H100, in direction and size: prompts 1.1 to 1.3 times as long, decodes 1.0 to 1.05 times."""
    one = h100(law=law)
    assert 1.1 <= slower(one, 490.0, PREFILL) <= 1.3
    assert 1.0 <= slower(one, 490.0, DECODE) <= 1.05


def test_a_cap_slows_prompts_first_and_the_more_the_deeper_it_is() -> None:
    one = h100()
    watts = (700.0, 600.0, 500.0, 400.0, 300.0, 200.0)
    prompts, decodes = ([slower(one, cap, step) for cap in watts] for step in (PREFILL, DECODE))
    assert prompts[0] == decodes[0] == 1.0
    assert prompts == sorted(prompts)
    assert decodes == sorted(decodes)
    assert all(decode <= prompt for prompt, decode in zip(prompts, decodes, strict=True))


def test_what_a_capped_gpu_draws_is_the_cap_at_most() -> None:
    law = capped(h100(), 400.0).power
    assert isinstance(law, PowerLaw)
    assert law.cap is not None
    assert float(working_power(law, arithmetic=0.6, bandwidth=0.1, waiting=0.0, ways=8)) == 400.0
    low = float(working_power(law, arithmetic=0.001, bandwidth=0.1, waiting=0.5, ways=8))
    assert low == float(working_power(replace(law, cap=None), arithmetic=0.001, bandwidth=0.1, waiting=0.5, ways=8))


def test_below_half_of_the_limit_it_is_said_to_be_extrapolated() -> None:
    told = {watts: capped(h100(), watts) for watts in (360.0, 340.0)}
    assert told[360.0].evidence.endswith("360 W a GPU")
    assert told[340.0].evidence.endswith("340 W a GPU (extrapolated)")
    assert [one.citations[-1].confidence for one in told.values()] == ["medium", "low"]


def test_a_capped_profile_is_kept_and_read_and_none_is_as_it_was() -> None:
    one = capped(h100(), 500.0)
    assert from_plain(Profile, to_plain(one)) == one
    assert capped(h100(), None) == h100()
    assert "cap" not in to_plain(h100().power)


@pytest.mark.parametrize(("watts", "what"), [(75.0, "draws as much without work"), (701.0, "never draws more")])
def test_no_cap_is_below_idle_or_above_the_limit(watts: float, what: str) -> None:
    with pytest.raises(InputError, match=rf"h100 {what}(.|\n)*above 75 W \(idle\), at most 700 W"):
        capped(h100(), watts)


def test_the_papers_curve_knows_no_clock() -> None:
    one = replace(h100(), power=catalog.gpu("h100").power)
    with pytest.raises(InputError, match=re.escape("which knows no clock")):
        capped(one, 500.0)
