"""The question as a grid of its keys: every key with its text, its meaning, and whether it differs from the plan."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input

from fleettui.reports.question.key import Key
from fleettui.reports.question.keys import BY_NAME, GROUPS, group_of
from fleettui.tui.modals import pick
from fleettui.tui.modals.finder import Finder
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.offers import offer
from fleettui.tui.prompt_values import check_known
from fleettui.tui.row_words import has_words
from fleettui.tui.state import AppState

PLAN, LEAVE = "plan", "leave"
NAME, TEXT = max(map(len, BY_NAME)), 22
"""Characters of a key's name and of its text."""

SETS = "="
"""Stands between a key's name and what it is to be, as on the command line."""


class Grid(Finder):
    """Edits the draft; returns `plan` when the person wants it planned, else `leave`. Letters find keys."""

    DEFAULT_CSS = """
    Grid {
        #finder { height: 1fr; border: ascii $primary; }
        #finder-scroll { height: 1fr; }
        #finder-about { display: block; height: 4; color: $text-muted; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r", "plan", "plan"),
        Binding("ctrl+z", "undo", "undo", priority=True),
        Binding("delete,ctrl+d", "default", "default", priority=True),
    ]
    PLACEHOLDER = "type to find a key: budget, headroom, stock"
    SIDES = Finder.SIDES + len("||")
    OTHERS = "del default  ctrl+z undo  ctrl+r plan  esc back"

    def __init__(self, state: AppState, first: str = "slo-ttft", title: str = "") -> None:
        super().__init__(title=title or "the question", chosen=first)
        self._state = state

    def rows(self, typed: str) -> Mapping[str, str]:
        """Return the keys that have the words, those first that have them in their names.

        A slash before them is what begins a filter of other lists; what follows a "=" is the key's new text.
        """
        words = typed.removeprefix("/").partition(SETS)[0].strip()
        fits = [(key, _fit(key, self._text(key), words)) for key in ordered()]
        found = sorted(((key, fit) for key, fit in fits if fit is not None), key=lambda pair: pair[1])
        return {key.name: self._row(key) for key, _ in found}

    @property
    def others(self) -> str:
        """The other keys; while keys are looked for, escape shows all of them first."""
        return self.OTHERS.replace("esc back", "esc all") if self._typed else self.OTHERS

    def does(self, name: str) -> str:
        """Say that enter edits the key."""
        return f"enter edits {name}" if name else "no key has these words"

    def about(self, name: str) -> str:
        """Return what the key takes, what it was, and what its group is about."""
        if not name:
            return ""
        key, draft = BY_NAME[name], self._state.draft
        before = draft.base.get(name, key.default) if name in draft.changed else ""
        was = f"   was {before or '-'}" if name in draft.changed else ""
        return f"{key.hint}{was}\n{group_of(key).about}"

    def take(self, name: str) -> None:
        """Ask for the key's new text, or for one of what is known where that is listed."""
        key, draft = BY_NAME[name], self._state.draft
        _, sets, own = self.query_one(Input).value.partition(SETS)
        value, check = own.strip() if sets else draft.value(name), partial(self._take, key)
        known = offer(name, draft.value, self.app.size.width - pick.SIDES)
        if known is not None:
            self.app.push_screen(pick.Pick(name, known, value, key.hint, check), self._taken)
        else:
            self.app.push_screen(Prompt(name, value=value, help=key.hint, check=check), self._taken)

    def _take(self, key: Key, text: str) -> None:
        """Take a key's new text; raises InputError for one that does not read or names nothing that is known."""
        check_known({key.name: text})
        self._state.edit({key.name: text})

    def _taken(self, _text: str | None) -> None:
        """Show what is set now; what is typed next finds another key."""
        self.show()
        self.query_one(Input).select_all()

    def action_leave(self) -> None:
        """Show all keys again where some were looked for, else leave with the edits."""
        typed = self.query_one(Input)
        if typed.value:
            typed.value = ""
        else:
            self.dismiss(LEAVE)

    def action_plan(self) -> None:
        """Leave, and let the question be planned."""
        self.dismiss(PLAN)

    def action_default(self) -> None:
        """Give the key under the cursor its default."""
        if self.chosen:
            self._state.edit({self.chosen: ""})
            self.show()

    def action_undo(self) -> None:
        """Take the last edit back."""
        if self._state.undo():
            self.show()

    def _text(self, key: Key) -> str:
        return self._state.draft.value(key.name) or "-"

    def _row(self, key: Key) -> str:
        sign = "*" if key.name in self._state.draft.changed else " "
        return self.cut(f"{sign} {key.name:<{NAME}} {self._text(key):<{TEXT}} {key.help}")


def _fit(key: Key, text: str, typed: str) -> int | None:
    """Return how well what is typed names a key, 0 the best: its name, other words for it, anything said of it."""
    said = (key.name, f"{key.name} {SYNONYMS.get(key.name, '')}", f"{SYNONYMS.get(key.name, '')} {text} {key.help}")
    return next((fit for fit, words in enumerate(said) if has_words((key.name, words), typed)), None)


SYNONYMS: Mapping[str, str] = {
    "max-gpus": "stock inventory available",
    "prefix-hit": "cache hit share",
    "price": "cost dollars",
    "budget": "money cost",
    "availability": "failures redundancy spare",
    "failures": "mtbf redundancy",
    "repair": "mttr failures",
    "survive": "failures redundancy spare n+1",
    "rack": "zone common cause failures",
}
"""Other words by which a key is found."""


def ordered() -> tuple[Key, ...]:
    """Return every key of a question, by the groups of a question file."""
    return tuple(key for group in GROUPS for key in group.keys)
