"""A backtest in words: which constant is named, and what is said where the figures cannot tell."""

from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.backtest import CONSTANTS, STEP_TIMES, Band, Constant, Figure, Fit, Row
from fleettui.domain.plan import PlanIdentity
from fleettui.reports.studies.backtest import CORRECTION, SERIES, Backtest, backtest_study, badge
from fleettui.reports.study_text import study_text
from tests.store import samples

TTFT, TPOT, RUNNING = Figure(metric="ttft", share=0.99), Figure(metric="tpot", share=0.5), Figure(metric="running")
E2E = Figure(metric="e2e", share=0.99)


def band(value: float) -> Band:
    return Band(value=value, low=value * 0.99, high=value * 1.01)


def row(figure: Figure, predicted: float, seen: float, error: float = 0.01) -> Row:
    return Row(figure=figure, predicted=band(predicted), seen=band(seen), error=error)


def fit(constant: Constant, factor: float, misfit: float, *figures: float, bounded: bool = False) -> Fit:
    return Fit(constant=constant, factor=band(factor), misfit=misfit, figures=figures, bounded=bounded)


ROWS = (row(TTFT, 0.3, 0.36), row(TPOT, 0.03, 0.036), row(RUNNING, 50.0, 60.0))
GOOD = fit("base step time", 1.2, 1.0, 0.36, 0.0358, 60.0, 9.0)
POOR = fit("time per prompt token", 1.5, 400.0, 0.5, 0.03, 52.0, 8.0)


def found(**changes: Any) -> Backtest:
    plan = samples.answer(1, name="chat")
    assert plan.answer is not None
    base = Backtest(
        plan=replace(plan, plan=PlanIdentity(id="x", handle="41a7", name="chat")),
        fleet=plan.answer,
        asked="backtest 41a7 --observed running=60 --over 1h",
        rows=ROWS,
        probes=(E2E,),
        fits=(POOR, GOOD),
        engine_overhead=0.003,
    )
    return replace(base, **changes)


def test_the_constant_that_leaves_least_is_named_with_its_correction() -> None:
    study = backtest_study(found())
    assert study.sentences[0] == "seen against predicted: P99 TTFT +20%, P50 TPOT +20%, what is running +20%"
    assert study.sentences[1].startswith("base step time x1.2 [1.19, 1.21] explains it; the most that is left is +0.6%")
    was = found().fleet.fleet.pools[0].profile.base_step_time
    assert f"base_step_time {was * 1e3:.4g}ms -> {was * 1.2e3:.4g}ms in the profile of pool" in study.sentences[2]
    (table,) = (one for one in study.tables if one.title == CORRECTION)
    assert table.rows[0][1:3] == ("base_step_time", 1.2)
    assert max(map(len, study_text(study).splitlines())) <= 80


def test_a_fleet_of_one_pool_of_the_catalogue_can_be_planned_with_the_correction() -> None:
    whole = found()
    one = replace(whole.fleet, fleet=replace(whole.fleet.fleet, pools=whole.fleet.fleet.pools[:1]))
    base = one.fleet.pools[0].profile.base_step_time
    assert f"--engine-overhead {(0.003 + 0.2 * base) * 1e3:.4g}ms" in backtest_study(found(fleet=one)).sentences[-1]
    given = backtest_study(found(fleet=one, engine_overhead=None))
    assert "--engine-overhead" not in " ".join(given.sentences)


def test_what_is_within_chance_needs_no_correction() -> None:
    rows = (row(TTFT, 0.3, 0.303), row(RUNNING, 50.0, 49.5))
    study = backtest_study(found(rows=rows))
    assert study.sentences == (
        "the prediction holds: what was seen is within chance of it (P99 TTFT +1%, what is running -1%)",
    )
    assert CORRECTION not in {table.title for table in study.tables}
    assert not study.warnings


def test_two_constants_that_explain_the_same_are_both_told_and_what_would_tell_them_apart() -> None:
    other = fit("time per context token", 1.6, 0.5, 0.36, 0.036, 60.0, 9.9)
    study = backtest_study(found(fits=(other, GOOD, POOR)))
    assert "base step time x1.2" in study.sentences[1]  # misfits that do not tell; the smaller factor is the likelier
    assert "time per context token x1.6" in study.sentences[2]
    assert study.sentences[2].endswith("e2e.p99 would tell, 9s with the first, 9.9s with this")
    alike = replace(other, figures=(*other.figures[:3], 9.01))
    assert "test again at another" in backtest_study(found(fits=(alike, GOOD))).sentences[2]


def test_what_no_constant_explains_is_said_and_the_nearest_corrects_if_it_helps() -> None:
    half = fit("all step times", 1.15, 300.0, 0.4, 0.033, 55.0, 9.0)
    study = backtest_study(found(fits=(half, POOR)))
    assert study.sentences[1].startswith("no one constant explains it; all step times x1.15")
    assert "leaves ttft.p99 -10% off" in study.sentences[1]
    helpless = fit("KV blocks", 1.0, 990.0, 0.3, 0.03, 50.0, 9.0)
    without = backtest_study(found(fits=(helpless,)))
    assert not any(one.startswith("correction") for one in without.sentences)


def test_one_figure_tells_no_constant_from_another() -> None:
    fits = (fit("base step time", 1.2, 0.0, 0.036, 9.0), fit("arrival rate", 1.1, 0.0, 0.036, 9.0))
    study = backtest_study(found(rows=ROWS[1:2], fits=fits))
    assert "observe another two" in study.sentences[1]


def test_an_arrival_rate_is_corrected_in_the_demand() -> None:
    rate = fit("arrival rate", 1.2, 1.0, 0.36, 0.036, 60.0, 9.0, bounded=True)
    study = backtest_study(found(fits=(rate,)))
    assert "arrival rate x1.2, the most that is tried," in study.sentences[1]
    assert study.sentences[2] == f"correction: plan for {83.3 * 1.2:.4g}/s"


@pytest.mark.parametrize("constant", CONSTANTS)
def test_later_plans_are_told_whether_they_have_the_correction_in(constant: Constant) -> None:
    whole = found(fits=(fit(constant, 1.2, 1.0, 0.36, 0.036, 60.0, 9.0),))
    study = replace(backtest_study(whole), handle="4f6d", created="2026-11-22T10:00:00Z")
    pool = whole.fleet.fleet.pools[0]
    told = badge(study, pool)
    assert told.startswith(f"backtest 4f6d (2026-11-22) of {pool.gpu}/{pool.model}/{pool.dtype}/tp{pool.tp}: ")
    if constant == "arrival rate":
        assert told.endswith("arrival rate x1.2 was seen")
        return
    assert told.endswith("was seen, which this plan does not have in it")
    names = ("kv_blocks",) if constant == "KV blocks" else STEP_TIMES[constant]
    changes: dict[str, Any] = {name: getattr(pool.profile, name) * 1.2 for name in names}
    if "kv_blocks" in changes:
        changes["kv_blocks"] = round(changes["kv_blocks"])
    corrected = replace(pool, profile=replace(pool.profile, **changes))
    assert badge(study, corrected).endswith("was seen, which this plan has in it")


def test_tests_of_one_plan_are_a_series() -> None:
    first = replace(backtest_study(found()), handle="aaaa", created="2026-10-01T00:00:00Z")
    held = backtest_study(found(rows=(row(TTFT, 0.3, 0.3),)))
    (table,) = (one for one in backtest_study(found(earlier=(held, first))).tables if one.title == SERIES)
    assert [one[1] for one in table.rows] == ["", "aaaa"]
    assert table.rows[0][3].startswith("the prediction holds")  # type: ignore[union-attr]
    assert table.rows[1][3] == "base_step_time x1.2"
