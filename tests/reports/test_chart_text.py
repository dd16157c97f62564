import math
from dataclasses import replace

import pytest

from fleettui.reports.canvas import Glyphs, Line, Role
from fleettui.reports.chart import Axis, Chart, Mark, Series
from fleettui.reports.chart_text import draw
from tests.repeated import few

ALL: tuple[Glyphs, ...] = ("braille", "half", "ascii")
SIZES = [
    (width, height) for width in (0, 1, 2, 7, 19, 20, 33, 59, 60, 80, 120) for height in (0, 1, 3, 4, 5, 8, 11, 30)
]


def number(value: float) -> str:
    return f"{value:g}"


X = Axis(label="$/h", write=number, low=0.0, high=100.0)
Y = Axis(label="seconds", write=number, low=0.0, high=1.0)
POINTS = Series(
    name="frontier", points=((20.0, 0.8), (50.0, 0.5), (80.0, 0.2)), style="points", keys=("left", "middle", "right")
)
LOW = Series(name="low", points=((0.0, 0.1), (100.0, 0.1)))
HIGH = Series(name="high", points=((0.0, 0.1), (50.0, 0.9), (100.0, 0.9)), style="step")


def chart(*series: Series) -> Chart:
    return Chart(
        title="cost and time",
        series=series,
        x=X,
        y=Y,
        levels=(Mark(value=0.6, label="SLO 0.6"),),
        stops=(Mark(value=30.0, label="p50 30"), Mark(value=34.0, label="p99 34")),
        notes=("one note", "and another that is too long for the column beside the plot"),
        summary="words",
    )


HARD = {
    "empty": chart(),
    "no points": chart(Series(name="a", points=())),
    "one point": chart(Series(name="a", points=((50.0, 0.5),))),
    "equal": replace(chart(replace(LOW, points=((1.0, 1.0),) * 3)), x=replace(X, low=None, high=None)),
    "not finite": chart(replace(LOW, points=((math.nan, 1.0), (1.0, math.inf), (-math.inf, 1.0)))),
    "huge": replace(
        chart(replace(LOW, points=((-1e300, 1.0), (1e300, -1e300), (0.0, 1e-300)))),
        x=replace(X, low=None, high=None),
        y=replace(Y, low=None, high=None),
    ),
    "log": replace(
        chart(replace(LOW, points=((0.0, 1.0), (-5.0, 1.0), (2.0, 3.0)))),
        x=replace(X, log=True),
        y=replace(Y, log=True),
    ),
    "lines": chart(LOW, HIGH),
    "points": chart(LOW, POINTS, replace(POINTS, name="plan")),
    "long labels": replace(chart(POINTS), y=replace(Y, label="y" * 90, write=lambda value: f"{value:060.3f}")),
}


def texts(lines: tuple[Line, ...]) -> list[str]:
    return ["".join(span.text for span in line) for line in lines]


def of_role(lines: tuple[Line, ...], role: Role) -> str:
    return " ".join(span.text for line in lines for span in line if span.role == role)


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("glyphs", ALL)
@pytest.mark.parametrize("sizes", few([SIZES[::3], SIZES], 1, whole=True, ids=["some", "all"]))
def test_every_chart_fits_every_size(name: str, glyphs: Glyphs, sizes: list[tuple[int, int]]) -> None:
    for width, height in sizes:
        lines = texts(draw(HARD[name], width, height, glyphs, "middle"))
        assert [len(line) for line in lines] == [width] * height


def test_ascii_is_ascii() -> None:
    assert all(line.isascii() for name in HARD for line in texts(draw(HARD[name], 80, 16, "ascii", "left")))


def test_a_picture_in_ascii() -> None:
    assert texts(draw(replace(chart(LOW, HIGH), notes=()), 44, 11, "ascii")) == [
        "-- cost and time ---------------------------",
        "seconds                        l low  h high",
        "  1+            :p50 30 ___________________h",
        "   |       p99 34:      |                   ",
        "   |- - - - - - - - - - | - - - - - SLO 0.6 ",
        "0.5+            ::      |                   ",
        "   |            ::      |                   ",
        "   |            ::      |                   ",
        "  0+'''''''''''''''''''''lllllllllllllllllll",
        "   ++-------+-------+------+-------+---- $/h",
        "    0      20      40     60      80     100",
    ]


def test_a_picture_in_braille_with_points_notes_and_a_choice() -> None:
    plan = replace(POINTS, name="plan", points=((50.0, 0.5),), keys=())
    assert texts(draw(chart(POINTS, plan), 64, 12, "braille", "right")) == [
        "── cost and time ────────────────────────────────── > 80, 0.2 ──",
        "seconds                                       . frontier  x plan",
        "  1┤           ┊p50 30                     one note             ",
        "   │       .   ┊┊p99 34                    and another that is  ",
        "   │           ┊┊                          too long for the     ",
        "   │╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ SLO 0.6   column beside the    ",
        "0.5┤           ┊┊     x                    plot                 ",
        "   │           ┊┊                                               ",
        "   │           ┊┊               >.<                             ",
        "  0┤           ┊┊                                               ",
        "   └┬─────────────────┬─────────────────┬ $/h                   ",
        "    0                50                100                      ",
    ]


@pytest.mark.parametrize("glyphs", ALL)
def test_what_is_chosen_is_told_without_colour(glyphs: Glyphs) -> None:
    lines = draw(chart(POINTS), 80, 12, glyphs, "middle")
    assert of_role(lines, "chosen") == " > 50, 0.5  >.<"
    assert of_role(draw(chart(POINTS), 80, 12, glyphs, "nobody"), "chosen") == ""


@pytest.mark.parametrize("glyphs", ALL)
def test_the_last_series_is_on_top(glyphs: Glyphs) -> None:
    lines = draw(chart(POINTS, replace(POINTS, name="plan", keys=())), 50, 12, glyphs)
    assert of_role(lines, "series-0") == ". frontier"
    assert of_role(lines, "series-1") == "x plan x x x"


def test_notes_need_sixty_columns() -> None:
    assert "one note" in of_role(draw(chart(LOW), 60, 12, "half"), "note")
    assert of_role(draw(chart(LOW), 59, 12, "half"), "note") == ""


def test_parts_give_way_to_the_data() -> None:
    def rows(height: int) -> str:
        return "\n".join(texts(draw(chart(LOW, HIGH), 50, height, "ascii")))

    assert "cost and time" in rows(8)
    assert "cost and time" not in rows(7)
    assert "h high" in rows(6)
    assert "h high" not in rows(5)
    assert "-- $/h" in rows(5)
    assert "$/h" not in rows(4)
    assert "100" in rows(4)
    assert "100" not in rows(3)


def test_labels_of_x_stand_apart() -> None:
    wide = replace(chart(LOW), x=replace(X, high=1.0, write=lambda value: f"{value:.4f}$/h"), stops=())
    for width in range(30, 90):
        labels = texts(draw(wide, width, 12, "half"))[-1].split()
        assert all(label.endswith("$/h") and label.count("$") == 1 for label in labels)
        assert 1 <= len(labels) <= width // 8


def test_a_label_of_a_stop_covers_no_data() -> None:
    full = Series(name="a", points=tuple((x / 2, y / 20) for x in range(201) for y in range(21)), style="points")
    lines = draw(chart(full), 50, 12, "ascii")
    assert "p50" not in "".join(texts(lines))
    assert "SLO 0.6" in of_role(lines, "limit")


def test_a_level_outside_an_axis_that_is_set_is_not_drawn() -> None:
    above = replace(chart(LOW), levels=(Mark(value=1.5, label="far"), Mark(value=math.nan, label="none")), stops=())
    assert of_role(draw(above, 60, 12, "half"), "limit") == ""


def test_axes_hold_the_levels_and_the_stops() -> None:
    free = replace(
        chart(LOW), x=replace(X, high=None), y=replace(Y, high=None), stops=(Mark(value=300.0, label="far"),)
    )
    found = of_role(draw(free, 60, 12, "half"), "limit")
    assert "far" in found
    assert "SLO 0.6" in found


@pytest.mark.parametrize("every", [2, 3])
@pytest.mark.parametrize("end", [(100.0, 0.0), (0.0, 100.0), (100.0, 100.0)])
@pytest.mark.parametrize("width", range(40, 44))
def test_a_pattern_shows_its_share_of_a_line_whichever_way_that_runs(
    every: int, end: tuple[float, float], width: int
) -> None:
    """In a box as wide as high, in which a slope runs through cells one right and one up."""

    def marks(line: Series) -> int:
        axis = Axis(label="", write=lambda _: "", low=0.0, high=100.0)
        drawn = draw(Chart(title="", series=(line,), x=axis, y=axis, summary=""), width, width + 3, "ascii")
        return sum(span.text.count(sign) for row in drawn for span in row if span.role == "series-0" for sign in "-_'|")

    whole = Series(name="a", points=((0.0, 0.0), end))
    share = marks(replace(whole, every=every)) / marks(whole)
    assert share == pytest.approx(1 / every, abs=0.1)
