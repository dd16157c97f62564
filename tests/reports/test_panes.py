"""A page in parts: titles over them, and where one is empty nothing stands."""

from fleettui.reports.panes import Pane, pane, picture, told


def test_parts_stand_one_below_the_other_under_their_titles() -> None:
    parts = [
        pane("", ["one"]),
        pane("two", ["three"]),
        pane("four"),
        Pane(text=lambda width, glyphs: f"{width} {glyphs}"),
    ]
    assert told(parts, 12) == "one\n\n-- two -----\nthree\n\n12 ascii"
    assert told(parts[1:2], 12, chosen=True) == "== two =====\nthree"
    assert picture(None) == []
