"""A few named entries of one or more lines, of which one bears the cursor `>`: to look at, and to choose from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.containers import ScrollableContainer, VerticalScroll
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.widgets import Static

PAGE = 8
"""Rows that a page key moves by beside a line that is typed in."""
MOVES: tuple[Binding, ...] = (
    Binding("up", "move(-1)", "row before", priority=True),
    Binding("down", "move(1)", "next row", priority=True),
    Binding("pageup", f"move(-{PAGE})", "page before", priority=True),
    Binding("pagedown", f"move({PAGE})", "next page", priority=True),
)
"""The keys that move a cursor while another line is typed in."""

CURSOR, NONE = "> ", "  "
"""What stands before an entry: its first line under the cursor, and all other lines."""


class LinesScroll(VerticalScroll, can_focus=False):
    """As tall as the entries that it holds, but three fifths of the screen at most; beyond that they scroll.

    The entries have the focus, or whatever moves their cursor: no key scrolls them by itself.
    """

    DEFAULT_CSS = "LinesScroll { height: auto; overflow-x: hidden; scrollbar-size-vertical: 1; }"

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the entries' height as far as there is room: a bound in the sheet does not bind what holds this."""
        return min(super().get_content_height(container, viewport, width), viewport.height * 3 // 5)


class Lines(Static, can_focus=True):
    """Shows entries; j and k move over them, enter or a click on the one under the cursor opens it."""

    DEFAULT_CSS = "Lines { height: auto; width: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "Next line", id="lines.down", show=False),
        Binding("k,up", "move(-1)", "Line before", id="lines.up", show=False),
        Binding("g,home", "move(-99)", "First line", id="lines.first", show=False),
        Binding("G,end", "move(99)", "Last line", id="lines.last", show=False),
        Binding("enter", "open", "Open", id="lines.open", show=False),
    ]

    class Opened(Message):
        """An entry was asked for."""

        def __init__(self, lines: Lines, name: str) -> None:
            super().__init__()
            self.lines, self.name = lines, name

        @property
        def control(self) -> Lines:
            """Return the entries it happened in."""
            return self.lines

    def __init__(self, *, id: str) -> None:
        super().__init__("", id=id, markup=False)
        self._entries: dict[str, str] = {}
        self._at = 0

    def show(self, entries: Mapping[str, str]) -> None:
        """Show the texts of `entries`, by name; the cursor stays where it is."""
        if list(entries.items()) != list(self._entries.items()):
            self._entries = dict(entries)
            self.action_move(0)

    @property
    def chosen(self) -> str:
        """The name of the entry under the cursor, empty where there is none."""
        return list(self._entries)[self._at] if self._entries else ""

    @chosen.setter
    def chosen(self, name: str) -> None:
        if name in self._entries:
            self.action_move(list(self._entries).index(name) - self._at)

    def action_move(self, by: int) -> None:
        """Move the cursor, as far as there are entries."""
        self._at = min(max(self._at + by, 0), max(len(self._entries) - 1, 0))
        content = Content("\n").join(self._drawn(place, text) for place, text in enumerate(self._entries.values()))
        self.update(self.app.skinned(content))  # type: ignore[attr-defined]
        self.call_after_refresh(self._keep_in_sight)

    def _keep_in_sight(self) -> None:
        """Scroll whatever holds more entries than it can show to the one under the cursor."""
        if isinstance(self.parent, ScrollableContainer) and self._entries:
            heights = [text.count("\n") + 1 for text in self._entries.values()]
            cursor = Region(0, sum(heights[: self._at]), 1, heights[self._at])
            self.parent.scroll_to_region(cursor, animate=False)

    def action_open(self) -> None:
        """Ask for the entry under the cursor."""
        if self._entries:
            self.post_message(self.Opened(self, self.chosen))

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the entry that is clicked, or open it where it is there already."""
        places = [place for place, text in enumerate(self._entries.values()) for _ in text.split("\n")]
        if event.y >= len(places):
            return
        if places[event.y] == self._at:
            self.action_open()
        self.action_move(places[event.y] - self._at)

    def _drawn(self, place: int, text: str) -> Content:
        first, *others = text.split("\n")
        whole = "\n".join([(CURSOR if place == self._at else NONE) + first, *(NONE + line for line in others)])
        return Content(whole).stylize("bold", 0, len(CURSOR) + len(first)) if place == self._at else Content(whole)
