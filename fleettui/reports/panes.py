"""A page in parts: each with a title over it, one below the other where it is narrow, side by side where it is wide."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from fleettui.reports.canvas import Glyphs
from fleettui.reports.chart import Chart
from fleettui.reports.chart_text import chart_text
from fleettui.reports.in_app import items_in_app
from fleettui.reports.table import wrap
from fleettui.reports.text_page import Item, text_page

HEIGHT, TALLEST = 12, 24
"""Lines of a picture, and those that it has at most where lines are left."""
PLAIN: Glyphs = "ascii"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pane:
    """A part of a page: its text for a width in signs that there are, under a `title`, none where it leads.

    The text's last argument are lines more than it needs: a picture is that much taller. A part that is `beside` stands
    in a column of its own where there is room. A picture's `lines` tell how many it needs in a width, as it takes long
    to draw.
    """

    title: str = ""
    text: Callable[[int, Glyphs, int], str]
    beside: bool = False
    lines: Callable[[int], int] | None = None

    def height(self, width: int) -> int:
        """Return how many lines of a width the part needs under its title."""
        return len(self.text(width, PLAIN, 0).splitlines()) if self.lines is None else self.lines(width)


def pane(title: str, *blocks: Sequence[Item], beside: bool = False) -> Pane:
    """Return a part that is told in blocks of lines and tables."""
    return Pane(
        title=title, text=lambda width, _glyphs, _more: text_page(map(items_in_app, blocks), width), beside=beside
    )


def picture(chart: Chart | None) -> list[Pane]:
    """Return a picture as a part beside the others, none where there is no chart; its title is the chart's own."""
    if chart is None:
        return []
    return [
        Pane(
            text=lambda width, glyphs, more: chart_text(chart, width, HEIGHT + more, glyphs),
            beside=True,
            lines=lambda width: HEIGHT + len(wrap(chart.summary, width)),
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
    parts = [(one, "" if one.lines else one.text(width, glyphs, 0)) for one in panes]
    parts = [(one, text) for one, text in parts if text or one.lines]
    more = 0 if height is None else _left(parts, width, height)
    return _joined([(one, one.text(width, glyphs, more) if one.lines else text) for one, text in parts], width, chosen)


def _left(parts: Sequence[tuple[Pane, str]], width: int, height: int) -> int:
    """Return by how many lines each picture among the parts can be taller, so that all of them fill `height`."""
    pictures = [one.lines(width) for one, _ in parts if one.lines]
    needed = sum(pictures) + sum(text.count("\n") + 1 for one, text in parts if not one.lines)
    between = len(parts) - 1 + sum(bool(one.title) for one, _ in parts)
    left = height - needed - between
    return min(left // len(pictures), TALLEST - HEIGHT) if pictures and left >= len(pictures) else 0


def _joined(parts: Iterable[tuple[Pane, str]], width: int, chosen: bool) -> str:
    """Return texts one below the other, each under its title."""
    return "\n\n".join(
        "\n".join(([heading(one.title, width, chosen=chosen)] if one.title else []) + [text]) for one, text in parts
    )
