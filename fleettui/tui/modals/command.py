"""The palette on the screen: a line to type in, what that finds, and enter does the row under the cursor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fleettui.tui.modals.finder import Finder
from fleettui.tui.palette import Entry, found

NOTHING = "no command has these words; esc a asks a question"


class Command(Finder):
    """Asks for one of `known`; returns what does it, or None after escape."""

    PLACEHOLDER = "type to find a command"

    def __init__(self, known: Sequence[Entry]) -> None:
        super().__init__()
        self._known = known
        self._found: Sequence[Entry] = known

    def rows(self, typed: str) -> Mapping[str, str]:
        """Return the commands that what is typed may mean, each on one line."""
        width = max(len(one.shown) for one in self._known)
        self._found = found(self._known, typed)
        return {one.shown: self.cut(f"{one.shown:<{width}}  {one.help}") for one in self._found}

    def does(self, name: str) -> str:
        """Say which command enter does."""
        entry = self._entry(name)
        return NOTHING if entry is None else f"enter does {entry.name}"

    def take(self, name: str) -> None:
        """Return what does the command."""
        entry = self._entry(name)
        if entry is not None:
            self.dismiss(entry.act)

    def _entry(self, name: str) -> Entry | None:
        return next((one for one in self._found if one.shown == name), None)
