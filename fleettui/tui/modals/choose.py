"""One of a few, chosen with the cursor at the foot of the screen, or found by its words."""

from __future__ import annotations

from collections.abc import Mapping

from fleettui.tui.modals.finder import Finder
from fleettui.tui.row_words import has_words


class Choose(Finder):
    """Asks for one of `entries`, texts by name, beginning on `chosen`; returns a name, or None after escape.

    `head` stands over the entries, as the titles of their columns.
    """

    def __init__(self, label: str, entries: Mapping[str, str], *, chosen: str = "", head: str = "") -> None:
        super().__init__(label, head=head, chosen=chosen)
        self._entries = entries

    def rows(self, typed: str) -> Mapping[str, str]:
        """Return the entries that have the words."""
        return {name: text for name, text in self._entries.items() if has_words((name, text), typed)}

    def does(self, name: str) -> str:
        """Say that enter takes the entry."""
        return "enter takes it" if name else "none of these has the words"

    def take(self, name: str) -> None:
        """Return the entry's name."""
        self.dismiss(name)
