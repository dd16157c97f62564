import math
from dataclasses import replace

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.plan import Estimate
from fleettui.domain.slo import Slo
from fleettui.domain.unit_served import cost_per_million
from fleettui.reports.comparison import metrics
from fleettui.reports.comparison.model import Cell, Compared
from fleettui.reports.unit_cost_text import unit_cost_text
from tests.reports.comparison.conftest import Make, at
from tests.reports.conftest import simulated, two_pools


def ttft(plan: Compared, base: Compared) -> Cell:
    return metrics.cell(metrics.latencies((base, plan))[0], plan, base)


def test_a_difference_has_its_size_its_share_and_its_word(base: Compared, other: Compared) -> None:
    found = ttft(other, base)
    assert (found.text, found.changed, found.word) == ("0.39 s +-1%", "-52 ms", "better")
    assert found.difference == pytest.approx(-0.052)
    assert found.share == pytest.approx(-0.052 / 0.443)
    assert ttft(base, other).word == "worse"
    assert ttft(base, base).changed == ""


@pytest.mark.parametrize(
    ("value", "half", "word"),
    [(0.45, 0.02, "not proven"), (0.455, 0.001, "worse"), (0.43, 0.001, "better"), (0.2, None, "not proven")],
)
def test_intervals_that_overlap_prove_nothing(
    base: Compared, make: Make, value: float, half: float | None, word: str
) -> None:
    assert ttft(make("40e9", at(simulated(two_pools()), value, half)), base).word == word


def test_what_is_not_simulated_is_marked_and_not_judged(base: Compared, estimate: Compared) -> None:
    found = ttft(estimate, base)
    assert found.text.startswith("~")
    assert (found.simulated, found.word) == (False, "other proof")


def test_money_is_judged_and_gpus_are_not(base: Compared, other: Compared) -> None:
    cost = metrics.cell(metrics.FIGURES[0], other, base)
    assert (cost.changed, cost.word, cost.simulated) == ("+$6.98/h", "worse", None)
    assert metrics.cell(metrics.GPUS, other, base).word == ""


def test_tokens_cost_what_the_answer_says_over_the_day(base: Compared, make: Make) -> None:
    """A fleet is paid for all day, so that less at the peak may be more over a day that is quieter beside it."""
    (tokens,) = [one for one in metrics.FIGURES if one.label == "$/1M output"]
    assert base.fleet is not None
    day = make("40f2", base.fleet, demand=Demand(form="users", users=100, requests_per_user=0.01, peak_factor=2.0))
    told = metrics.cell(tokens, day, base)
    assert told.value == pytest.approx(2.0 * cost_per_million(base.fleet))
    assert f"{told.text} per 1M output over the day" in unit_cost_text(base.fleet, day.question)
    assert told.word == "worse"


def test_unlike_costs_are_not_written_alike(base: Compared, make: Make) -> None:
    assert base.fleet is not None
    near = make("40f3", replace(base.fleet, cost_per_hour=base.fleet.cost_per_hour + 0.1))
    plain = metrics.FIGURES[0]
    assert plain.write(base.fleet.cost_per_hour) == metrics.cell(plain, near, base).text, "the difference looks rounded"
    cost = metrics.told_apart(plain, [base, near])
    texts = [metrics.cell(cost, one, base).text for one in (base, near)]
    assert len({*texts}) == 2
    assert all(text[-5] == "." for text in texts), "in cents"
    assert metrics.told_apart(plain, [base, base]) == plain


def test_a_plan_without_a_fleet_has_no_figures(base: Compared, make: Make) -> None:
    none = make("2d3f", None)
    assert ttft(none, base).text == "-"
    assert ttft(base, none).changed == ""


@pytest.mark.parametrize(("limit", "standing"), [(0.5, ""), (0.46, "near limit"), (0.445, "breaks SLO")])
def test_a_latency_stands_to_its_own_limit_by_its_high_end(
    base: Compared, make: Make, limit: float, standing: str
) -> None:
    plan = make("40f2", at(simulated(two_pools()), 0.443, 0.006), slo=Slo(ttft=limit))
    assert ttft(plan, base).standing == standing


def test_percentiles_that_differ_are_told_apart_and_prove_nothing(base: Compared, make: Make) -> None:
    lower = make("40f2", at(simulated(two_pools()), 0.391, 0.005), slo=Slo(ttft=0.5, percentile=0.95))
    assert metrics.rank((base, lower)) == "SLO's"
    assert ttft(lower, base).word == "other percentile"


def test_the_least_proven_plan_is_the_one_to_prove(base: Compared, other: Compared, estimate: Compared) -> None:
    assert metrics.least_proven((base, other)).handle == "41a7"
    assert metrics.least_proven((base, estimate, other)) is estimate
    assert metrics.overlap(Estimate(value=1.0), Estimate(value=9.0, low=8.0, high=math.inf))
