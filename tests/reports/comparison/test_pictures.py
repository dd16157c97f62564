"""The pictures of a comparison: what is drawn of which plan, said in a line, and told again as a table."""

import dataclasses

import pytest

from fleettui.reports.canvas import Glyphs
from fleettui.reports.chart_text import draw
from fleettui.reports.comparison.model import Compared
from fleettui.reports.comparison.pictures import KINDS, LETTERS, Kind, picture
from fleettui.reports.comparison.spread import Spread
from fleettui.reports.table import render
from tests.reports.comparison.conftest import Make, at
from tests.reports.conftest import simulated, two_pools

CELLS = tuple((step - 232, 1.0) for step in range(200))
"""Half a per cent of the requests each, from 0.1 s to 0.73 s."""


def proven(plan: Compared) -> Compared:
    return dataclasses.replace(plan, spread=Spread(CELLS))


@pytest.fixture
def plans(base: Compared, other: Compared, estimate: Compared) -> tuple[Compared, ...]:
    return proven(base), proven(other), estimate


@pytest.mark.parametrize("kind", KINDS)
def test_a_letter_names_each_plan_in_chart_legend_table_and_summary(kind: Kind, plans: tuple[Compared, ...]) -> None:
    found = picture(kind, plans)
    assert found.chart is not None
    assert [row[0] for row in found.table.rows] == ["A 41a7", "B 40f2", "C 41b3"]
    for series in found.chart.series:
        assert f"{series.letter} {series.name}" in [row[0] for row in found.table.rows]
        assert f"{series.letter} " in found.chart.summary
    assert max(map(len, render(found.table, 78).split("\n"))) <= 78
    drawn = ["".join(span.text for span in line) for line in draw(found.chart, 80, 12, "ascii")]
    assert all(f"{one.letter} {one.name}" in drawn[1] for one in found.chart.series)
    assert all(any(one.letter in line for line in drawn[2:]) for one in found.chart.series)


def test_the_spread_shows_the_proven_and_says_of_the_others_that_it_cannot(plans: tuple[Compared, ...]) -> None:
    found = picture("cdf", plans)
    assert found.chart is not None
    assert [series.name for series in found.chart.series] == ["41a7", "40f2"]
    assert len({series.every for series in found.chart.series}) == 2
    assert found.chart.x.log
    assert [stop.label for stop in found.chart.stops] == ["SLO 500ms"]
    assert found.chart.summary == (
        "P50 A 0.27 s, B 0.27 s; P99 A 0.71 s, B 0.71 s; SLO met A 81.00%, B 81.00%; "
        "worst pool P99 A 0.44 s, B 0.39 s; C by formula: no CDF, v proves it"
    )
    assert found.table.rows[0] == ("A 41a7", "0.27 s", "0.60 s", "0.66 s", "0.71 s", "0.73 s", "500ms", "81.00%")
    assert found.table.rows[2][-1] == "by formula"
    assert "v proves it" in found.table.note


def test_of_one_pool_there_is_no_worst(base: Compared) -> None:
    assert base.fleet is not None
    alone = dataclasses.replace(base.fleet, pools=base.fleet.pools[:1])
    found = picture("cdf", (proven(dataclasses.replace(base, answer=dataclasses.replace(base.answer, answer=alone))),))
    assert found.chart is not None
    assert "worst pool" not in f"{found.chart.summary}{found.table.note}"


def test_an_slo_that_no_request_keeps_is_drawn_all_the_same(base: Compared) -> None:
    tight = dataclasses.replace(base.question, slo=dataclasses.replace(base.question.slo, ttft=0.02))
    found = picture("cdf", (proven(dataclasses.replace(base, question=tight)),))
    assert found.chart is not None
    drawn = "".join(span.text for line in draw(found.chart, 80, 12, "ascii") for span in line)
    assert "SLO 20ms" in drawn
    assert found.table.rows[0][-1] == "0.00%"


def test_all_requests_are_100_percent_whatever_rounding_leaves(base: Compared) -> None:
    cells = tuple((cell, 0.1) for cell in range(-400, -390))
    found = picture("cdf", (dataclasses.replace(base, spread=Spread(cells)),))
    assert found.table.rows[0][-1] == "100%"


@pytest.mark.parametrize("kind", KINDS)
def test_more_plans_than_an_alphabet_have_letters_of_their_own(kind: Kind, plans: tuple[Compared, ...]) -> None:
    found = picture(kind, [plans[place % 2] for place in range(70)])
    assert found.chart is not None
    assert len({row[0][0] for row in found.table.rows}) == len(found.table.rows) == len(LETTERS) == 62
    assert len({series.letter for series in found.chart.series}) == 62
    assert found.table.note == "8 plans more: no letter is left"


@pytest.mark.parametrize("glyphs", ["braille", "half", "ascii"])
@pytest.mark.parametrize("kind", KINDS)
def test_equal_plans_do_not_hide_each_other(kind: Kind, glyphs: Glyphs, plans: tuple[Compared, ...]) -> None:
    found = picture(kind, [plans[0]] * 8)
    assert found.chart is not None
    drawn = ["".join(span.text for span in line) for line in draw(found.chart, 80, 14, glyphs)]
    assert all(any(letter in line for line in drawn[2:]) for letter in "ABCDEFGH")


def test_a_range_of_which_neither_end_is_known_says_nothing_of_either(make: Make) -> None:
    known = dataclasses.replace(two_pools(cost=40.0), gpus=16, gpus_range=(None, None))
    found = picture("cost", (make("a1", known),))
    assert found.table.rows[0][-2:] == ("-", "-")
    assert found.chart is not None
    assert found.chart.summary == "A $29,200/month"


def test_without_proof_there_is_no_spread_to_draw(estimate: Compared, make: Make) -> None:
    found = picture("cdf", (estimate, make("3ff0", None)))
    assert found.chart is None
    assert [row[-1] for row in found.table.rows] == ["by formula", "no fleet"]


def test_each_limit_is_told_with_the_plans_that_have_it(plans: tuple[Compared, ...]) -> None:
    question = plans[1].question
    lax = dataclasses.replace(question, slo=dataclasses.replace(question.slo, ttft=0.8))
    found = picture("cdf", (plans[0], dataclasses.replace(plans[1], question=lax)))
    assert found.chart is not None
    assert [stop.label for stop in found.chart.stops] == ["SLO 500ms A", "SLO 800ms B"]


def test_a_cost_reaches_as_far_as_the_models_error(base: Compared, make: Make) -> None:
    wide = dataclasses.replace(two_pools(cost=40.0), gpus=16, gpus_range=(8, 24))
    open_ended = dataclasses.replace(wide, gpus_range=(12, None))
    found = picture("cost", (make("a1", wide), make("b2", open_ended), make("c3", None)))
    assert found.chart is not None
    first, second = found.chart.series
    assert [cost for cost, _ in first.points] == pytest.approx([14_600, 29_200, 43_800])
    assert first.at == 1
    assert [cost for cost, _ in second.points] == pytest.approx([21_900, 29_200, found.chart.x.high])
    assert found.chart.x.high == pytest.approx(43_800 * 1.15), "what has no end is drawn to the edge"
    assert found.table.rows[0][1:] == ("16", "$40/h", "$29,200", "$350K/yr", "$14,600", "$43,800")
    assert found.table.rows[1][-1] == "more than can be had"
    assert found.chart.summary == ("A $29,200/month; B $29,200/month (+$0), at worst more than can be had; C no fleet")


def test_latency_stands_over_cost_with_its_interval(plans: tuple[Compared, ...]) -> None:
    found = picture("latency", plans)
    assert found.chart is not None
    first, _, third = found.chart.series
    assert [value for _, value in first.points] == pytest.approx([0.437, 0.443, 0.449])
    assert {cost for cost, _ in first.points} == {41.88}
    assert len(third.points) == 1
    assert [level.label for level in found.chart.levels] == ["SLO 500ms"]
    assert found.chart.summary.startswith("A $42/h, P99 TTFT 0.44 s +-1%; B $49/h, P99 TTFT 0.39 s +-1%; C $35/h")
    assert found.chart.summary.endswith("by formula")
    assert [row[-1] for row in found.table.rows] == ["simulated", "simulated", "formula"]
    assert [row[3] for row in found.table.rows] == ["+-1%", "+-1%", "-"]


def test_plans_without_a_fleet_have_no_picture_but_a_table(make: Make) -> None:
    none = (make("a1", None), make("b2", None))
    for kind in KINDS:
        found = picture(kind, none)
        assert found.chart is None
        assert len(found.table.rows) == 2


def test_an_interval_on_the_wrong_side_is_drawn_as_far_as_the_value(make: Make) -> None:
    odd = dataclasses.replace(two_pools(cost=40.0), gpus=16, gpus_range=(18, 24))
    found = picture("cost", (make("a1", odd), make("b2", at(simulated(two_pools(cost=48.0)), 0.4, None))))
    assert found.chart is not None
    costs = [cost for cost, _ in found.chart.series[0].points]
    assert costs == sorted(costs)


@pytest.mark.parametrize("glyphs", ["braille", "half", "ascii"])
def test_where_a_cost_lies_in_its_range_is_seen_in_any_signs(glyphs: Glyphs, make: Make) -> None:
    wide = dataclasses.replace(two_pools(cost=40.0), gpus=16, gpus_range=(8, 24))
    found = picture("cost", (make("a1", wide), make("b2", wide)))
    assert found.chart is not None
    drawn = ["".join(span.text for span in line) for line in draw(found.chart, 80, 12, glyphs)]
    for letter in "AB":
        row = next(line for line in drawn[2:] if line.startswith(letter))
        assert row[2:].count(letter) == 1
