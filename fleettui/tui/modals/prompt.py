"""One line to type at the foot of the screen: a value, a filter, a name, a path."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from fleettui.errors import FleettuiError

if TYPE_CHECKING:
    from fleettui.tui.app import FleetApp


class Prompt(ModalScreen[str | None]):
    """Asks for one line; returns its text, or None after escape. A text that `check` refuses is not accepted."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "back")]

    def __init__(
        self, label: str, *, value: str = "", help: str = "", check: Callable[[str], object] | None = None
    ) -> None:
        super().__init__()
        self._label, self._value, self._help, self._check = label, value, help, check

    def compose(self) -> ComposeResult:
        """Lay out the help or refusal, and the line under it."""
        with Vertical(id="prompt"):
            yield Static(self._help, id="prompt-help", markup=False)
            yield Static(f"{self._label}   enter takes it, esc leaves it", id="prompt-label", markup=False)
            yield Input(self._value, id="prompt-input", compact=True, select_on_focus=True)

    def on_mount(self) -> None:
        """Take away what was told before, which would lie over the help."""
        self.app.clear_notifications()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the text, or say why not."""
        try:
            if self._check is not None:
                self._check(event.value)
        except FleettuiError as error:
            help_line = self.query_one("#prompt-help", Static)
            help_line.update(f"x {error}")
            help_line.add_class("refused")
            return
        except Exception as error:  # noqa: BLE001 - told to the person; the line stays
            cast("FleetApp", self.app).tell_error(error)
            return
        self.dismiss(event.value)
