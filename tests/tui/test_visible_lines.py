"""No sign of somebody else's reaches the terminal."""

from rich.segment import ControlType, Segment
from textual.color import Color

from fleettui.tui.visible_lines import VisibleLines

BLACK = Color(0, 0, 0)


def test_signs_that_a_terminal_obeys_are_taken_out_and_nothing_else() -> None:
    lines = VisibleLines()
    own = Segment("", None, [(ControlType.BELL,)])
    given = [Segment("a\x1b[31mb\u202e"), Segment("2 × H100"), own]
    assert [one.text for one in lines.apply(given, BLACK)] == ["a[31mb", "2 × H100", ""]
    assert lines.apply(given, BLACK)[2] is own
    clean = [Segment("│ 2 × H100 ")]
    assert lines.apply(clean, BLACK) is clean


async def test_the_app_draws_through_it(app: object) -> None:
    from fleettui.tui.app import FleetApp

    assert isinstance(app, FleetApp)
    assert any(isinstance(one, VisibleLines) for one in app.get_line_filters())
