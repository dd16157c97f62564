"""Plain signs are as wide as those that they stand for, and styles stay."""

from textual.content import Content
from textual.scrollbar import ScrollBar, ScrollBarRender

from fleettui.tui.plain_signs import ASCII, PlainBars, choose_bars, skinned


def test_every_sign_has_one_plain_sign() -> None:
    assert all(len(chr(sign)) == len(plain) == 1 and plain.isascii() for sign, plain in ASCII.items())


def test_content_keeps_its_styles() -> None:
    content = Content("● 1 job…").stylize("bold", 0, 1)
    plain = skinned(content, "ascii")
    assert (plain.plain, plain.spans) == ("* 1 job~", content.spans)
    assert skinned(content, "braille") is content


def test_scrollbars_are_blank_only_where_they_must_be() -> None:
    choose_bars("ascii")
    assert ScrollBar.renderer is PlainBars
    assert set("".join(PlainBars.VERTICAL_BARS + PlainBars.HORIZONTAL_BARS)) == {" "}
    choose_bars("braille")
    assert ScrollBar.renderer is ScrollBarRender
