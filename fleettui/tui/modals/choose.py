"""One of a few, chosen with the cursor at the foot of the screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from fleettui.tui.widgets.choice_list import NONE, Lines, LinesScroll


class Choose(ModalScreen[str | None]):
    """Asks for one of `entries`, texts by name, beginning on `chosen`; returns a name, or None after escape.

    `head` stands over the entries, as the titles of their columns.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss", "back")]

    def __init__(self, label: str, entries: Mapping[str, str], *, chosen: str = "", head: str = "") -> None:
        super().__init__()
        self._label, self._entries, self._chosen, self._head = label, entries, chosen, head

    def compose(self) -> ComposeResult:
        """Lay out the label and the entries under it."""
        with Vertical(id="choose"):
            label = f"{self._label}   j k move, enter takes it, esc leaves it"
            yield Static(f"{label}\n{NONE}{self._head}" if self._head else label, id="choose-label", markup=False)
            with LinesScroll(id="choose-scroll"):
                yield Lines(id="choose-entries")

    def on_mount(self) -> None:
        """Show the entries, the cursor on the present one; what was told before would lie over them."""
        self.app.clear_notifications()
        entries = self.query_one(Lines)
        entries.show(self._entries)
        entries.chosen = self._chosen
        entries.focus()

    def on_lines_opened(self, event: Lines.Opened) -> None:
        """Take the entry under the cursor."""
        event.stop()
        self.dismiss(event.name)
