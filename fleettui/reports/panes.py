"""A page in parts: each with a title over it, one below the other where it is narrow, side by side where it is wide."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from fleettui.reports.canvas import Glyphs
from fleettui.reports.chart import Chart
from fleettui.reports.chart_text import chart_text
from fleettui.reports.text_page import Item, text_page

HEIGHT, TALLEST = 12, 24
"""Lines of a picture, and those that it has at most where lines are left."""
PLAIN: Glyphs = "ascii"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pane:
    """A part of a page: its text for a width in signs that there are, under a `title`, none where it leads.

    The text's last argument are lines more than it needs: a picture is that much taller. A part that is `beside` stands
    in a column of its own where there is room.
    """

    title: str = ""
    text: Callable[[int, Glyphs, int], str]
    beside: bool = False
    pictured: bool = False


def pane(title: str, *blocks: Sequence[Item], beside: bool = False) -> Pane:
    """Return a part that is told in blocks of lines and tables."""
    return Pane(title=title, text=lambda width, _glyphs, _more: text_page(blocks, width), beside=beside)


def picture(chart: Chart | None) -> list[Pane]:
    """Return a picture as a part beside the others, none where there is no chart; its title is the chart's own."""
    if chart is None:
        return []
    return [
        Pane(
            text=lambda width, glyphs, more: chart_text(chart, width, HEIGHT + more, glyphs),
            beside=True,
            pictured=True,
        )
    ]


def heading(title: str, width: int, *, chosen: bool = False) -> str:
    """Return the line over a part; over that which has the focus it is another.

    >>> heading("pools", 16), heading("pools", 16, chosen=True)
    ('-- pools -------', '== pools =======')
    """
    sign = "=" if chosen else "-"
    return f"{sign * 2} {title} "[:width].ljust(width, sign)


def told(
    panes: Iterable[Pane], width: int, glyphs: Glyphs = PLAIN, *, chosen: bool = False, height: int | None = None
) -> str:
    """Return parts one below the other; of a `height` in lines that they do not need, pictures take what is left."""
    parts = [(one, text) for one in panes if (text := one.text(width, glyphs, 0))]
    found = _joined(parts, width, chosen=chosen)
    pictures = sum(one.pictured for one, _ in parts)
    left = 0 if height is None else height - found.count("\n") - 1
    if not pictures or left < pictures:
        return found
    more = min(left // pictures, TALLEST - HEIGHT)
    taller = [(one, one.text(width, glyphs, more) if one.pictured else text) for one, text in parts]
    return _joined(taller, width, chosen=chosen)


def _joined(parts: Iterable[tuple[Pane, str]], width: int, *, chosen: bool) -> str:
    """Return texts one below the other, each under its title."""
    return "\n\n".join(
        "\n".join(([heading(one.title, width, chosen=chosen)] if one.title else []) + [text]) for one, text in parts
    )
