"""A backtest in words: which constant is named, and what is said where the figures cannot tell."""

from dataclasses import replace

from fleettui.domain.backtest import CONSTANTS, Figure
from fleettui.reports.backtest.study import CORRECTION, EXPLANATIONS, backtest_study
from fleettui.reports.study_text import study_text
from tests.reports.backtest.samples import GOOD, POOR, ROWS, RUNNING, TTFT, fit, found, row


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


def test_a_coarse_correction_says_what_it_leaves() -> None:
    study = backtest_study(found(fits=(fit("all step times", 1.2, 60.0, 0.345, 0.036, 60.0, 9.0),)))
    assert study.sentences[1] == (
        "no one constant explains it to the digits; all step times x1.2 [1.14, 1.26] does but for +4% at ttft.p99: a "
        "coarse correction, which leaves that much open"
    )
    assert study.sentences[2].startswith("correction: base_step_time")
    tried = next(table for table in study.tables if table.title == EXPLANATIONS)
    assert [one["explains"] for one in tried.records()] == ["coarsely"]


def test_a_coarse_correction_says_why_what_comes_nearer_is_not_corrected() -> None:
    """Found: all step times x1.05 were corrected, and base step time x1.13 had less than half its misfit."""
    steps = fit("all step times", 1.2, 60.0, 0.345, 0.036, 60.0, 9.0)
    nearest = fit("base step time", 1.3, 20.0, 0.35, 0.0355, 59.0, 9.0)
    told = backtest_study(found(fits=(nearest, steps, POOR))).sentences
    assert told[1].endswith(
        "which leaves that much open; base step time x1.3 [1.29, 1.31] comes nearer, but not to the digits either: it "
        "is not shown to be the cause"
    )
    assert told[2].startswith("correction: base_step_time")


def test_what_no_constant_explains_is_said_and_nothing_is_corrected() -> None:
    """However much nearer the nearest comes (found 8)."""
    half = fit("all step times", 1.15, 300.0, 0.4, 0.033, 55.0, 9.0)
    study = backtest_study(found(fits=(half, POOR)))
    assert study.sentences[1].startswith("no one constant explains it; all step times x1.15")
    assert "leaves ttft.p99 -10% off" in study.sentences[1]
    assert not any(one.startswith("correction") for one in study.sentences)
    assert CORRECTION not in {table.title for table in study.tables}


def test_one_figure_tells_no_constant_from_another() -> None:
    same = [fit(name, 1.2 + place, 0.0, 0.036, 9.0) for place, name in enumerate(CONSTANTS[:3])]
    study = backtest_study(found(rows=ROWS[1:2], fits=(*same, POOR)))
    assert study.sentences[1] == (
        "base step time x1.2 [1.19, 1.21] explains it, and so do 2 others;"
        " one figure cannot tell constants apart: observe another two"
    )
    assert len(study.sentences) == 2
    none = backtest_study(found(rows=ROWS[1:2], fits=(fit("KV blocks", 0.34, 99.0, 0.03, 9.0, bounded=True),)))
    assert none.sentences[1].startswith("no one constant explains it; KV blocks x0.34, the least that is tried, [")


def test_where_all_was_looked_at_nothing_is_left_to_tell_constants_apart() -> None:
    other = fit("time per context token", 1.6, 0.5, 0.36, 0.036, 60.0)
    study = backtest_study(found(fits=(other, replace(GOOD, figures=GOOD.figures[:3])), probes=()))
    assert "test again at another" in study.sentences[2]


def test_of_several_time_slices_only_the_one_that_is_predicted_is_to_be_held_to_it() -> None:
    (told,) = (one for one in backtest_study(found(slices=24)).warnings if "slices" in one)
    assert told.startswith("of 24 time slices of the workload the busiest is predicted, 83.3")
    assert not any("slices" in one for one in backtest_study(found()).warnings)


def test_what_another_question_can_take_in_says_how() -> None:
    """Found: a backtest's page told of a correction by its constants, and --correct for nothing but how sure it is."""
    written, taken = (backtest_study(found(takes=takes)).sentences[2] for takes in (False, True))
    said = "; plan --correct with this study's handle takes it in"
    assert (said in written, said in taken) == (False, True)


def test_an_arrival_rate_is_corrected_in_the_demand() -> None:
    rate = fit("arrival rate", 1.2, 1.0, 0.36, 0.036, 60.0, 9.0, bounded=True)
    study = backtest_study(found(fits=(rate,)))
    assert "arrival rate x1.2, the most that is tried," in study.sentences[1]
    assert study.sentences[2] == f"correction: plan for {83.3 * 1.2:.4g}/s"


def test_a_rate_a_latency_and_what_is_running_that_cannot_all_be_are_told() -> None:
    """15/s x 7.13 s is not 78 running; found.plan is asked for 83.3/s."""
    mean = Figure(metric="e2e")
    rate = found().plan.demand.rate
    rows = (row(mean, 7.0, 7.13), row(RUNNING, 400.0, 78.0 * rate / 15.0))
    (told,) = (one for one in backtest_study(found(rows=rows)).warnings if "Little" in one)
    assert told.startswith("83.3/s x 7.13s (e2e.mean) are 593.9 requests by Little's law, and running=433.2")
    assert told.endswith("was seen, -27%: 60.75/s or 5.2 s would agree; what waits is in E2E and not in running")
    agreeing = (row(mean, 7.0, 7.13), row(RUNNING, 400.0, 7.0 * rate))
    for fine in (agreeing, rows[:1], rows[1:]):
        assert not any("Little" in one for one in backtest_study(found(rows=fine)).warnings)


def test_mean_latencies_of_other_outputs_than_the_workloads_are_told() -> None:
    """40 ms a token for 7 s are 175 tokens; the workload's outputs make it 250."""
    ttft, tpot, e2e = (Figure(metric=metric) for metric in ("ttft", "tpot", "e2e"))
    seen = (row(ttft, 0.2, 0.25), row(tpot, 0.03, 0.04), row(e2e, 7.7, 7.25))
    (told,) = (one for one in backtest_study(found(rows=seen)).warnings if "e2e.mean" in one)
    assert told.startswith(
        "e2e.mean less ttft.mean is 175 times tpot.mean, where the workload's outputs make it 250, -30%"
    )
    longer = (*seen[:2], row(e2e, 7.7, 10.25))
    for fine in (longer, seen[:2], seen[1:]):
        assert not any("e2e.mean" in one for one in backtest_study(found(rows=fine)).warnings)
    below = (*seen[:2], row(e2e, 7.7, 0.2))
    assert any(one.startswith("e2e.mean is not above ttft.mean") for one in backtest_study(found(rows=below)).warnings)
