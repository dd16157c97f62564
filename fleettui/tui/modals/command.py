"""The palette on the screen: a line to type in, what that finds, and enter does the row under the cursor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from fleettui.tui.palette import Entry, found
from fleettui.tui.widgets import frame
from fleettui.tui.widgets.choice_list import MOVES, NONE, Lines, LinesScroll

PLACEHOLDER = "type to find a command"
NOTHING = "no command has these words"


class Command(ModalScreen[Callable[[], object] | None]):
    """Asks for one of `known`; returns what does it, or None after escape.

    The rows are those of the line as it stands: no key comes between a letter and what it finds.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "back"),
        *MOVES,
        Binding("enter", "take", "take", priority=True),
    ]

    def __init__(self, known: Sequence[Entry]) -> None:
        super().__init__()
        self._known, self._found, self._typed = known, list(known), ""

    def compose(self) -> ComposeResult:
        """Lay out the line to type in, the rows under it, and what enter does."""
        with Vertical(id="command"):
            yield Input(placeholder=PLACEHOLDER, id="command-input", compact=True)
            with LinesScroll(id="command-scroll"):
                yield Lines(id="command-rows")
            yield frame.Line(id="command-keys")

    def on_mount(self) -> None:
        """Show every row; what was told before would lie over them."""
        self.app.clear_notifications()
        rows = self.query_one(Lines)
        rows.can_focus = False
        self._show()
        self.query_one(Input).focus()

    def on_resize(self) -> None:
        """Cut the rows to the new width."""
        self.call_after_refresh(self._show)

    def on_input_changed(self) -> None:
        """Show what is found, the cursor on the best."""
        self._look()

    def action_move(self, by: int) -> None:
        """Move the cursor."""
        self._look()
        self.query_one(Lines).action_move(by)
        self._tell_keys()

    def action_take(self) -> None:
        """Do the row under the cursor; where none is found the line stays."""
        self._look()
        chosen = self._chosen
        if chosen is not None:
            self.dismiss(chosen.act)

    def on_lines_opened(self, event: Lines.Opened) -> None:
        """Do the row that is clicked."""
        event.stop()
        self.action_take()

    def on_click(self) -> None:
        """Say what enter does when the mouse has moved the cursor."""
        self.call_after_refresh(self._tell_keys)

    @property
    def _chosen(self) -> Entry | None:
        name = self.query_one(Lines).chosen
        return next((one for one in self._found if one.shown == name), None)

    def _look(self) -> None:
        """Find what the line says, where that has changed."""
        typed = self.query_one(Input).value
        if typed != self._typed:
            self._typed, self._found = typed, found(self._known, typed)
            self._show()
            self.query_one(Lines).action_move(-len(self._known))
            self._tell_keys()

    def _show(self) -> None:
        """Show the rows, each cut to one line."""
        width, room = max(len(one.shown) for one in self._known), self.size.width - len(NONE) - 1
        rows = {one.shown: f"{one.shown:<{width}}  {one.help}" for one in self._found}
        self.query_one(Lines).show(
            {name: row if len(row) <= room else f"{row[: room - 1]}…" for name, row in rows.items()}
        )
        self._tell_keys()

    def _tell_keys(self) -> None:
        """Say what each key would do now."""
        chosen = self._chosen
        does = f"enter does {chosen.name}" if chosen is not None else NOTHING
        content = frame.words(f"{does}  up down move  esc back")
        self.query_one("#command-keys", frame.Line).show(self.app.skinned(content))  # type: ignore[attr-defined]
