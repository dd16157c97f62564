"""The palette: every key's action and every use case, found by its words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from fleettui.tui import keys
from fleettui.tui.keys import Shortcut
from fleettui.tui.palette_commands import ENTRIES

if TYPE_CHECKING:
    from fleettui.tui.app import FleetApp

Entry = tuple[str, str, Callable[[], object]]
"""The words, the help and the action of what can be done."""


def words_of(key: Shortcut) -> str:
    """Return the words by which a key is found: its verb, and the key where it has one."""
    return f"{key.verb.replace('_', ' ')}  ({key.shown})" if key.keys else key.verb.replace("_", " ")


class Commands(Provider):
    """Offers what can be done: the keys of the present view first, then every use case."""

    def entries(self) -> Iterator[Entry]:
        """Yield every entry."""
        app = cast("FleetApp", self.app)
        for key in (*keys.keys_of(app.seen), *keys.VIEW_KEYS):
            yield words_of(key), key.help, partial(app.action_do, key.verb)
        for name, (help, act) in ENTRIES.items():
            yield name, help, partial(app.do, partial(act, app))

    async def discover(self) -> Hits:
        """Offer everything before anything is typed."""
        for words, help, act in self.entries():
            yield DiscoveryHit(words, act, help=help)

    async def search(self, query: str) -> Hits:
        """Offer what the typed words fit."""
        matcher = self.matcher(query)
        for words, help, act in self.entries():
            score = max(matcher.match(words), matcher.match(help) * 0.8)
            if score > 0:
                yield Hit(score, matcher.highlight(words), act, help=help)
