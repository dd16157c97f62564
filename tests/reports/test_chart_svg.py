import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from fleettui.reports.chart import Axis, Chart, Mark, Series
from fleettui.reports.chart_svg import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, chart_svg

SVG = "{http://www.w3.org/2000/svg}"
CHART = Chart(
    title="TTFT & $/h",
    series=(
        Series(name="<feasible>", points=((10.0, 0.1), (20.0, 0.4)), style="points"),
        Series(name="limit", points=((10.0, 0.1), (20.0, 0.4)), style="step"),
    ),
    x=Axis(label="$/h", write=str, low=10.0, high=20.0),
    y=Axis(label="TTFT", write=str, low=0.0, high=1.0),
    levels=(Mark(value=0.5, label="SLO"),),
    notes=("by formula",),
    summary="2 of 2 feasible",
)


def drawn(chart: Chart) -> ElementTree.Element:
    return ElementTree.fromstring(chart_svg(chart))


def test_points_lie_where_their_values_are() -> None:
    left, right = drawn(CHART).findall(f"{SVG}circle")[:2]
    assert (float(left.attrib["cx"]), float(right.attrib["cx"])) == (LEFT, WIDTH - RIGHT)
    height = HEIGHT - BOTTOM - TOP
    assert float(left.attrib["cy"]) == pytest.approx(HEIGHT - BOTTOM - 0.1 * height, abs=0.1)
    assert float(right.attrib["cy"]) == pytest.approx(HEIGHT - BOTTOM - 0.4 * height, abs=0.1)


def test_a_step_keeps_its_value_until_the_next_point() -> None:
    (line,) = drawn(CHART).findall(f"{SVG}polyline")
    corners = [tuple(map(float, pair.split(","))) for pair in line.attrib["points"].split()]
    assert len(corners) == 3
    assert corners[0][1] == corners[1][1]
    assert corners[1][0] == corners[2][0]


def test_it_says_in_words_what_it_shows_and_needs_nothing_else() -> None:
    root = drawn(CHART)
    texts = [one.text for one in root.findall(f"{SVG}text")]
    for words in ("TTFT & $/h", "<feasible>", "SLO", "by formula", "$/h"):
        assert words in texts
    assert root.findtext(f"{SVG}desc") == "2 of 2 feasible"
    assert root.attrib["role"] == "img"
    assert not re.search("href|url|script", chart_svg(CHART))


def test_a_stop_stands_upright_and_a_line_bears_its_letter_its_dashes_and_its_mark() -> None:
    line = Series(name="41a7", letter="A", points=((10.0, 0.1), (20.0, 0.4)), every=2, at=1)
    root = drawn(replace(CHART, series=(line,), stops=(Mark(value=15.0, label="SLO 15"),)))
    upright = [one.attrib for one in root.findall(f"{SVG}line") if one.attrib["x1"] == one.attrib["x2"]]
    middle = (LEFT + WIDTH - RIGHT) / 2
    assert any(float(one["x1"]) == middle and "stroke-dasharray" in one for one in upright)
    assert {"SLO 15", "A 41a7"} <= {one.text for one in root.findall(f"{SVG}text")}
    assert "stroke-dasharray" in root.findall(f"{SVG}polyline")[0].attrib
    assert float(root.findall(f"{SVG}circle")[0].attrib["cx"]) == WIDTH - RIGHT


def test_a_chart_without_points_is_drawn() -> None:
    assert drawn(replace(CHART, series=(), levels=())).findtext(f"{SVG}title") == "TTFT & $/h"
