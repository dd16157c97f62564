"""Text that is longer than its place: scrolled by the keys of every list, line by line."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll


class Scroll(VerticalScroll):
    """Scrolls with j and k, g and G, as tables do; its left edge shows the focus."""

    ALLOW_MAXIMIZE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "down", show=False, id="scroll.down"),
        Binding("k", "scroll_up", "up", show=False, id="scroll.up"),
        Binding("g", "scroll_home", "first", show=False, id="scroll.first"),
        Binding("G", "scroll_end", "last", show=False, id="scroll.last"),
    ]
    DEFAULT_CSS = "Scroll:focus { background-tint: $foreground 12%; }"
