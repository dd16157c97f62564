"""A page in parts: each with a title over it, one below the other where it is narrow, side by side where it is wide."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from fleettui.reports.canvas import Glyphs
from fleettui.reports.chart import Chart
from fleettui.reports.chart_text import chart_text
from fleettui.reports.text_page import Item, text_page

HEIGHT = 12
"""Lines of a picture."""
PLAIN: Glyphs = "ascii"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pane:
    """A part of a page: its text for a width in signs that there are, under a `title`, none where it leads.

    One that is `beside` stands in a column of its own where there is room.
    """

    title: str = ""
    text: Callable[[int, Glyphs], str]
    beside: bool = False


def pane(title: str, *blocks: Sequence[Item], beside: bool = False) -> Pane:
    """Return a part that is told in blocks of lines and tables."""
    return Pane(title=title, text=lambda width, _: text_page(blocks, width), beside=beside)


def picture(chart: Chart | None) -> list[Pane]:
    """Return a picture as a part beside the others, none where there is no chart; its title is the chart's own."""
    if chart is None:
        return []
    return [Pane(text=lambda width, glyphs: chart_text(chart, width, HEIGHT, glyphs), beside=True)]


def heading(title: str, width: int, *, chosen: bool = False) -> str:
    """Return the line over a part; over that which has the focus it is another.

    >>> heading("pools", 16), heading("pools", 16, chosen=True)
    ('-- pools -------', '== pools =======')
    """
    sign = "=" if chosen else "-"
    return f"{sign * 2} {title} "[:width].ljust(width, sign)


def told(panes: Iterable[Pane], width: int, glyphs: Glyphs = PLAIN, *, chosen: bool = False) -> str:
    """Return parts one below the other."""
    parts = [
        "\n".join(([heading(one.title, width, chosen=chosen)] if one.title else []) + [text])
        for one in panes
        if (text := one.text(width, glyphs))
    ]
    return "\n\n".join(parts)
