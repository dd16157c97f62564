from dataclasses import replace

from fleettui.domain.slo import Slo
from fleettui.domain.study import Study
from fleettui.reports.report.model import Kept
from fleettui.reports.report.risk import risk
from tests.reports.conftest import two_pools


def test_one_sentence_says_how_it_is_known_and_what_is_near(proved: Kept) -> None:
    first, *warnings = risk(proved)
    assert first.startswith("Simulated token by token in 10 runs, 220,000 requests, worst pool's P99 TTFT 0.46 s +-2%")
    # the long pool's interval ends at 0.47 s of 0.5 s
    assert "the tightest limit is P99 TTFT, with 6% left" in first
    assert first.endswith("to +-25%: it may take between 16 and more than can be had, with waits x0.6 to x1.8, too.")
    assert warnings == ["Pool long has one replica: one failure stops it.", "Dispersion above 2."]


def test_speeds_with_a_band_say_how_they_are_known(proved: Kept) -> None:
    best = proved.answer.answer
    assert best is not None
    known = replace(best, band=(0.78, 1.38), speeds="kernels measured")
    first = risk(replace(proved, answer=replace(proved.answer, answer=known)))[0]
    assert "the speeds are worked out (kernels measured), to -22% to +38%: it may take between" in first


def test_what_production_showed_is_told(proved: Kept) -> None:
    said = "seen against predicted: P99 TTFT +18%"
    study = Study(kind="backtest", title="t", question="q", handle="15fb", created="2026-11-22T09", sentences=(said,))
    assert risk(replace(proved, studies=(study,)))[1] == f"In production (2026-11-22, study 15fb): {said}."


def test_a_formula_is_no_proof(kept: Kept) -> None:
    first = risk(kept)[0]
    assert first.startswith("Known by formula only, not simulated: P99 TTFT 0.48 s, P99 TPOT 34 ms")
    assert "with 4% left" in first


def test_without_a_limit_on_latency_the_others_count(kept: Kept) -> None:
    question = replace(kept.scenario.question, slo=Slo(), budget=100.0)
    held = replace(kept, scenario=replace(kept.scenario, question=question))
    assert "budget 29% left" in risk(held)[0]


def test_no_fleet_tells_why(infeasible: Kept) -> None:
    assert risk(infeasible)[0] == "TTFT at the short pool."


def test_the_range_of_gpus_is_told_in_dollars_where_all_cost_the_same(kept: Kept) -> None:
    best = replace(two_pools(cost=71.0), gpus_range=(22, 30))
    asked = replace(kept, answer=replace(kept.answer, answer=best))
    assert "it may take between 22 and 30 of these, $65/h to $89/h, with waits x0.6 to x1.8, too." in risk(asked)[0]
    scenario = replace(kept.scenario, question=replace(kept.scenario.question, whole_nodes=True))
    assert (
        "it may take between 22 and 30 of these, with waits x0.6 to x1.8, too."
        in risk(replace(asked, scenario=scenario))[0]
    )
