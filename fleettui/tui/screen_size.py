"""The screen of the frame, and classes of screens by their size, for which the sheet has rules of their own."""

from __future__ import annotations

from typing import Any

from textual.geometry import Size
from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget

WIDE = 100
"""Columns from which on two panes stand beside each other."""
COLUMNS = [(0, "-narrow"), (WIDE, "-wide")]
LINES = [(0, "-tiny"), (20, "-low"), (30, "-tall")]
"""From how many columns and lines on a screen is of which class."""


class FrameScreen(Screen[object]):
    """The screen of the frame: a focus that moves is drawn by what has it and had it, which alone look otherwise."""

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)


def classed(screen: Screen[Any], size: Size) -> Screen[Any]:
    """Return `screen` in the classes of `size`, which Textual gives it only once it was drawn without them."""
    for cells, classes in zip(size, (COLUMNS, LINES), strict=True):
        screen.add_class(max(one for one in classes if one[0] <= cells)[1], update=False)
    return screen
