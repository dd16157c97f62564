"""The class of a profile's evidence, and the band of its step times."""

from dataclasses import replace

import pytest

from fleettui.domain.hardware import Profile
from fleettui.domain.serialization import from_plain, to_plain
from fleettui.hardware import catalog
from fleettui.hardware.error_band import bands
from fleettui.hardware.profile import build_profile
from fleettui.hardware.what_was_measured import measured_models


def built(gpu: str, model: str = "llama-3.1-70b", *, engine: str = "vllm", law: str = "kernels") -> Profile:
    """Return a replica of eight GPUs at 2 dollars each."""
    return build_profile(
        catalog.gpu(gpu),
        catalog.model(model),
        dtype="bf16",
        tp=8,
        engine=engine,
        price=2.0,
        step_law=law,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("gpu", "model", "engine", "named"),
    [
        ("h100", "llama-3.1-70b", "vllm", "model"),
        ("h200", "llama-3.1-70b", "trtllm", "model"),
        ("h100", "llama-3.1-70b", "trtllm", "kernels"),
        ("h100", "llama-4-scout", "vllm", "kernels"),
        ("a100", "llama-3.1-70b", "vllm", "kernels"),
        ("b200", "llama-3.1-70b", "vllm", "kernels"),
        ("a100", "gpt-oss-20b", "vllm", "datasheet"),  # attention in a window as another GPU has it
        ("gb200", "llama-3.1-70b", "vllm", "datasheet"),
        ("a10g", "llama-3.1-70b", "vllm", "datasheet"),
        ("mi300x", "llama-3.1-70b", "vllm", "datasheet"),
        ("mi300x", "deepseek-v3", "vllm", "unlike"),
        ("mi300x", "deepseek-v3", "sglang", "runs"),
        ("mi325x", "deepseek-v3", "vllm", "unlike"),
        ("b200", "deepseek-v3", "vllm", "kernels"),
    ],
)
def test_a_profile_is_known_as_well_as_its_kernels_and_its_model(gpu: str, model: str, engine: str, named: str) -> None:
    profile = built(gpu, model, engine=engine)
    assert (profile.evidence, profile.band) == (bands()[named].words, bands()[named].factors)
    assert profile.step_factors == bands()[named].factors
    assert profile.model_error == bands()[named].error


def test_a_format_whose_kernels_nobody_measured_is_known_by_the_datasheet_alone() -> None:
    for dtype, gpu, model, named in (
        ("int4", "h100", "llama-3.1-70b", "datasheet"),  # products as in bf16
        ("int4", "a100", "llama-3.1-70b", "kernels"),
        ("int8", "h100", "gpt-oss-120b", "datasheet"),  # experts by the roofline
        ("mxfp4", "h100", "gpt-oss-120b", "model"),
        ("nvfp4", "b200", "llama-3.1-70b", "kernels"),
    ):
        profile = build_profile(
            catalog.gpu(gpu),
            catalog.model(model),
            dtype=dtype,  # type: ignore[arg-type]
            tp=8,
            step_law="kernels",
        )
        assert profile.evidence == bands()[named].words, (dtype, gpu)


def test_the_roofline_has_its_own_band() -> None:
    profile = built("h100", law="roofline")
    assert (profile.evidence, profile.step_factors) == ("roofline alone", (0.69, 1.83))


def test_less_evidence_has_a_wider_band() -> None:
    spreads = [slower / faster for faster, slower in (one.factors for one in bands().values())]
    assert spreads == sorted(spreads)
    assert all(faster < 1.0 < slower for faster, slower in (one.factors for one in bands().values()))
    assert "not guaranteed" in bands()["model"].citation.source


def test_measured_models_are_in_the_catalogue() -> None:
    for (gpu, engine), models in measured_models().items():
        assert gpu in catalog.gpu_names()
        assert engine in catalog.engine_names()
        assert set(models) <= set(catalog.model_names())


def test_a_profile_that_was_kept_without_a_band_has_its_error_either_way() -> None:
    old = replace(built("h100"), model_error=0.25, band=None, evidence="")
    plain = to_plain(old)
    assert {"band", "evidence"}.isdisjoint(plain)
    assert from_plain(Profile, plain).step_factors == (0.75, 1.25)
