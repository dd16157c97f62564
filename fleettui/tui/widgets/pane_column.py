"""A column of parts of a page, scrolled together; the line over each part shows whether the column has the focus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from textual.app import ComposeResult

from fleettui.reports.canvas import Glyphs
from fleettui.reports.panes import Pane, told
from fleettui.tui.widgets.scroll import Scroll
from fleettui.tui.widgets.text_lines import Text

GUTTER = 2
"""Columns of the scrollbar, and of what stands free before it."""


class PaneColumn(Scroll):
    """Shows parts one below the other in its own width; `alone` it needs no sign of the focus."""

    DEFAULT_CSS = (
        "PaneColumn { height: 100%; overflow-x: hidden; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }"
    )

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._panes: Sequence[Pane] = ()
        self._alone = True
        self._drawn: tuple[object, ...] = ()

    def compose(self) -> ComposeResult:
        """Lay out the text."""
        yield Text(id=f"{self.id}-text")

    def show(self, panes: Sequence[Pane], *, alone: bool) -> None:
        """Show `panes`."""
        self._panes, self._alone, self._drawn = panes, alone, ()
        self._draw()

    def on_resize(self) -> None:
        """Tell the same in the new width."""
        self._draw()

    def watch_has_focus(self, has_focus: bool) -> None:
        """Show whether the focus is here."""
        super().watch_has_focus(has_focus)
        if self.is_mounted:
            self._draw()

    def _draw(self) -> None:
        """Draw the parts where that is not done; what is not seen is drawn when it has its size, with `on_resize`."""
        if not self.size or not all(one.display for one in self.ancestors_with_self):
            return
        width = max(self.size.width - GUTTER, 20)
        glyphs = cast("Glyphs", self.app.glyphs)  # type: ignore[attr-defined]
        chosen = self.has_focus and not self._alone
        height = self.size.height if any(one.lines for one in self._panes) else None
        if self._drawn != (drawn := (width, height, chosen)):
            self._drawn = drawn
            self.query_one(Text).show(told(self._panes, width, glyphs, chosen=chosen, height=height))
