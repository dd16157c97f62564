"""A page in parts: titles over them, and where one is empty nothing stands."""

from fleettui.reports.panes import HEIGHT, Pane, pane, picture, told


def test_parts_stand_one_below_the_other_under_their_titles() -> None:
    parts = [
        pane("", ["one"]),
        pane("two", ["three"]),
        pane("four"),
        Pane(text=lambda width, glyphs, _more: f"{width} {glyphs}"),
    ]
    assert told(parts, 12) == "one\n\n-- two -----\nthree\n\n12 ascii"
    assert told(parts[1:2], 12, chosen=True) == "== two =====\nthree"
    assert picture(None) == []


def test_a_picture_takes_the_lines_that_are_left_up_to_twice_its_own() -> None:
    drawn = Pane(text=lambda _width, _glyphs, more: "\n".join("|" * (HEIGHT + more)), lines=lambda _: HEIGHT)
    parts = [pane("one", ["two"]), drawn, drawn]
    own = told(parts, 20).count("\n") + 1
    assert [told(parts, 20, height=own + left).count("\n") + 1 - own for left in (-5, 1, 7, 99)] == [0, 0, 6, 24]
