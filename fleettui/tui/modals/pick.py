"""One of many or several of them, searched for as one types, each with the few facts that decide."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from fleettui.errors import FleettuiError
from fleettui.reports.in_app import refusal_in_app
from fleettui.tui.offers import MARK, Offer, parts
from fleettui.tui.widgets import frame
from fleettui.tui.widgets.choice_list import MOVES, NONE, Lines, LinesScroll

MARKED, UNMARKED = "+".ljust(MARK), "".ljust(MARK)
"""What stands before a row of which several can be taken."""
SIDES = len(NONE) + 1
"""Columns beside a row: the cursor and the scrollbar."""
TYPE = "type to search"


class Search(Input):
    """The line to type in; a blank is a key of the screen first."""

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Return whether a key is typed here, whatever it means elsewhere."""
        return key != "space" and super().check_consume_key(key, character)


class Pick(ModalScreen[str | None]):
    """Asks for what `offer` holds, beginning with `value`; returns the names that are taken, or None after escape.

    Enter takes the row under the cursor, or those that are marked once one is; where no row has what is typed, it
    takes that, too. What `check` refuses is not taken, and the refusal is told; `refusal` is why `value`, which was
    taken before, was refused.
    """

    DEFAULT_CSS = """
    Pick {
        align: center bottom;
        background: $background 0%;
        #pick { dock: bottom; height: auto; max-height: 100%; background: $surface; border-top: ascii $primary; }
        #pick-help { height: auto; max-height: 4; }
        #pick-head { height: auto; color: $text-muted; }
        .refused { color: $error; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "back"),
        *MOVES,
        Binding("space", "mark", "mark", priority=True),
        Binding("enter", "take", "take", priority=True),
    ]

    def __init__(
        self, label: str, offer: Offer, value: str, help: str, check: Callable[[str], object], *, refusal: str = ""
    ) -> None:
        super().__init__()
        self._label, self._offer, self._check, self._refusal = label, offer, check, refusal
        self._help = "; ".join(filter(None, (help, offer.note)))
        self._marks: dict[str, None] = dict.fromkeys(parts(value, several=offer.several))
        self._pointed = self._marking = False

    def compose(self) -> ComposeResult:
        """Lay out what is asked for, the rows, the line to type in, and what enter takes."""
        indent = NONE + (UNMARKED if self._offer.several else "")
        with Vertical(id="pick"):
            yield Static(self._help, id="pick-help", markup=False)
            yield Static(f"{indent}{self._offer.head}", id="pick-head", markup=False)
            with LinesScroll(id="pick-scroll"):
                yield Lines(id="pick-rows")
            yield Search(placeholder=TYPE, id="pick-input", compact=True)
            yield frame.Line(id="pick-keys")

    def on_mount(self) -> None:
        """Show every row, the cursor on what is given now; what was told before would lie over them."""
        self.app.clear_notifications()
        self.query_one("#pick", Vertical).border_title = Content(self._label)
        self.query_one("#pick-rows", Lines).can_focus = False
        self._show()
        self._rows.chosen = next(iter(self._marks), "")
        self._tell_keys()
        if self._refusal:
            self._tell(f"x {self._refusal}", refused=True)
        self.query_one(Input).focus()

    @property
    def _rows(self) -> Lines:
        return self.query_one(Lines)

    @property
    def _typed(self) -> str:
        return self.query_one(Input).value.strip()

    @property
    def _by_marks(self) -> bool:
        """Whether enter takes what is marked: once something was marked here, or while nothing was looked for."""
        return self._offer.several and (self._marking or not self._pointed)

    def _taken(self) -> str:
        typed = "" if self._rows.chosen else self._typed
        if self._by_marks:
            return ",".join(filter(None, (*self._marks, typed)))
        return self._rows.chosen or typed

    def _show(self) -> None:
        several = self._offer.several
        rows = self._offer.found(self._typed)
        self._rows.show({name: self._marked(name, row) if several else row for name, row in rows.items()})

    def _marked(self, name: str, row: str) -> str:
        first, *others = row.split("\n")
        sign = MARKED if name in self._marks else UNMARKED
        return "\n".join([sign + first, *(UNMARKED + line for line in others)])

    def _tell_keys(self) -> None:
        """Say what each key would do now; what enter takes is cut where there is no room for it."""
        at, marked = self._rows.chosen, self._rows.chosen in self._marks
        mark = [f"spc {'unmarks' if marked else 'marks'} {at}"] if self._offer.several and at else []
        others = [*mark, "up down move", "esc back"]
        room = self.size.width - len("  ".join(others)) - len("enter takes ") - 6
        taken = self._taken() or self._offer.none or "nothing"
        taken = taken if len(taken) <= room else f"{taken[: max(room - 1, 1)]}…"
        content = frame.words("  ".join([f"enter takes {taken}", *others]))
        self.query_one("#pick-keys", frame.Line).show(self.app.skinned(content))  # type: ignore[attr-defined]

    def on_input_changed(self) -> None:
        """Show the rows that have what is typed, the cursor on the first."""
        if self._typed:
            self._pointed = True
        self._show()
        self._rows.action_move(-len(self._offer.rows))
        self._tell(self._help, refused=False)
        self._tell_keys()

    def action_move(self, by: int) -> None:
        """Move the cursor."""
        self._pointed = True
        self._rows.action_move(by)
        self._tell_keys()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - Textual's
        """Let a blank be typed where nothing is to be marked."""
        return action != "mark" or (self._offer.several and bool(self._rows.chosen))

    def action_mark(self) -> None:
        """Mark the row under the cursor, or no longer; every row is shown again."""
        name, line = self._rows.chosen, self.query_one(Input)
        if name in self._marks:
            del self._marks[name]
        else:
            self._marks[name] = None
        self._marking = True
        with self.prevent(Input.Changed):
            line.value = ""
        self._show()
        self._rows.chosen = name
        self._tell_keys()

    def action_take(self) -> None:
        """Take what the line of keys says, or say why not."""
        taken = self._taken()
        if not taken and not self._offer.none:
            self.dismiss(None)
            return
        try:
            self._check(taken)
        except FleettuiError as error:
            self._tell(f"x {refusal_in_app(error)}", refused=True)
            self.query_one(Input).select_all()  # what is typed next replaces the line
            return
        self.dismiss(taken)

    def on_lines_opened(self, event: Lines.Opened) -> None:
        """Take the row that is clicked."""
        event.stop()
        self.action_take()

    def on_click(self) -> None:
        """Say what enter takes when the mouse has moved the cursor."""
        self._pointed = True
        self.call_after_refresh(self._tell_keys)

    def _tell(self, words: str, *, refused: bool) -> None:
        line = self.query_one("#pick-help", Static)
        line.update(words)
        line.set_class(refused, "refused")
