"""A law fitted to runs: hidden constants found, and what cannot be told said."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest

from fleettui.domain.calibration import COVERED, PUBLIC_BAND
from fleettui.domain.validation import MeasuredPoint
from fleettui.errors import InputError
from fleettui.hardware.calibration import SMALLEST_BAND, by_formula, fit_points, predicted
from fleettui.hardware.validation import loop_of
from tests.hardware.fitted_runs import POINT, TEN

BY_FORMULA = by_formula("kernels")


def served(
    loads: Iterable[tuple[int, int, int]],
    *,
    factor: float = 1.0,
    constant: float = 0.0,
    front_end: float = 0.0,
    slope: float = 1.0,
    noise: float = 0.0,
) -> list[MeasuredPoint]:
    """Return the runs of a server whose steps are so much the law's, its context read counting `slope` times."""
    draw, runs = random.Random(1), []
    for line, (prompt, output, clients) in enumerate(loads, start=2):
        load = replace(POINT, line=line, prompt_tokens=prompt, output_tokens=output, concurrency=clients)
        loop, _ = loop_of(load, "kernels")
        unread = replace(loop, context_share=0.0)
        tpot = factor * (loop.tpot() + (slope - 1) * (loop.tpot() - unread.tpot())) + constant
        ttft = factor * (loop.ttft() + (slope - 1) * (loop.ttft() - unread.ttft())) + (0.5 + loop.chunks) * constant
        ways = [1 + noise * draw.gauss(0, 1) for _ in range(2)]
        runs.append(replace(load, tpot=tpot * ways[0], ttft=(ttft + front_end) * ways[1]))
    return runs


@pytest.mark.parametrize(
    ("factor", "constant", "front_end"), [(1.2, 0.002, 0.03), (0.8, 0.004, 0.01), (1.0, 0.001, 0.05)]
)
def test_hidden_constants_are_found_from_ten_points(factor: float, constant: float, front_end: float) -> None:
    ((fit,), skipped) = fit_points(served(TEN, factor=factor, constant=constant, front_end=front_end), BY_FORMULA)
    assert (fit.factor, fit.constant, fit.front_end) == pytest.approx((factor, constant, front_end), rel=0.05)
    assert (fit.points, fit.configurations, fit.held_out, skipped) == (10, 5, 10, ())
    assert [one.split(":")[0] for one in fit.untold] == ["context slope", "prompt slope"]
    assert all("too alike" in one for one in fit.untold)
    assert (fit.band, fit.band_source) == (SMALLEST_BAND, "held-out")


def test_noise_of_one_percent_leaves_the_figures_within_ten() -> None:
    ((fit,), _) = fit_points(served(TEN, factor=1.2, constant=0.002, front_end=0.03, noise=0.01), BY_FORMULA)
    assert (fit.factor, fit.constant, fit.front_end) == pytest.approx((1.2, 0.002, 0.03), rel=0.10)
    assert fit.band < 0.05


def test_two_points_are_enough_where_they_differ() -> None:
    loads = ((1024, 256, 1), (1024, 256, 64))
    ((fit,), _) = fit_points(served(loads, factor=1.2, constant=0.004, front_end=0.02), BY_FORMULA)
    assert (fit.factor, fit.constant) == pytest.approx((1.2, 0.004), rel=0.07)
    assert fit.front_end is not None
    assert 0.02 < fit.front_end < 0.023, "drawn towards the 24 ms of the engine"
    assert (fit.band, fit.band_source) == (PUBLIC_BAND, "public")
    assert "takes 5 runs" in fit.untold[0]


def test_the_fewer_runs_the_nearer_is_a_fit_to_the_law() -> None:
    """Two runs 10 % slower, and twice as many that agree: the first may be chance."""
    loads = ((1024, 256, 1), (1024, 256, 64), (512, 128, 1), (512, 128, 64))
    factors = [fit_points(served(loads[:count], factor=1.1), BY_FORMULA)[0][0].factor for count in (2, 4)]
    assert 1.07 < factors[0] < factors[1] < 1.1


@pytest.mark.parametrize(("runs", "wider"), [(10, 1.5), (20, 1.0)])
def test_the_error_of_few_held_out_runs_is_widened(runs: int, wider: float) -> None:
    """Every tenth of the runs is 20 % off: the error that nine in ten keep is that."""
    loads = [(prompt, 256, clients) for prompt in (512, 1024, 2048, 4096) for clients in (1, 2, 4, 16, 32)][:runs]
    served_runs = served(loads)
    odd = [replace(one, tpot=one.tpot * 1.25) if place % 10 == 0 else one for place, one in enumerate(served_runs)]
    ((fit,), _) = fit_points(odd, BY_FORMULA)
    assert fit.band_source == "held-out"
    assert fit.covered == COVERED
    assert fit.band / wider == pytest.approx(0.2, abs=0.06)


def test_two_points_that_are_alike_tell_a_factor_alone() -> None:
    ((fit,), _) = fit_points(served(((1024, 256, 8), (1024, 256, 9)), factor=1.2, constant=0.004), BY_FORMULA)
    assert fit.constant == 0
    assert fit.untold[0].startswith("step constant: these runs cannot tell it from step factor, they are too alike")


def test_a_context_slope_is_found_where_contexts_differ() -> None:
    loads = [(prompt, 128, clients) for prompt in (64, 8000, 32000) for clients in (1, 4, 12)]
    ((fit,), _) = fit_points(served(loads, factor=1.1, constant=0.001, slope=1.6), BY_FORMULA)
    assert (fit.factor, fit.context_slope) == pytest.approx((1.1, 1.6), rel=0.05)


def test_a_front_end_takes_a_run_whose_prompts_fit_in_a_step() -> None:
    ((fit,), _) = fit_points(served([(4096, 512, 16), (4096, 512, 32)], front_end=0.03), BY_FORMULA)
    assert fit.front_end is None
    assert fit.untold[-1] == "front end: takes a run whose clients' prompts all fit in one step of 8,192 tokens"


def test_each_server_has_a_fit_and_what_is_in_none_is_told() -> None:
    runs = served(TEN, factor=1.2)
    other = [replace(run, tp=8, tpot=run.tpot / 2) for run in runs[:4]]
    odd = replace(runs[0], line=90, tpot=1e-4)
    full = replace(runs[0], line=91, prompt_tokens=60_000, concurrency=500)
    large = replace(runs[0], line=92, model="llama-3.1-405b", tp=1)
    single = replace(runs[0], line=93, gpu="h200")
    found, skipped = fit_points([*runs, *other, odd, full, large, single], BY_FORMULA)
    assert [(fit.tp, fit.points) for fit in found] == [(4, 10), (8, 4)]
    assert [point.line for point, _ in skipped] == [90, 91, 92, 93]
    assert skipped[-1][1] == "the only run of llama-3.1-70b fp8 on 4 h200 under vllm"


def test_no_server_with_two_runs_is_refused() -> None:
    with pytest.raises(InputError, match="no server has two runs that can be fitted"):
        fit_points(served(TEN[:1]), BY_FORMULA)


def test_the_envelope_is_what_the_runs_had() -> None:
    ((fit,), _) = fit_points(served(TEN), BY_FORMULA)
    assert (fit.envelope.clients, fit.envelope.prompt_tokens) == ((1, 64), (256, 2048))
    assert (fit.envelope.output_tokens, fit.envelope.context_tokens) == ((128, 1024), (640, 2560))


def test_a_fit_predicts_the_runs_that_it_is_of() -> None:
    runs: Sequence[MeasuredPoint] = served(TEN, factor=1.2, constant=0.002)
    ((fit,), _) = fit_points(runs, BY_FORMULA)
    law = BY_FORMULA(runs[0])[1]()
    assert predicted(law, fit) == pytest.approx(runs[0].tpot, rel=1e-3)
    assert law.tpot[0] < predicted(law, fit)


def test_ttft_that_is_longer_than_the_fit_predicts_is_in_it() -> None:
    """Found: measured TTFT were a third longer, and nothing was said of it."""
    points = served(TEN, front_end=0.024)
    ((plain,), _) = fit_points(points, BY_FORMULA)
    assert plain.longer_ttft == 0.0
    ((longer,), _) = fit_points([replace(one, ttft=one.ttft * 3.0) for one in points], BY_FORMULA)
    assert longer.longer_ttft > 0.5
    assert longer.factor == plain.factor
