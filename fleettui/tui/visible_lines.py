"""What reaches the terminal of a text that the app did not write: no sign that a terminal would obey."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.segment import Segment
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter

from fleettui.visible import UNSEEN, has_unseen


class VisibleLines(LineFilter):
    """Takes such signs, which have no width of their own, out of every line that is drawn."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's signature
        """Return the segments without them."""
        if not any(has_unseen(one.text) for one in segments if not one.control):
            return segments
        return [one if one.control else Segment(re.sub(UNSEEN, "", one.text), one.style) for one in segments]


class VisibleApp(App[int]):
    """An app whose every line goes through that."""

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return what lines go through."""
        return (*super().get_line_filters(), _VISIBLE)


_VISIBLE = VisibleLines()
