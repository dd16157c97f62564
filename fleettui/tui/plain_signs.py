"""Plain signs for a terminal without UTF-8: what Textual itself draws, and what our own words hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.content import Content
from textual.scrollbar import ScrollBar, ScrollBarRender

if TYPE_CHECKING:
    from fleettui.reports.canvas import Glyphs

ASCII = str.maketrans({"…": "~", "─": "-", "●": "*", "→": ">", "│": "|", "±": "+", "×": "x", "≤": "<", "·": "."})


class PlainBars(ScrollBarRender):
    """A scrollbar of colours alone; where it is can also be read from the text."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "] * 8


def choose_bars(glyphs: Glyphs) -> None:
    """Let every scrollbar be drawn in signs that the terminal has."""
    ScrollBar.renderer = PlainBars if glyphs == "ascii" else ScrollBarRender


def skinned(content: Content, glyphs: Glyphs) -> Content:
    """Return `content` in signs that the terminal has; none of them changes its width."""
    if glyphs != "ascii":
        return content
    return Content(content.plain.translate(ASCII), spans=list(content.spans))
