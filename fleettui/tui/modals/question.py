"""The question as a grid of its keys: every key with its text, its meaning, and whether it differs from the plan."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from fleettui.reports.canvas import Glyphs
from fleettui.reports.question.key import Key
from fleettui.reports.question.keys import BY_NAME, GROUPS, group_of
from fleettui.tui.modals import pick
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.offers import offer
from fleettui.tui.plain_signs import skinned
from fleettui.tui.prompt_values import check_known
from fleettui.tui.state import AppState
from fleettui.tui.widgets import frame

PLAN = "plan"
NAME, TEXT, SIDES = max(map(len, BY_NAME)), 22, 3
"""Characters of a key's name, of its text, and of the borders and the scrollbar beside a line."""


class Grid(ModalScreen[str]):
    """Edits the draft; returns `plan` when the person wants it planned, else `leave`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss('leave')", "back"),
        Binding("r", "dismiss('plan')", "plan"),
        Binding("u", "undo", "undo"),
        Binding("d,delete", "default", "default"),
        Binding("j", "move(1)", "down"),
        Binding("k", "move(-1)", "up"),
        Binding("g", "end(False)", "first"),
        Binding("G", "end(True)", "last"),
    ]

    def __init__(self, state: AppState, first: str = "slo-ttft", glyphs: Glyphs = "braille", title: str = "") -> None:
        super().__init__()
        self._state, self._first, self._glyphs, self._title = state, first, glyphs, title or "the question"
        self._at = ""

    def compose(self) -> ComposeResult:
        """Lay out the keys, the meaning of the one under the cursor, and what can be done."""
        with Vertical(id="grid"):
            yield OptionList(id="grid-keys", markup=False, compact=True)
            yield Static("", id="grid-help", markup=False)
            yield frame.Line(id="grid-footer")

    def on_mount(self) -> None:
        """Show every key, the cursor on the first that is wanted."""
        self.query_one("#grid", Vertical).border_title = Content(self._title)
        self.query_one("#grid-footer", frame.Line).show(frame.words("enter edit  d default  u undo  r plan  esc back"))
        self._fill(self._first)
        self.query_one(OptionList).focus()

    def on_resize(self) -> None:
        """Cut every line to the terminal's new width."""
        options = self.query_one(OptionList)
        for option in options.options:
            options.replace_option_prompt(self._key(option.id).name, self._line(self._key(option.id)))

    def _fill(self, at: str) -> None:
        options = self.query_one(OptionList)
        options.clear_options()
        for key in ordered():
            options.add_option(Option(self._line(key), id=key.name))
        options.highlighted = options.get_option_index(at)

    def _line(self, key: Key) -> Content:
        draft = self._state.draft
        sign, cursor = "*" if key.name in draft.changed else " ", ">" if key.name == self._at else " "
        text = draft.value(key.name) or "-"
        line, room = f"{sign}{cursor}{key.name:<{NAME}} {text:<{TEXT}} {key.help}", self.app.size.width - SIDES
        content = Content(line if len(line) <= room else f"{line[: room - 1]}…")
        if sign == "*":
            content = content.stylize("bold", 0, 2 + NAME + 1 + len(text))
        return skinned(content, self._glyphs)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Point to the key under the cursor, and tell what it means."""
        key, left = self._key(event.option_id), self._at
        self._at = key.name
        for name in dict.fromkeys(filter(None, (left, key.name))):
            event.option_list.replace_option_prompt(name, self._line(BY_NAME[name]))
        before = self._state.draft.base.get(key.name, key.default) if key.name in self._state.draft.changed else ""
        was = f"   was {before or '-'}" if key.name in self._state.draft.changed else ""
        self.query_one("#grid-help", Static).update(f"{key.hint}{was}\n{group_of(key).about}")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Ask for the key's new text, or for one of what is known where that is listed."""
        key = self._key(event.option_id)

        def taken(text: str | None) -> None:
            if text is not None:
                self._fill(key.name)

        draft = self._state.draft
        value, check = draft.value(key.name), partial(self._take, key)
        known = offer(key.name, draft.value, self.app.size.width - pick.SIDES)
        if known is not None:
            self.app.push_screen(pick.Pick(key.name, known, value, key.hint, check), taken)
        else:
            self.app.push_screen(Prompt(key.name, value=value, help=key.hint, check=check), taken)

    def _take(self, key: Key, text: str) -> None:
        """Take a key's new text; raises InputError for one that does not read or names nothing that is known."""
        check_known({key.name: text})
        self._state.edit({key.name: text})

    def _key(self, name: str | None) -> Key:
        assert name is not None, "every option is a key"
        return BY_NAME[name]

    def action_default(self) -> None:
        """Give the key under the cursor its default."""
        options = self.query_one(OptionList)
        option = options.highlighted_option
        if option is not None and option.id is not None:
            self._state.edit({option.id: ""})
            self._fill(option.id)

    def action_undo(self) -> None:
        """Take the last edit back."""
        option = self.query_one(OptionList).highlighted_option
        if self._state.undo() and option is not None and option.id is not None:
            self._fill(option.id)

    def action_move(self, by: int) -> None:
        """Move the cursor."""
        options = self.query_one(OptionList)
        (options.action_cursor_down if by > 0 else options.action_cursor_up)()

    def action_end(self, last: bool) -> None:
        """Move the cursor to the first or the last key."""
        options = self.query_one(OptionList)
        (options.action_last if last else options.action_first)()


def ordered() -> tuple[Key, ...]:
    """Return every key of a question, by the groups of a question file."""
    return tuple(key for group in GROUPS for key in group.keys)
