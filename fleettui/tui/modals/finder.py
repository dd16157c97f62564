"""Rows that are found by their words as one types: up and down move, enter takes the row under the cursor."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from fleettui.tui.widgets import frame
from fleettui.tui.widgets.choice_list import MOVES, NONE, Lines, LinesScroll


class Finder(ModalScreen[Any]):
    """A line to type in, and under it the rows that have those words; what they are a subclass says.

    The rows are those of the line as it stands: no key comes between a letter and what it finds. Every letter is
    typed, so all that can be done here is done by other keys.
    """

    DEFAULT_CSS = """
    Finder {
        align: center bottom;
        background: $background 0%;
        #finder { dock: bottom; height: auto; max-height: 100%; background: $surface; border-top: ascii $primary; }
        #finder-label, #finder-head { height: auto; }
        #finder-head { color: $text-muted; }
        #finder-about { display: none; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "back"),
        *MOVES,
        Binding("enter", "take", "take", priority=True),
    ]
    PLACEHOLDER = "type to find a row"
    OTHERS = "up down move  esc back"
    """The other keys, as the last line tells them unless `others` has it otherwise."""
    SIDES = len(NONE) + 1
    """Columns beside a row: the cursor and the scrollbar, and borders where there are any."""

    def __init__(self, label: str = "", *, head: str = "", title: str = "", chosen: str = "") -> None:
        super().__init__()
        self._label, self._head, self._title, self._begins = label, head, title, chosen
        self._typed = ""

    @abstractmethod
    def rows(self, typed: str) -> Mapping[str, str]:
        """Return the rows that what is typed may mean, by name, the best first; all of them for nothing typed."""

    @abstractmethod
    def does(self, name: str) -> str:
        """Say what enter does with the row called `name`; with none, which is empty, why nothing."""

    @abstractmethod
    def take(self, name: str) -> None:
        """Do what enter does with a row."""

    @property
    def others(self) -> str:
        """The other keys, as the last line tells them now."""
        return self.OTHERS

    def about(self, name: str) -> str:  # noqa: ARG002 - a subclass's
        """Return what else is to be known of the row under the cursor."""
        return ""

    def compose(self) -> ComposeResult:
        """Lay out the label, the line to type in, the rows with their heads, and what enter does."""
        with Vertical(id="finder"):
            if self._label:
                yield Static(self._label, id="finder-label", markup=False)
            yield Input(placeholder=self.PLACEHOLDER, id="finder-input", compact=True)
            if self._head:
                yield Static(f"{NONE}{self._head}", id="finder-head", markup=False)
            with LinesScroll(id="finder-scroll"):
                yield Lines(id="finder-rows")
            yield Static("", id="finder-about", markup=False)
            yield frame.Line(id="finder-keys")

    def on_mount(self) -> None:
        """Show every row; what was told before would lie over them."""
        self.app.clear_notifications()
        if self._title:
            self.query_one("#finder", Vertical).border_title = Content(self._title)
        self._lines.can_focus = False
        self.show()
        self._lines.chosen = self._begins
        self.tell()
        self.query_one(Input).focus()

    def on_resize(self) -> None:
        """Fit the rows to the new width."""
        self.call_after_refresh(self.show)

    def on_input_changed(self) -> None:
        """Show what is found, the cursor on the best."""
        self._look()

    def action_move(self, by: int) -> None:
        """Move the cursor."""
        self._look()
        self._lines.action_move(by)
        self.tell()

    def action_take(self) -> None:
        """Take the row under the cursor; where none is found the line stays."""
        self._look()
        if self.chosen:
            self.take(self.chosen)

    def action_leave(self) -> None:
        """Leave, and take nothing."""
        self.dismiss(None)

    def on_lines_opened(self, event: Lines.Opened) -> None:
        """Take the row that is clicked."""
        event.stop()
        self.action_take()

    def on_click(self) -> None:
        """Say what enter does when the mouse has moved the cursor."""
        self.call_after_refresh(self.tell)

    @property
    def chosen(self) -> str:
        """The name of the row under the cursor, empty where there is none."""
        return self._lines.chosen

    @property
    def _lines(self) -> Lines:
        return self.query_one(Lines)

    @property
    def room(self) -> int:
        """The columns that a row has."""
        return self.size.width - self.SIDES

    def cut(self, row: str) -> str:
        """Return a row cut to one line."""
        return row if len(row) <= self.room else f"{row[: self.room - 1]}…"

    def show(self) -> None:
        """Show the rows as they are now."""
        self._lines.show(self.rows(self._typed))
        self.tell()

    def _look(self) -> None:
        """Find what the line says, where that has changed."""
        typed = self.query_one(Input).value
        if typed != self._typed:
            self._typed = typed
            self.show()
            self._lines.chosen = next(iter(self.rows(typed)), "")
            self.tell()

    def tell(self) -> None:
        """Say what each key would do now, and what is to be known of the row under the cursor."""
        about, chosen = self.about(self.chosen), self.chosen
        self.query_one("#finder-about", Static).update(about)
        content = frame.words(f"{self.does(chosen)}  {self.others}")
        self.query_one("#finder-keys", frame.Line).show(self.app.skinned(content))  # type: ignore[attr-defined]
