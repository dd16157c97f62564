import pytest

from fleettui.reports.canvas import Canvas, Dots, Glyphs, Span


def test_lines_are_runs_of_one_role() -> None:
    canvas = Canvas(6, 2)
    canvas.put(1, 0, "ab", "axis")
    canvas.put(3, 0, "c", "limit")
    assert canvas.lines() == (
        (Span(" ", "label"), Span("ab", "axis"), Span("c", "limit"), Span("  ", "label")),
        (Span("      ", "label"),),
    )
    assert canvas.at(2, 0) == Span("b", "axis")


@pytest.mark.parametrize(("column", "row"), [(-2, 0), (2, 0), (0, -1), (0, 1)])
def test_what_is_outside_is_cut_off(column: int, row: int) -> None:
    canvas = Canvas(3, 1)
    canvas.put(column, row, "abc", "note")
    (line,) = canvas.lines()
    assert "".join(span.text for span in line) == {-2: "c  ", 2: "  a"}.get(column, "   ")
    assert canvas.at(column, row).text in {" ", "a"}


@pytest.mark.parametrize(("width", "height"), [(0, 0), (0, 2), (2, 0), (-1, -1)])
def test_an_empty_canvas(width: int, height: int) -> None:
    canvas = Canvas(width, height)
    canvas.put(0, 0, "a", "axis")
    assert canvas.lines() == ((),) * max(height, 0)


@pytest.mark.parametrize(
    ("glyphs", "expected"),
    [
        ("braille", {(0, 0): "⠑", (1, 0): "⢄"}),
        ("half", {(0, 0): "▀", (1, 0): "▄", (2, 1): "▀", (3, 1): "▄"}),
        ("ascii", {(0, 0): "'", (1, 0): "-", (2, 0): "_", (3, 1): "'"}),
    ],
)
def test_a_falling_line(glyphs: Glyphs, expected: dict[tuple[int, int], str]) -> None:
    dots = Dots(glyphs)
    dots.line((0, 0), (3, 3))
    assert dict(dots.cells()) == expected


@pytest.mark.parametrize(("glyphs", "down", "full"), [("braille", 4, "⡇"), ("half", 2, "█"), ("ascii", 3, "|")])
def test_a_line_straight_down(glyphs: Glyphs, down: int, full: str) -> None:
    dots = Dots(glyphs)
    dots.line((0, 2 * down - 1), (0, 0))
    assert dict(dots.cells()) == {(0, 0): full, (0, 1): full}


def test_crossing_lines_stay_whole_where_they_meet_only() -> None:
    level, steep = Dots("braille"), Dots("braille")
    level.line((0, 0), (3, 0))
    steep.line((0, 0), (0, 3))
    steep.over(level)
    assert dict(steep.cells()) == {(0, 0): "⡏"}
