"""A correction as a fit, by hand: what is multiplied, what stays, and how sure it is."""

import math
from dataclasses import replace

import pytest

from fleettui.domain.backtest import Band, Constant, Figure, Row
from fleettui.domain.calibration import OperatingPoint, StepTerms
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.hardware import catalog
from fleettui.hardware.profile import build_profile
from fleettui.planning.corrections import corrected, hindrance
from tests.own_fits import FIT, SERVER
from tests.reports.backtest.samples import E2E, GOOD, ROWS, RUNNING, TPOT, TTFT, fit, found, row

ASKED = Question(slo=Slo(ttft=0.5), step_law="kernels")
SHORT = OperatingPoint(sequences=40.0, prompt_tokens=500.0, output_tokens=100.0, rate=2.0)
LONG = OperatingPoint(sequences=8.0, prompt_tokens=5000.0, output_tokens=250.0, rate=0.3)
POINTS = (SHORT, LONG)


@pytest.mark.parametrize(
    ("constant", "terms"),
    [
        ("all step times", StepTerms(factor=1.2)),
        ("base step time", StepTerms(factor=1.2, context_slope=1 / 1.2, prompt_slope=1 / 1.2)),
        ("time per context token", StepTerms(context_slope=1.2)),
        ("time per prompt token", StepTerms(prompt_slope=1.2)),
    ],
)
def test_each_constant_in_the_terms_of_a_step(constant: Constant, terms: StepTerms) -> None:
    test = found(fits=(replace(GOOD, constant=constant),))
    (server, *_) = corrected(test, ASKED, POINTS, "slower").servers
    assert server.terms == terms
    assert server.untold == (f"all but {constant}: a backtest moves one constant at a time",)


def test_every_kind_of_hardware_has_the_correction_over_what_its_pools_ran() -> None:
    test = found()
    pools = test.fleet.fleet.pools
    kinds = {(pool.gpu, pool.dtype, pool.tp) for pool in pools}
    made = corrected(test, ASKED, POINTS[: len(pools)], "slower")
    assert {(one.gpu, one.dtype, one.tp) for one in made.servers} == kinds
    assert (made.name, made.step_law, made.sources[0].path) == ("slower", "kernels", test.asked)
    envelope = made.servers[0].envelope
    assert (envelope.clients[1], envelope.prompt_tokens[0]) == (60, 400)  # 40 x 1.2 x 1.25, 500 / 1.25
    assert made.counted(made.servers[0]) == "3 figures seen in production"
    assert made.servers[0].uncalibrated == pytest.approx(1 / 6)  # all three seen a fifth above the prediction


@pytest.mark.parametrize(
    ("rows", "times"),
    [
        (ROWS, 1.2),
        ((row(RUNNING, 139.0, 210.0), row(E2E, 4.0, 5.0)), 210 / 139),
        ((row(TTFT, 0.3, 0.9), row(TPOT, 0.02, 0.03), row(E2E, 4.0, 6.0)), 1.5),
        ((row(TTFT, 0.3, 0.9), row(TPOT, 0.02, 0.03)), 1.5),
        ((row(TTFT, 0.3, 0.9), row(Figure(metric="tpot.p50"), 0.02, 0.03)), 1.5),
        ((row(TTFT, 0.3, 0.9), row(replace(TTFT, share=0.5), 0.1, 0.3)), 1.0),
    ],
    ids=["running", "running first", "by Little's law", "by time per token", "as a kept test has it", "not known"],
)
def test_what_ran_at_once_is_what_was_seen_and_not_what_was_predicted(rows: tuple[Row, ...], times: float) -> None:
    """Found: 42 at once were seen, and a plan at 42 was called beyond a fit of 22 to 35, around the 28 predicted."""
    test = found(rows=rows)
    clients = corrected(test, ASKED, POINTS[: len(test.fleet.fleet.pools)], "slower").servers[0].envelope.clients
    assert clients[1] == math.ceil(40.0 * times * 1.25)


def test_what_public_runs_said_is_in_it() -> None:
    test = found(fits=(replace(GOOD, constant="all step times"),))
    pool = test.fleet.fleet.pools[0]
    profile = build_profile(catalog.gpu(pool.gpu), catalog.model(pool.model), dtype=pool.dtype, tp=pool.tp)
    public = replace(profile, public_factor=1.5)
    assert public.replica_key == pool.replica_key
    made = corrected(test, ASKED, POINTS[: len(test.fleet.fleet.pools)], "slower", (public,))
    assert made.servers[0].terms == StepTerms(factor=1.2 * 1.5)


def test_a_fit_of_the_question_is_in_it() -> None:
    test = found(fits=(replace(GOOD, constant="all step times"),))
    pool = test.fleet.fleet.pools[0]
    own = replace(SERVER, gpu=pool.gpu, model=pool.model, dtype=pool.dtype, tp=pool.tp, context_slope=1.5)
    asked = replace(ASKED, fit=replace(FIT, servers=(own,)))
    made = corrected(test, asked, POINTS[: len(test.fleet.fleet.pools)], "slower")
    found_server = made.servers[0]
    assert found_server.terms == StepTerms(factor=1.2 * 1.2, constant=0.002 * 1.2, context_slope=1.5)
    assert found_server.front_end == 0.031
    assert [one.format for one in made.sources] == ["vllm-bench", "backtest"]


def test_the_band_is_no_less_than_that_of_two_runs() -> None:
    sure, unsure = GOOD, replace(GOOD, factor=Band(value=1.2, low=0.9, high=1.5))
    bands = [corrected(found(fits=(one,)), ASKED, POINTS[:2], "x").servers[0].band for one in (sure, unsure)]
    assert bands == pytest.approx([0.18, 0.25])


def test_the_load_that_was_seen_is_kept_with_what_its_figures_leave_open() -> None:
    loads = [one for server in corrected(found(), ASKED, POINTS, "x").servers for one in server.seen]
    pools = found().fleet.fleet.pools
    assert [(one.rate, one.prompt_tokens, one.settings) for one in loads] == [
        (point.rate, point.prompt_tokens, pool.settings) for point, pool in zip(POINTS, pools, strict=True)
    ]
    assert loads[0].band == pytest.approx(0.01)  # 1.2 known to 1 %
    assert all(one.waits for one in loads)
    without = corrected(found(rows=ROWS[1:]), ASKED, POINTS, "x")
    assert not any(one.waits for server in without.servers for one in server.seen), "nobody saw a wait"
    several = corrected(found(), ASKED, POINTS, "x", slices=2)
    assert not any(server.seen for server in several.servers), "which slice was seen is not known"


def test_a_prediction_that_holds_corrects_nothing_and_knows_its_load() -> None:
    agreed = found(
        rows=tuple(replace(row, seen=replace(row.predicted, value=row.predicted.value * 1.002)) for row in ROWS)
    )
    assert agreed.agrees
    assert hindrance(agreed) == ""
    server = corrected(agreed, ASKED, POINTS, "same").servers[0]
    assert (server.terms, server.band) == (StepTerms(), 0.18)
    assert server.seen[0].band == pytest.approx(0.01, abs=1e-3)


def test_what_cannot_be_kept_says_why() -> None:
    assert hindrance(found()) == ""
    assert hindrance(found(rows=ROWS[:1])) == "one figure does not tell what steps take"
    other = replace(GOOD, misfit=1e4)
    assert hindrance(found(fits=(other,))) == "no one constant is the correction"
    rate = fit("arrival rate", 1.2, 1.0, 0.36, 0.0358, 60.0, 9.0)
    assert hindrance(found(fits=(rate,))) == "a fit holds step times, and arrival rate is none"
    assert hindrance(found(fits=(replace(GOOD, bounded=True),))) == "x1.2 is the end of what was tried"
