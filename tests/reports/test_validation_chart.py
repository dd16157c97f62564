"""Predicted against measured as a picture."""

from dataclasses import replace

import pytest

from fleettui.domain.uncertain import Factors
from fleettui.domain.validation import Comparison, State, Validation
from fleettui.reports.chart_text import chart_text
from fleettui.reports.validation_chart import validation_chart
from fleettui.reports.validation_text import validation_text
from tests.reports.test_validation_text import POINT

BAND = (0.8, 1.25)


def compared(ratio: float, state: State = "unsaturated", band: Factors = BAND) -> Comparison:
    point = replace(POINT, tpot=0.01 * (1 + ratio))
    return Comparison(point=point, state=state, predicted_ttft=0.5, predicted_tpot=ratio * point.tpot, band=band)


def validation(*runs: Comparison) -> Validation:
    return Validation(comparisons=runs, summaries=())


def test_each_run_is_in_or_outside_its_own_band() -> None:
    wide = compared(2.5, band=(0.3, 3.0))
    chart = validation_chart(validation(compared(1.0), compared(1.2), compared(1.5), wide, compared(0.9, "kv-bound")))
    assert chart is not None
    inside, outside = chart.series
    assert [round(y, 3) for _, y in inside.points] == [1.0, 1.2, 2.5]
    assert [round(y, 3) for _, y in outside.points] == [1.5]
    assert {mark.label: mark.value for mark in chart.levels} == pytest.approx(
        {"band 0.80": 0.8, "band 1.25": 1.25, "exact": 1.0}
    )
    assert chart.notes == ("band of 3 runs of 4",)
    assert chart.summary == "3 of 4 runs in their band; 0 predicted shorter than measured; 1 that do not count left out"


def test_ratios_far_apart_have_a_log_axis() -> None:
    near, far = (validation_chart(validation(compared(1.0), compared(1.1), compared(most))) for most in (1.2, 9.0))
    assert near is not None
    assert far is not None
    assert (near.y.log, far.y.log) == (False, True)


def test_few_runs_make_no_picture() -> None:
    assert validation_chart(validation(compared(1.0), compared(1.1))) is None


def test_the_picture_is_printed_in_plain_characters_unless_it_stands_beside_the_text() -> None:
    found = validation(compared(0.9), compared(1.0), compared(1.1))
    chart = validation_chart(found)
    assert chart is not None
    assert chart_text(chart) in validation_text(found)
    assert chart_text(chart).isascii()
    assert max(map(len, chart_text(chart).splitlines())) <= 80
    assert "predicted over measured TPOT" not in validation_text(found, pictured=False)
