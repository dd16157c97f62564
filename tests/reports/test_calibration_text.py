"""A fit as it is printed."""

from dataclasses import replace

from fleettui.domain.calibration import Envelope
from fleettui.reports.calibration_text import calibration_text
from tests import own_fits

SERVER = replace(
    own_fits.SERVER,
    factor=1.084,
    constant=-0.0004,
    context_slope=1.2,
    band=0.06,
    untold=("prompt slope: runs that are held out do not confirm it; held at 1",),
    envelope=Envelope(clients=(8, 64), prompt_tokens=(128, 4096), output_tokens=(256, 256), context_tokens=(384, 4352)),
)
FIT = replace(own_fits.FIT, servers=(SERVER,), skipped=(("TPOT is no time: line 3", 1),))


def test_what_the_runs_say_and_what_they_cannot() -> None:
    assert (
        calibration_text(FIT)
        == """\
fit prod, of steps of measured kernels

llama-3.1-70b fp8 on 4 h100 under vllm
  runs       10, with 5 pairs of lengths
  step       x1.084 - 0.40 ms a step
  context    x1.200
  front end  31 ms a request
  band       +-6%, by 10 runs held out; the law alone is 11% off
  holds for  8 to 64 clients, prompts of 128 to 4,096 tokens
  and        outputs of 256, 384 to 4,352 together
  not told   prompt slope: runs that are held out do not confirm it; held at 1

bench.json: 10 runs, vllm-bench, sha256 abababababab

left out, 1 run: TPOT is no time: line 3"""
    )


def test_what_cannot_be_told_is_not_printed_as_a_figure() -> None:
    few = replace(SERVER, constant=0.0, context_slope=1.0, front_end=None, band_source="public")
    text = calibration_text(replace(FIT, servers=(few, few), skipped=(), step_law="roofline"))
    assert "x1.084\n" in text
    assert "front end" not in text
    assert "by what two runs leave on public servers" in text
    assert text.startswith("fit prod, of steps of the roofline")


def test_one_run_of_a_file_is_one() -> None:
    alone = replace(FIT, sources=tuple(replace(one, points=1) for one in FIT.sources))
    assert "bench.json: 1 run, vllm-bench" in calibration_text(alone)


def test_ttft_that_is_longer_than_by_the_fit_is_told() -> None:
    assert "TTFT" not in calibration_text(replace(FIT, servers=(replace(SERVER, ttft_gap=0.1),)))
    told = " ".join(calibration_text(replace(FIT, servers=(replace(SERVER, ttft_gap=0.36),))).split())
    assert "TTFT measured 36% longer than by this fit, in the median; it says nothing of why" in told


def test_a_fit_that_makes_plans_less_sure_says_so() -> None:
    known = replace(SERVER, band=0.33, unfitted=(0.82, 1.26))
    told = " ".join(calibration_text(replace(FIT, servers=(known,))).split())
    assert (
        "plans with it are less sure of steps (-25% to +49%) than without (-18% to +26%); which runs would narrow it: "
        "fleettui profile next, after a plan with --profile"
    ) in told
    assert "less sure" not in calibration_text(replace(FIT, servers=(replace(known, band=0.15),)))
