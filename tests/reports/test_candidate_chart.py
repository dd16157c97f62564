import dataclasses

import pytest

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.reports.candidate_chart import POWER, candidate_chart
from fleettui.reports.chart import Chart


def priced(base: Candidate, handle: str, cost: float, ttft: float, *broken: str) -> Candidate:
    pools = tuple(dataclasses.replace(pool, ttft=ttft) for pool in base.pools)
    return dataclasses.replace(
        base, candidate=f"id-{handle}", handle=handle, cost_per_hour=cost, pools=pools, shortfalls=broken
    )


@pytest.fixture
def many(best: Candidate) -> list[Candidate]:
    return [
        priced(best, "cheap", 50.0, 0.7, "P99 TTFT 0.70 s is above 500ms"),
        priced(best, "plan", 60.0, 0.45),
        priced(best, "worse", 65.0, 0.46),
        priced(best, "faster", 80.0, 0.3),
        priced(best, "slower", 90.0, 0.3),
        priced(best, "tpot", 55.0, 0.2, "P99 TPOT 60 ms is above 50ms"),
    ]


def points(chart: Chart) -> dict[str, tuple[tuple[float, float], ...]]:
    return {series.name: series.points for series in chart.series}


def test_candidates_are_parted_and_the_frontier_is_of_those_that_hold(
    many: list[Candidate], question: Question
) -> None:
    chart = candidate_chart(many, question, "id-plan")
    assert points(chart) == {
        "feasible": ((65.0, 0.46), (90.0, 0.3)),
        "misses a limit": ((50.0, 0.7), (55.0, 0.2)),
        "frontier": ((60.0, 0.45), (80.0, 0.3)),
        "this plan": ((60.0, 0.45),),
    }
    assert [choice.key for choice in chart.choices()] == ["id-plan", "id-faster"]
    assert [(mark.value, mark.label) for mark in chart.levels] == [(0.5, "SLO 500ms")]
    assert chart.summary == "4 of 6 feasible; this plan $60/h, P99 TTFT 0.45 s; faster: $80/h, 0.30 s"


def test_a_plan_is_found_by_its_handle_too(many: list[Candidate], question: Question) -> None:
    assert points(candidate_chart(many, question, "faster"))["this plan"] == ((80.0, 0.3),)
    assert candidate_chart(many, question, "faster").summary.endswith("none is faster")
    assert points(candidate_chart(many, question, "nobody"))["this plan"] == ()


def test_what_they_draw_stands_in_place_of_what_they_cost(best: Candidate, question: Question) -> None:
    plan, rival = (priced(best, name, 60.0, ttft) for name, ttft in (("plan", 0.45), ("rival", 0.3)))
    drawn = [dataclasses.replace(plan, power=9e3), dataclasses.replace(rival, power=8e3)]
    chart = candidate_chart(drawn, question, "plan", POWER)
    assert points(chart)["this plan"] == ((9e3, 0.45),)
    assert chart.title.endswith("by power")
    assert chart.summary.endswith("9.0 kW, P99 TTFT 0.45 s; faster and on less power: 8.0 kW, 0.30 s")


def test_a_rival_is_told_though_it_is_cheaper_but_not_where_it_reads_alike(best: Candidate, question: Question) -> None:
    plan = priced(best, "plan", 60.0, 0.45)
    both = candidate_chart([plan, priced(best, "both", 55.0, 0.3)], question, "plan")
    assert both.summary.endswith("this plan $60/h, P99 TTFT 0.45 s; faster and cheaper: $55/h, 0.30 s")
    alike = priced(best, "alike", 60.2, 0.447)
    assert candidate_chart([plan, alike], question, "plan").summary.endswith("; none is clearly faster")
    beyond = candidate_chart([plan, alike, priced(best, "faster", 80.0, 0.3)], question, "plan")
    assert beyond.summary.endswith("; faster: $80/h, 0.30 s")


def test_beside_a_simulated_plan_what_only_a_formula_calls_faster_is_not_proven(
    proven: Candidate, question: Question
) -> None:
    rival = priced(proven, "rival", 55.0, 0.3)
    for other in (rival, dataclasses.replace(rival, evidence=None)):
        words = candidate_chart([proven, other], question, proven.handle).summary.split("; ")[-1]
        assert words.startswith("faster and cheaper by formula alone: $55/h") == (other.evidence is None)


def test_without_a_fleet_that_holds_the_frontier_is_of_all(many: list[Candidate], question: Question) -> None:
    chart = candidate_chart([many[0], many[5]], question)
    assert points(chart)["frontier"] == ((50.0, 0.7), (55.0, 0.2))
    assert points(chart)["misses a limit"] == ()
    assert chart.summary == "0 of 2 feasible; the cheapest of the frontier: $50/h, P99 TTFT 0.70 s"


def test_a_simulation_goes_before_the_formula(proven: Candidate, failed: Candidate, question: Question) -> None:
    chart = candidate_chart([proven, failed], question)
    assert points(chart)["frontier"] == ((71.0, 0.443),)
    assert points(chart)["misses a limit"] == ((59.0, 0.443),)


def test_the_first_limit_is_the_one_that_is_drawn(many: list[Candidate], question: Question) -> None:
    other = dataclasses.replace(question, slo=Slo(tpot=0.05, percentile=0.9))
    chart = candidate_chart(many, other)
    assert chart.y.label == "P90 TPOT"
    assert chart.levels[0].label == "SLO 50ms"
    assert candidate_chart(many, dataclasses.replace(question, slo=Slo())).levels == ()


def test_far_latencies_make_the_axis_log(many: list[Candidate], best: Candidate, question: Question) -> None:
    assert not candidate_chart(many, question).y.log
    assert candidate_chart([*many, priced(best, "slow", 40.0, 4.0, "slow")], question).y.log


def test_a_candidate_without_a_latency_is_left_out(best: Candidate, question: Question) -> None:
    chart = candidate_chart([priced(best, "a", 40.0, float("inf"))], question, "a")
    assert all(not series.points for series in chart.series)
    assert chart.summary == "no candidate has a latency to show"


def test_candidates_that_are_not_kept_cannot_be_chosen(best: Candidate, question: Question) -> None:
    fresh = dataclasses.replace(best, candidate="", handle="")
    chart = candidate_chart([fresh], question)
    assert chart.choices() == ()
    assert points(chart)["this plan"] == ()
