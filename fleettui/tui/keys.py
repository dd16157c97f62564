"""The one table of keys: it feeds bindings, footer, help, palette, README and the tests."""

from __future__ import annotations

from typing import NamedTuple

from textual.binding import Binding, BindingType

from fleettui.tui import tabs


class Shortcut(NamedTuple):
    """A key with its meaning, which is the same in every view that names its verb, or `everywhere`.

    `verb` names the action: the view's `do_VERB` where it has one, else the app's. `label` is the footer's word, empty
    where the footer leaves it out; `help` is the sentence of the help and the palette. README says in which `places`
    it works where these are not told one by one.
    """

    verb: str
    keys: str
    help: str
    label: str = ""
    everywhere: bool = False
    places: str = ""

    @property
    def id(self) -> str:
        """The name by which a user's own keymap knows it."""
        return f"fleettui.{self.verb}"

    @property
    def shown(self) -> str:
        """The key as it stands on screen: the first of its names, in the words of a keyboard."""
        first = self.keys.split(",", maxsplit=1)[0]
        return SIGNS.get(first, first)


SIGNS = {
    "question_mark": "?",
    "slash": "/",
    "colon": ":",
    "comma": ",",
    "space": "spc",
    "equals_sign": "=",
    "escape": "esc",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
}

VIEW_KEYS: tuple[Shortcut, ...] = tuple(
    Shortcut(verb=f"view_{view.name}", keys=view.key, help=f"view {view.number}: {view.answers}", everywhere=True)
    for view in tabs.VIEWS
)
"""A key per view; that of a view beyond the digits is empty, and its words alone find it."""

KEYS: tuple[Shortcut, ...] = (
    Shortcut(verb="plan", keys="r", label="plan", help="plan the question: search, then prove"),
    Shortcut(verb="cancel", keys="x", label="cancel", help="stop work; what is done is kept"),
    Shortcut(verb="resume", keys="R", label="resume", help="go on with work that was stopped"),
    Shortcut(verb="proof", keys="v", label="proof", help="more proof, by simulation"),
    Shortcut(verb="burst", keys="B", label="burst", help="a burst, or replicas that fail: what the fleet then does"),
    Shortcut(verb="take", keys="i", label="take", help="take a row of the study into the question"),
    Shortcut(verb="edit", keys="e", label="edit", help="edit the question, key by key"),
    Shortcut(verb="fork", keys="f", label="what-if", help="a what-if: change one thing, plan beside"),
    Shortcut(verb="write", keys="w", label="write", help="write a report, data, a picture or this to a file"),
    Shortcut(verb="handoff", keys="H", label="deploy", help="write what deploys the plan to a folder"),
    Shortcut(verb="tables", keys="t", label="tables", help="as tables: studies of the plan, or what the plot shows"),
    Shortcut(verb="ask", keys="a", everywhere=True, label="ask", help="ask a new question, in six lines"),
    Shortcut(verb="plot", keys="p", label="plot", help="the next plot"),
    Shortcut(verb="copy", keys="y", everywhere=True, label="copy", help="copy what is shown"),
    Shortcut(
        verb="open_file", keys="o", everywhere=True, label="open", help="open a trace, a workload or a question file"
    ),
    Shortcut(verb="mark", keys="space", label="mark", help="mark the plan for comparing"),
    Shortcut(verb="unmark", keys="M", label="unmark", help="clear all marks"),
    Shortcut(
        verb="filter",
        keys="slash",
        label="filter",
        help="show rows by words; plans by cost<150 since:14d, too",
        places="lists",
    ),
    Shortcut(verb="sort", keys="s", label="sort", help="sort by the next column"),
    Shortcut(verb="reverse", keys="S", help="turn the order around"),
    Shortcut(verb="name", keys="N", label="name", help="name the plan, and write a note"),
    Shortcut(verb="tag", keys="T", label="tag", help="tag the plan; -word takes a tag away"),
    Shortcut(verb="forks", keys="F", label="forks", help="what the plan was forked from, and what from it"),
    Shortcut(verb="archive", keys="A", label="archive", help="put the plan away; u brings it back"),
    Shortcut(verb="undo", keys="u", label="undo", help="undo the last edit or archive"),
    Shortcut(verb="compare", keys="c", label="compare", help="see the marked plans side by side"),
    Shortcut(verb="causes", keys="d", label="causes", help="what makes the second plan differ from the first"),
    Shortcut(verb="baseline", keys="b", label="baseline", help="compare with the next of the plans"),
    Shortcut(
        verb="every",
        keys="equals_sign",
        label="all rows",
        help="every row: all splits, what all have alike",
    ),
    Shortcut(verb="previous", keys="left_square_bracket", help="the plan before this one"),
    Shortcut(verb="next", keys="right_square_bracket", help="the plan after this one"),
    Shortcut(verb="back", keys="escape", everywhere=True, help="one level back: clear the filter, close what is open"),
    Shortcut(verb="zoom", keys="z", help="make the pane with the focus large, and small again"),
    Shortcut(verb="theme", keys="ctrl+t", everywhere=True, help="choose the colours: a theme"),
    Shortcut(verb="commands", keys="colon,ctrl+p", everywhere=True, label="cmd", help="find any command by its words"),
    Shortcut(verb="help", keys="question_mark", everywhere=True, label="help", help="the keys of this view"),
    Shortcut(
        verb="quit",
        keys="q",
        everywhere=True,
        label="quit",
        help="leave; what is done is kept, what is being proven goes on",
    ),
)
LAST = ("commands", "help", "quit")
"""The verbs that end every footer."""


def keys_of(view: str) -> tuple[Shortcut, ...]:
    """Return the keys that mean something in a view, in the order of the footer, those of the views left out.

    Raises KeyError for a verb of the view that no key has.
    """
    verbs, known = tabs.named(view).verbs.split(), {key.verb: key for key in KEYS}
    return (*(known[verb] for verb in verbs), *(key for key in KEYS if key.everywhere and key.verb not in verbs))


def bindings() -> list[BindingType]:
    """Return the app's bindings: every key calls `do` with its verb."""
    return [
        Binding(key.keys, f"do('{key.verb}')", key.label or key.verb, show=False, id=key.id)
        for key in (*VIEW_KEYS, *KEYS)
        if key.keys
    ]


def footer(view: str, width: int, dim: frozenset[str] = frozenset()) -> str:
    """Return the line of keys for a view: as many as `width` holds, the last three always; `dim` verbs are left out."""
    return "  ".join(footer_words(view, width, dim).values())[:width]


def footer_words(view: str, width: int, dim: frozenset[str] = frozenset()) -> dict[str, str]:
    """Return what the footer says of each of its verbs, two blanks to stand between."""
    words = {key.verb: f"{key.shown} {key.label}" for key in keys_of(view) if key.label and key.verb not in dim}
    room = width - len("  ".join(words[verb] for verb in LAST))
    found: dict[str, str] = {}
    for verb, word in words.items():
        if verb in LAST:
            continue
        room -= len(word) + len("  ")
        if room < 0:
            break
        found[verb] = word
    return found | {verb: words[verb] for verb in LAST}


def markdown() -> str:
    """Return the table of README: every key, where it works, and what it does."""
    rows = [f"| `{key.shown}` | {_places(key)} | {key.help} |" for key in KEYS]
    return "\n".join(["| key | views | what it does |", "|---|---|---|", "| digits | all | the views |", *rows])


def _places(key: Shortcut) -> str:
    """Return the views in which a key means something; those of the one plan together, where it does in all of them."""
    if key.everywhere or key.places:
        return key.places or "all"
    places = [view for view in tabs.VIEWS if key in keys_of(view.name)]
    every = all(view in places for view in tabs.VIEWS if view.of_plan)
    others = [view.title for view in places if not (every and view.of_plan)]
    return ", ".join([*(["plan views"] if every else []), *others])
