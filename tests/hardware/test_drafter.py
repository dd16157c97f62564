"""Drafters: whose they may be, what their passes add to a step, what they take of memory, and where they pay."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from fleettui.domain.hardware import Profile, StepTable
from fleettui.domain.speculation import speculation
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.drafter import OPERATOR, drafter_of, gains
from fleettui.hardware.profile import build_profile
from fleettui.hardware.step_cost import step_time
from fleettui.hardware.weights import weights_of


def profile(speculative: str, model: str = "llama-3.1-70b", gpu: str = "h100", tp: int = 4) -> Profile:
    return build_profile(
        catalog.gpu(gpu), catalog.model(model), dtype="fp8", tp=tp, step_law="kernels", speculative=speculative
    )


def table(one: Profile) -> StepTable:
    assert isinstance(one.step, StepTable)
    return one.step


@pytest.mark.parametrize("name", ["deepseek-v3", "glm-4.5", "qwen3.5-397b-a17b"])
def test_a_layer_of_its_own_is_one_of_its_layers(name: str) -> None:
    model = catalog.model(name)
    own = drafter_of(model, speculation("mtp:1@80%"))
    assert (own.layers, own.recurrent_layers, own.shape.vocabulary) == (1, 0, model.shape.vocabulary)
    held = weights_of(catalog.gpu("h200"), own, "fp8").held
    whole = weights_of(catalog.gpu("h200"), model, "fp8").held
    assert 0.99 < held / whole * model.layers < 1.3


def test_deepseeks_layer_has_the_parameters_that_were_published() -> None:
    """11.5 billion beside embedding and head (DeepSeek-V3's README: 14 billion with both)."""
    own = drafter_of(catalog.model("deepseek-v3"), speculation("mtp:1@80%"))
    assert own.parameters == pytest.approx(11.5e9, rel=0.03)


@pytest.mark.parametrize(
    ("model", "said", "what"),
    [
        ("llama-3.1-70b", "mtp:3@70%", "not known to have a layer"),
        ("llama-3.1-70b", "qwen3-32b:3@70%", "has other tokens"),
        ("llama-3.1-8b", "llama-3.1-70b:3@70%", "drafts no faster"),
        ("llama-3.1-70b", "lama:3@70%", "lama"),
    ],
)
def test_what_cannot_draft_is_refused(model: str, said: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        drafter_of(catalog.model(model), speculation(said))


def test_a_step_with_drafts_has_the_drafters_passes_in_it() -> None:
    plain, drafting = table(profile("")), table(profile("llama-3.1-8b:4@70%"))
    small = table(profile("", model="llama-3.1-8b"))
    more = step_time(drafting, decodes=1, context_tokens=1024) - step_time(plain, decodes=1, context_tokens=1024)
    passes = 4 * (step_time(small, decodes=1, context_tokens=1024) - small.overhead)
    assert passes < more < 1.6 * passes  # each is launched, and five tokens are verified in place of one
    assert [one.evidence for one in drafting.parts if one.operator == OPERATOR] == ["4 by llama-3.1-8b"]
    assert drafting.width == 5


def test_a_verified_step_lies_between_one_of_as_many_tokens_and_one_of_as_many_sequences() -> None:
    plain, drafting = table(profile("")), table(profile("llama-3.1-8b:1@70%"))
    for count in (1.0, 16.0, 64.0, 256.0):
        alone, doubled = (
            float(step_time(plain, decodes=n * count, context_tokens=1024 * n * count)) for n in (1.0, 2.0)
        )
        verified = float(step_time(drafting, decodes=count, context_tokens=1024 * count))
        small = table(profile("", model="llama-3.1-8b"))
        draft = float(step_time(small, decodes=2 * count, context_tokens=2 * 1024 * count))
        assert alone < verified < doubled + draft


def test_memory_has_the_drafters_weights_and_its_cache() -> None:
    plain, drafting = profile(""), profile("llama-3.1-8b:4@70%")
    assert any("weights of llama-3.1-8b" in line for line in drafting.memory)
    per_token = 327_680 + 131_072
    room = (plain.kv_blocks * 16 * 327_680 / 4 - 8.03e9 / 4) / 16 / (per_token / 4)
    assert drafting.kv_blocks == pytest.approx(room, rel=1e-3)


def test_gains_fall_with_the_batch_until_drafts_cost_more_than_they_bring() -> None:
    said = speculation("llama-3.1-8b:4@70%")
    found = gains(table(profile(said.text)), table(profile("")), said, (1, 8, 32, 128, 512))
    assert all(one > other for one, other in pairwise(found))
    assert found[0] > 1.3
    assert found[-1] < 1.0
    assert "they pay up to a batch of" in profile(said.text).drafts[1]


def test_with_experts_the_gain_falls_below_one_and_rises_again() -> None:
    """Two tokens touch more experts than one at small batches, all of them at large ones."""
    own = [profile(said, "deepseek-v3", "h200", 8) for said in ("", "mtp:1@30%")]
    found = gains(table(own[1]), table(own[0]), speculation("mtp:1@30%"), (1, 16, 64))
    assert found[1] < 1.0 < min(found[0], found[2])
    assert "they cost more than they bring at batches" in own[1].drafts[1]


def test_more_accepted_drafts_gain_more_and_more_drafts_take_longer() -> None:
    steps = [table(profile(f"llama-3.1-8b:{count}@70%")) for count in (1, 2, 4, 8)]
    seconds = [float(step_time(one, decodes=32, context_tokens=65_536)) for one in steps]
    assert sorted(seconds) == seconds
    assert np.diff([speculation(f"mtp:3@{rate}%").committed for rate in (10, 50, 90)]).min() > 0


@pytest.mark.parametrize(("changes", "what"), [({"pp": 2}, "--pp"), ({"step_law": "roofline"}, "roofline")])
def test_steps_that_nothing_times_are_refused(changes: dict[str, object], what: str) -> None:
    given = {"dtype": "fp8", "tp": 4, "step_law": "kernels", "speculative": "llama-3.1-8b:4@70%"} | changes
    with pytest.raises(InputError, match=what):
        build_profile(catalog.gpu("h100"), catalog.model("llama-3.1-70b"), **given)  # type: ignore[arg-type]
