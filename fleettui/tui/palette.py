"""The palette: every key's action and every use case, by its words, and the best of them for what is typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from fleettui.tui import keys
from fleettui.tui.keys import Shortcut
from fleettui.tui.palette_commands import ENTRIES, SYNONYMS, WHATIFS

if TYPE_CHECKING:
    from fleettui.tui.app import FleetApp


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What can be done: its name, the key that does it, empty where none does, its help, and other words for it."""

    name: str
    help: str
    act: Callable[[], object]
    key: str = ""
    words: str = ""

    @property
    def shown(self) -> str:
        """The name as it stands in the list."""
        return f"{self.name}  ({self.key})" if self.key else self.name

    def fit(self, typed: str) -> int | None:
        """Return how well what is typed names it, 0 the best; None where a word of it is nowhere here.

        >>> why = Entry(name="why", help="the reason behind each number", act=print)
        >>> why.fit("why"), why.fit("reason"), why.fit("what")
        (0, 5, None)
        """
        name, others = self.name.lower(), self.words.lower()
        if typed in (name, name.removeprefix("view ")) or typed == self.key.lower() != "":
            return 0
        if name.startswith(typed):
            return 1
        if typed in others.split():
            return 2
        if all(any(word.startswith(part) for word in name.split()) for part in typed.split()):
            return 3
        if all(part in f"{name} {others}" for part in typed.split()):
            return 4
        return 5 if all(part in f"{name} {others} {self.help.lower()}" for part in typed.split()) else None


def entries(app: FleetApp) -> Iterator[Entry]:
    """Yield what can be done: by the keys of the present view first, then every view, every use case, and what-ifs."""
    for key in (*keys.keys_of(app.seen), *keys.VIEW_KEYS):
        yield _entry_of(app, key)
    for name, (help, act) in ENTRIES.items():
        yield Entry(name=name, help=help, act=partial(app.do, partial(act, app)), words=SYNONYMS.get(name, ""))
    for name, one in WHATIFS.items():
        yield Entry(name=name, help=one.help, act=partial(app.do, partial(one.act, app)), words=one.words)


def _entry_of(app: FleetApp, key: Shortcut) -> Entry:
    name, act = key.verb.replace("_", " "), partial(app.action_do, key.verb)
    return Entry(name=name, help=key.help, act=act, key=key.shown, words=SYNONYMS.get(key.verb, ""))


def found(known: Iterable[Entry], typed: str) -> list[Entry]:
    """Return the entries that what is typed may mean, the best first; all of them, as they are, for nothing typed."""
    wanted = " ".join(typed.lower().split())
    fits = [(one.fit(wanted), one) for one in known]
    return [one for _, one in sorted(((fit, one) for fit, one in fits if fit is not None), key=lambda pair: pair[0])]
