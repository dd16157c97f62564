"""A fit by played runs: what a server hides is found, and by the engine that validations and proofs run."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.calibration import StepTerms
from fleettui.domain.hardware import StepTable
from fleettui.domain.validation import MeasuredPoint
from fleettui.hardware.calibration import LEAST_FRONT, by_formula, fit_points, predicted
from fleettui.hardware.own_fit import fitted_step
from fleettui.hardware.validation import compare_point, engine_of, replica_of
from fleettui.simulation.played_law import by_play
from fleettui.simulation.replayed_run import replayed_by
from tests.hardware.fitted_runs import POINT, TEN
from tests.repeated import few

HIDDEN = ((1.2, 0.002, 0.03), (0.8, 0.004, 0.01), (1.0, 0.001, 0.05))
SERVERS: tuple[dict[str, Any], ...] = (
    {},
    {"engine": "trtllm"},
    {"model": "llama-3.1-8b", "tp": 1},
    {"model": "gpt-oss-120b", "dtype": "mxfp4"},
    {"gpu": "h200", "model": "deepseek-v3", "tp": 8},
)


def served(
    terms: StepTerms, front_end: float, loads: Sequence[tuple[int, int, int]] = TEN, **server: Any
) -> list[MeasuredPoint]:
    """Return the runs of a server whose steps are so much the law's, as the engine plays them."""
    found = []
    for line, (prompt, output, clients) in enumerate(loads, start=2):
        load = replace(POINT, line=line, prompt_tokens=prompt, output_tokens=output, concurrency=clients, **server)
        table, blocks = replica_of(load, "kernels")
        step = fitted_step(table, terms, 64)
        assert isinstance(step, StepTable)
        in_front = replace(engine_of(load).front_end, request=front_end)
        one = replayed_by(compare_point(load, "kernels"), step, blocks, in_front)
        found.append(replace(load, ttft=one.predicted_ttft, tpot=one.predicted_tpot))
    return found


@pytest.mark.parametrize("server", few(SERVERS, 2), ids=str)
@pytest.mark.parametrize(("factor", "constant", "front_end"), HIDDEN)
def test_what_a_server_hides_is_found_within_five_percent_from_ten_runs(
    factor: float, constant: float, front_end: float, server: dict[str, Any]
) -> None:
    runs = served(StepTerms(factor=factor, constant=constant), front_end, **server)
    ((fit,), unfitted) = fit_points(runs, by_play(runs))
    assert (fit.factor, fit.constant, fit.front_end) == pytest.approx((factor, constant, front_end), rel=0.05)
    assert (fit.points, unfitted) == (10, ())
    assert [one.split(":")[0] for one in fit.untold] == ["context slope", "prompt slope"]


def test_two_runs_are_enough_where_they_differ() -> None:
    runs = served(StepTerms(factor=1.2, constant=0.004), 0.02, ((512, 128, 1), (512, 128, 64)))
    ((fit,), _) = fit_points(runs, by_play(runs))
    assert (fit.factor, fit.constant, fit.front_end) == pytest.approx((1.2, 0.004, 0.02), rel=0.07)


def test_formulas_take_waits_in_one_step_for_time_in_front() -> None:
    """Of eight clients that begin together the prompts run in one step, which is no front end."""
    runs = served(StepTerms(), 0.024, ((1024, 256, 8), (1024, 256, 4)))
    ((by_play_,), _), ((by_loop,), _) = fit_points(runs, by_play(runs)), fit_points(runs, by_formula("kernels"))
    assert by_play_.front_end == pytest.approx(0.024, rel=0.05)
    assert by_loop.front_end is not None
    assert by_loop.front_end > 1.5 * 0.024


def test_what_cannot_be_told_apart_is_said_and_no_slope_stands_for_a_constant() -> None:
    """Prompts that run alone leave times of 12 to 20 ms, of which a constant is too large a part to be told."""
    runs = served(StepTerms(factor=1.2, constant=0.002), 0.03, engine="sglang")
    ((fit,), _) = fit_points(runs, by_play(runs))
    assert (fit.constant, fit.context_slope, fit.prompt_slope) == (0.0, 1.0, 1.0)
    assert [one.split(":")[0] for one in fit.untold] == ["step constant", "context slope", "prompt slope"]
    assert "cannot tell it from step factor and step constant" in fit.untold[1]
    assert fit.band > 0.05


def known_front_end(runs: Sequence[MeasuredPoint], in_front: float) -> float:
    """Return the front end of a fit where servers that nobody measured have `in_front`; 0 where it is not told."""
    ((fit,), _) = fit_points(runs, by_play(runs), lambda _: in_front)
    return fit.front_end or 0.0


def test_a_front_end_is_lost_beside_long_waits_and_drawn_towards_the_engines_where_runs_are_few() -> None:
    many = served(StepTerms(), 0.06, ((4096, 64, 64), (4096, 64, 128)))
    ((lost,), _) = fit_points(many, by_play(many))
    assert lost.front_end is None
    assert "in these it is lost; held at the engine's" in lost.untold[-1]
    two = served(StepTerms(), 0.06, ((1024, 256, 1), (1024, 256, 2)))
    own = [known_front_end(two, in_front) for in_front in (0.024, 0.06)]
    assert 0.024 < own[0] < own[1]
    assert own[1] == pytest.approx(0.06, rel=0.01)
    assert known_front_end(two, 0.0) < own[0], f"others are taken to have up to {LEAST_FRONT} s"


def test_a_fit_predicts_what_a_plan_of_it_plays() -> None:
    runs = served(StepTerms(factor=1.2, constant=0.002), 0.03)
    laws = by_play(runs)
    ((fit,), _) = fit_points(runs, laws)
    for run in runs:
        state, law = laws(run)
        assert state == "unsaturated"
        assert predicted(law(), fit) == pytest.approx(run.tpot, rel=0.01)
