"""Bars as an SVG picture that needs no other file: rows of parts, one column of bars for each whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from fleettui.reports import units
from fleettui.reports.bars import Bars, Whole
from fleettui.reports.svg import COLOURS, MUTED, PAPER, text

WIDTH = 720
MARGIN, TOP, ROW, BELOW = 16, 52, 20, 34
"""Room at the sides, above the first row, of a row, and below the last."""
LETTER = 6.6
"""Width of a character of this size, on average."""
FIGURES = 110
"""Room for a part's figure and its share."""
THICK = 12


def bars_svg(pictures: Sequence[Bars]) -> str:
    """Return pictures below each other as one; their summaries in words are its description."""
    heights = [TOP + ROW * len(one.labels) + BELOW for one in pictures]
    height = sum(heights)
    title = "; ".join(one.title for one in pictures)
    summary = " ".join(one.summary for one in pictures)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
        f' role="img" aria-label="{escape(title)}" font-family="system-ui, sans-serif" font-size="12">',
        f"<desc>{escape(summary)}</desc>",
        f'<rect width="{WIDTH}" height="{height}" fill="{PAPER}"/>',
    ]
    for place, one in enumerate(pictures):
        parts += _picture(one, sum(heights[:place]))
    return "\n".join([*parts, "</svg>"])


def _picture(bars: Bars, top: float) -> Iterator[str]:
    labels = max((len(label) for label in bars.labels), default=0) * LETTER + MARGIN
    room = (WIDTH - MARGIN - labels) / max(len(bars.wholes), 1)
    yield text(MARGIN, top + 22, bars.title, size=15)
    for row, label in enumerate(bars.labels):
        yield text(MARGIN, top + TOP + ROW * row + THICK, label)
    for number, whole in enumerate(bars.wholes):
        yield from _whole(whole, bars, labels + MARGIN + number * room, room - MARGIN, top)
    yield text(MARGIN, top + TOP + ROW * len(bars.labels) + 14, bars.summary, colour=MUTED)


def _whole(whole: Whole, bars: Bars, left: float, room: float, top: float) -> Iterator[str]:
    yield text(left, top + TOP - 9, whole.title, colour=MUTED)
    for row, told in enumerate(whole.told):
        height = top + TOP + ROW * row
        share = units.percent(whole.share(row)) if whole.parts[row] else "-"
        yield text(left + FIGURES - 46, height + THICK, told, anchor="end")
        yield text(left + FIGURES - 8, height + THICK, share, anchor="end", colour=MUTED)
        length = (room - FIGURES) * whole.share(row) / (bars.largest or 1.0)
        yield (
            f'<rect x="{left + FIGURES:.1f}" y="{height + 2:.1f}" width="{length:.1f}" height="{THICK}"'
            f' fill="{COLOURS[2]}"/>'
        )
