"""The palette: every key's action and every use case, by its words, and the best of them for what is typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from fleettui.planning.studies import commands, prompted
from fleettui.planning.studies.study_type import Command
from fleettui.planning.studies.whatif import WHATIF
from fleettui.tui import keys
from fleettui.tui.actions.studies import make_study
from fleettui.tui.keys import Shortcut
from fleettui.tui.palette_commands import ENTRIES, SYNONYMS, WHATIFS

if TYPE_CHECKING:
    from fleettui.tui.app import FleetApp


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What can be done: its name, the key that does it, empty where none does, its help, and other words for it.

    Where it asks for a line, `begin` does it with what the line says already.
    """

    name: str
    help: str
    act: Callable[[], object]
    key: str = ""
    words: str = ""
    begin: Callable[[str], object] | None = None

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
    asking = commands()

    def begin(command: Command, first: str, line: str) -> None:
        app.do(partial(make_study, app, command, f"{first}{line}"))

    for key in (*keys.keys_of(app.seen), *keys.VIEW_KEYS):
        yield _entry_of(app, key)
    for name, (help, act) in ENTRIES.items():
        begun = partial(begin, asking[name], "") if name in asking and prompted(asking[name]) else None
        yield Entry(
            name=name, help=help, act=partial(app.do, partial(act, app)), words=SYNONYMS.get(name, ""), begin=begun
        )
    for name, one in WHATIFS.items():
        act = partial(app.do, partial(one.act, app))
        begun = partial(begin, WHATIF, f"{name} ")
        yield Entry(name=name, help=one.help, act=act, words=one.words, begin=begun)


def _entry_of(app: FleetApp, key: Shortcut) -> Entry:
    name, act = key.verb.replace("_", " "), partial(app.action_do, key.verb)
    return Entry(name=name, help=key.help, act=act, key=key.shown, words=SYNONYMS.get(key.verb, ""))


def found(known: Iterable[Entry], typed: str) -> list[Entry]:
    """Return the entries that what is typed may mean, the best first; all of them, as they are, for nothing typed.

    Where it is none's words, that is meant whose name it begins with, which goes on with the rest as its line.
    """
    entries, wanted = list(known), " ".join(typed.lower().split())
    fits = [(one.fit(wanted), one) for one in entries]
    best = sorted(((fit, one) for fit, one in fits if fit is not None), key=lambda pair: pair[0])
    return [one for _, one in best] or list(_begun(entries, " ".join(typed.split())))


def _begun(known: Iterable[Entry], typed: str) -> Iterator[Entry]:
    for one in known:
        if one.begin is not None and typed.lower().startswith(f"{one.name} "):
            yield replace(one, act=partial(one.begin, typed[len(one.name) + 1 :]))
