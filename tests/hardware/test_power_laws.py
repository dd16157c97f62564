"""The law of what GPUs draw: its constants are those of the fit, its points those that were measured."""

import pytest

from fleettui.domain.hardware import PowerCurve, Profile
from fleettui.domain.power_law import PowerLaw
from fleettui.domain.serialization import from_plain, to_plain
from fleettui.hardware import catalog, records
from fleettui.hardware.power_laws import POWER, power_citation, power_law, trust
from fleettui.hardware.profile import build_profile
from tests.evidence.power import CONSTANTS, Point, fitted, held_out, mean_error, points


@pytest.fixture(scope="module")
def found() -> tuple[Point, ...]:
    return points()


@pytest.mark.parametrize("gpu", ["h100", "b200", "other"])
def test_the_constants_are_those_of_the_fit(found: tuple[Point, ...], gpu: str) -> None:
    own = [one for one in found if gpu in (one.gpu, "other")]
    law = power_law(catalog.gpu("a100" if gpu == "other" else gpu))
    fit = fitted(own)
    assert {key: getattr(law, key) for key in CONSTANTS} == pytest.approx(
        {key: fit[key] for key in CONSTANTS}, abs=6e-4
    )
    left_out = mean_error(held_out(own, "gpu" if gpu == "other" else "model"))
    assert law.error == pytest.approx(left_out, abs=6e-4)


def test_models_that_are_left_out_are_met(found: tuple[Point, ...]) -> None:
    """The acceptance: 10 % in the median over both GPUs; B200's mean is above that, and is said to be."""
    errors = [held_out([one for one in found if one.gpu == gpu], "model") for gpu in ("h100", "b200")]
    every = sorted(abs(error) for own in errors for error in own)
    assert every[len(every) // 2] < 0.08
    assert mean_error(errors[0]) < 0.08 < mean_error(errors[1]) < 0.13


def test_an_idle_gpu_draws_what_was_measured_and_trust_follows_the_error() -> None:
    idle = {name: power_law(catalog.gpu(name)).idle for name in ("h100", "a100")}
    assert idle == {"h100": 75.0, "a100": 63.0}
    trusted = {name: trust(power_law(catalog.gpu(name))) for name in ("h100", "b200", "h200", "a100")}
    assert trusted == {"h100": "high", "b200": "medium", "h200": "low", "a100": "low"}
    assert power_law(catalog.gpu("h200")).floor == power_law(catalog.gpu("h100")).floor
    assert "off by 20% on average on GPUs" in power_citation(catalog.gpu("a100")).source


def test_every_gpu_has_a_law_within_its_limits() -> None:
    for gpu in catalog.gpus():
        law = power_law(gpu)
        assert 0 < law.idle < law.limit == gpu.thermal_design_power


def test_the_points_of_the_file_are_of_two_gpus_and_five_models(found: tuple[Point, ...]) -> None:
    assert len(found) == 37
    assert {one.gpu for one in found} == {"h100", "b200"}
    assert len({one.model for one in found}) == 5
    assert "ML.ENERGY" in records.shipped(POWER).text("source")


def test_a_profile_that_was_kept_with_a_curve_opens_with_it() -> None:
    own = build_profile(catalog.gpu("h100"), catalog.model("llama-3.1-8b"), dtype="bf16", tp=1)
    assert isinstance(own.power, PowerLaw)
    assert from_plain(Profile, to_plain(own)) == own
    plain = to_plain(own)
    plain["power"] = to_plain(catalog.gpu("h100").power)
    assert isinstance(from_plain(Profile, plain).power, PowerCurve)
