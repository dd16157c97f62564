"""One line to type at the foot of the screen: a value, a filter, a name, a path."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from fleettui.errors import FleettuiError
from fleettui.reports.in_app import refusal_in_app
from fleettui.tui.completion import complete
from fleettui.tui.widgets.typed_line import TypedLine

if TYPE_CHECKING:
    from fleettui.tui.app import FleetApp


class Prompt(ModalScreen[str | None]):
    """Asks for one line; returns its text, or None after escape. A text that `check` refuses is not accepted.

    `refusal` is why `value`, which was typed before, was refused.
    The tab key completes its last word from `words` and, with `files`, from their names.
    """

    AUTO_FOCUS = "Input"
    DEFAULT_CSS = """
    Prompt {
        align: center bottom;
        background: $background 0%;
        #prompt { dock: bottom; height: auto; background: $surface; border-top: ascii $primary; }
        #prompt-label, #prompt-help { height: auto; }
        .refused { color: $error; }
        ToastRack { dock: top; align: right top; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "back"),
        Binding("tab", "complete", "complete", priority=True),
    ]

    def __init__(
        self,
        label: str,
        *,
        value: str = "",
        help: str = "",
        refusal: str = "",
        check: Callable[[str], object] | None = None,
        words: Iterable[str] = (),
        files: bool = True,
    ) -> None:
        super().__init__()
        self._label, self._value, self._help, self._refusal = label, value, help, refusal
        self._check = check
        self._words, self._files = tuple(words), files

    def compose(self) -> ComposeResult:
        """Lay out the help or refusal, and the line under it."""
        with Vertical(id="prompt"):
            yield Static(self._help, id="prompt-help", markup=False)
            yield Static(
                f"{self._label}   enter takes it, tab completes, esc leaves it", id="prompt-label", markup=False
            )
            yield TypedLine(self._value, id="prompt-input", compact=True)

    def on_mount(self) -> None:
        """Take away what was told before, which would lie over the help."""
        self.app.clear_notifications()
        if self._refusal:
            self._tell(f"x {self._refusal}", refused=True)

    def action_complete(self) -> None:
        """Complete the last word, and say what it may still be."""
        line = self.query_one(Input)
        found = complete(line.value, self._words, files=self._files)
        if found is not None:
            line.value = found.text
            line.cursor_position = len(line.value)
            self._tell(found.told or self._help, refused=False)

    def _tell(self, words: str, *, refused: bool) -> None:
        help_line = self.query_one("#prompt-help", Static)
        help_line.update(words)
        help_line.set_class(refused, "refused")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the text, or say why not."""
        try:
            if self._check is not None:
                self._check(event.value)
        except FleettuiError as error:
            self._tell(f"x {refusal_in_app(error)}", refused=True)
            event.input.select_all()  # what is typed next replaces the line, as it does at first
            return
        except Exception as error:  # noqa: BLE001 - told to the person; the line stays
            cast("FleetApp", self.app).tell_error(error)
            return
        self.dismiss(event.value)
