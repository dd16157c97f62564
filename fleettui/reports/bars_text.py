"""Bars as lines of text with roles, for a terminal of any size and any set of characters."""

from __future__ import annotations

from fleettui.reports import units
from fleettui.reports.bars import Bars, Whole
from fleettui.reports.canvas import SERIES_ROLES, Canvas, Glyphs, Line
from fleettui.reports.table import WIDTH, wrap

EIGHTHS = " ▏▎▍▌▋▊▉█"
"""A cell filled by none to eight eighths from the left."""
GAP, SHARE = 2, 5
"""Columns between two wholes, and of a share in percent."""
HEAD = 2
"""Lines of the title and of what the wholes are."""
BAR = SERIES_ROLES[2]


def draw_bars(bars: Bars, width: int, height: int, glyphs: Glyphs) -> tuple[Line, ...]:
    """Return exactly `height` lines of exactly `width` cells; where there is little room the smallest parts go."""
    canvas = Canvas(width, height)
    rows = bars.rows(height - HEAD)
    labels = max((len(bars.labels[row]) for row in rows), default=0) + GAP
    room = (width - labels) // max(len(bars.wholes), 1)
    left = len(bars.labels) - len(rows)
    canvas.put(0, 0, bars.title + (f"   ({left} smaller left out)" if left else ""), "label")
    for number, whole in enumerate(bars.wholes):
        start = labels + number * room
        told = max((len(whole.told[row]) for row in rows), default=0)
        canvas.put(start, 1, whole.title[: room - GAP], "axis")
        for line, row in enumerate(rows, start=HEAD):
            canvas.put(0, line, bars.labels[row], "label")
            canvas.put(start, line, f"{whole.told[row]:>{told}} {_share(whole, row):>{SHARE}}", "note")
            before = told + SHARE + 2
            length = (room - GAP - before) * whole.share(row) / (bars.largest or 1.0)
            canvas.put(start + before, line, _bar(max(length, 0.0), glyphs), BAR)
    return canvas.lines()


def bars_text(bars: Bars, width: int = WIDTH, glyphs: Glyphs = "ascii") -> str:
    """Return bars as they are printed, with what is seen in words below them."""
    drawn = draw_bars(bars, width, len(bars.labels) + HEAD, glyphs)
    lines = ["".join(span.text for span in line).rstrip() for line in drawn]
    return "\n".join([*lines, *wrap(bars.summary, width)])


def _share(whole: Whole, row: int) -> str:
    return units.percent(whole.share(row)) if whole.parts[row] else "-"


def _bar(length: float, glyphs: Glyphs) -> str:
    """Return a bar of so many cells; in ASCII and in half-blocks whole ones, any part of one for what is not nothing.

    >>> _bar(2.4, "ascii"), _bar(2.5, "braille")
    ('##', '██▌')
    """
    if glyphs == "braille":
        whole, rest = divmod(round(length * 8), 8)
        return "█" * whole + EIGHTHS[rest].strip()
    return ("#" if glyphs == "ascii" else "█") * round(length)
