import pytest

from fleettui.reports.canvas import Glyphs
from fleettui.reports.chart import Point, Style
from fleettui.reports.plot_area import Area
from fleettui.reports.ticks import Scale


def area(glyphs: Glyphs = "half") -> Area:
    unit = Scale(low=0.0, high=10.0)
    return Area(left=2, top=1, columns=11, rows=5, x=unit, y=unit, glyphs=glyphs)


def drawn(points: tuple[Point, ...], style: Style, glyphs: Glyphs = "half") -> dict[tuple[int, int], str]:
    return dict(area(glyphs).dots(points, style).cells())


@pytest.mark.parametrize("glyphs", ["braille", "half", "ascii"])
def test_values_lie_in_the_box(glyphs: Glyphs) -> None:
    box = area(glyphs)
    assert (box.column(0.0), box.column(10.0), box.column(5.0)) == (2, 12, 7)
    assert (box.row(0.0), box.row(10.0), box.row(5.0)) == (5, 1, 3)
    assert box.column(-0.1) is None
    assert box.row(10.1) is None


def test_a_step_keeps_its_value_until_the_next_point() -> None:
    found = drawn(((0.0, 0.0), (5.0, 10.0), (10.0, 10.0)), "step")
    assert {cell for cell in found if cell[1] == 5} == {(column, 5) for column in range(2, 8)}
    assert {cell for cell in found if cell[0] == 7} == {(7, row) for row in range(1, 6)}
    assert {cell for cell in found if cell[1] == 1} == {(column, 1) for column in range(7, 13)}


def test_a_line_goes_straight() -> None:
    assert len(drawn(((0.0, 0.0), (10.0, 10.0)), "line")) == 11


def test_a_line_is_cut_at_the_edges_on_its_way() -> None:
    inside = drawn(((0.0, 0.0), (10.0, 10.0)), "line")
    assert drawn(((-10.0, -10.0), (30.0, 30.0)), "line") == inside
    assert drawn(((-1.0, 3.0), (-1.0, 8.0)), "line") == {}
    assert drawn(((-5.0, 11.0), (15.0, 11.0)), "line") == {}


def test_one_point_is_one_dot() -> None:
    assert drawn(((0.0, 10.0),), "line") == {(2, 1): "▀"}
    assert drawn(((0.0, 10.0),), "step") == {(2, 1): "▀"}
    assert drawn((), "line") == {}
