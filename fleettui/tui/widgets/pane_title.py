"""The line over a pane: its title, between other signs while the pane has the focus, which no colour has to tell."""

from __future__ import annotations

from fleettui.tui.widgets.text_lines import Text

SIGNS = ("--", "==")
"""What stands around a title: of a pane, and of that with the focus."""
ROOM = len("--  --")
"""Columns that the signs take."""


class PaneTitle(Text):
    """Shows the title of the pane whose id is `of`, on the same screen."""

    def __init__(self, *, id: str, of: str) -> None:
        super().__init__(id=id)
        self._of, self.title = of, ""

    def on_mount(self) -> None:
        """Follow the focus."""
        self.watch(self.screen, "focused", self._draw, init=False)

    def show(self, text: str) -> None:
        """Show a title; an empty one takes no line."""
        self.title = text
        self._draw()

    def _draw(self) -> None:
        sign = SIGNS[self._is_chosen()]
        super().show(f"{sign} {self.title} {sign}" if self.title else "")

    def _is_chosen(self) -> bool:
        focused = self.screen.focused
        return focused is not None and any(one.id == self._of for one in focused.ancestors_with_self)
