from fleettui.reports.chart import Axis, Chart, Series, Style
from fleettui.reports.chart_series import drawn, letter_place

AXIS = Axis(label="", write=str)


def series(name: str, style: Style = "line", *, empty: bool = False) -> Series:
    return Series(name=name, points=() if empty else ((0.0, 0.0),), style=style)


def signs(*several: Series) -> list[str]:
    return [one.sign for one in drawn(Chart(title="", series=several, x=AXIS, y=AXIS, summary=""))]


def test_points_differ_and_keep_their_sign_where_another_series_is_empty() -> None:
    assert signs(*(series("a", "points") for _ in range(4))) == [".", "x", "o", "@"]
    assert signs(series("a", "points", empty=True), series("b", "points")) == ["x"]


def test_a_line_is_known_by_a_letter_of_its_own() -> None:
    assert signs(series("prompt"), series("p99"), series("p")) == ["p", "9", "2"]
    assert signs(series("aa"), series("aa"), series("a"), series("")) == ["a", "1", "2", "3"]


def test_roles_go_by_the_place_in_the_chart() -> None:
    chart = Chart(title="", series=(series("a", empty=True), series("b")), x=AXIS, y=AXIS, summary="")
    (one,) = drawn(chart)
    assert one.role == "series-1"
    assert not one.is_points


def test_a_letter_stands_where_its_line_is_alone() -> None:
    line = {(column, 0) for column in range(10)}
    assert letter_place(line, set()) == (9, 0)
    assert letter_place(line, {(column, 1) for column in range(5, 10)}) == (4, 0)
    assert letter_place(line, line) == (9, 0)
