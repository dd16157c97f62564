"""The one table of keys: it feeds bindings, footer, help, palette, README and the tests."""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding, BindingType

PLANNING_VIEWS = (1, 2, 3, 4, 5)
"""The views that show the one current plan."""
PLAN_VIEWS = (*PLANNING_VIEWS, 6, 7)
"""The views in which there is a plan to name, to hand over, to ask for its forks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key with its meaning, which is the same in every view where it works (`views`; empty: in all).

    `verb` names the action: the view's `do_VERB` where it has one, else the app's. `label` is the footer's word, empty
    where the footer leaves it out; `help` is the sentence of the help and the palette.
    """

    verb: str
    keys: str
    help: str
    label: str = ""
    views: tuple[int, ...] = ()

    @property
    def id(self) -> str:
        """The name by which a user's own keymap knows it."""
        return f"fleettui.{self.verb}"

    @property
    def shown(self) -> str:
        """The key as it stands on screen: the first of its names, in the words of a keyboard."""
        first = self.keys.split(",", maxsplit=1)[0]
        return SIGNS.get(first, first)

    def works_in(self, view: int) -> bool:
        """Return whether the key means something in a view."""
        return not self.views or view in self.views


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

VIEW_KEYS: tuple[Key, ...] = tuple(
    Key(verb=f"view_{number}", keys=str(number), help=f"view {number}: {words}")
    for number, words in enumerate(
        (
            "what traffic is planned for",
            "how many of which GPU, and at what cost",
            "what the plan says about routing",
            "what the plan says about splitting prefill from decode",
            "what the plan says about power",
            "all plans that are kept",
            "marked plans side by side",
            "what is running",
        ),
        start=1,
    )
)

KEYS: tuple[Key, ...] = (
    Key(verb="plan", keys="r", label="plan", views=PLANNING_VIEWS, help="plan the question: search, then prove"),
    Key(verb="cancel", keys="x", label="cancel", views=(*PLANNING_VIEWS, 8), help="stop work; what is done is kept"),
    Key(verb="resume", keys="R", label="resume", views=(2, 6, 8), help="go on with work that was stopped"),
    Key(verb="proof", keys="v", label="proof", views=(2, 6, 7), help="more proof, by simulation"),
    Key(verb="edit", keys="e", label="edit", views=PLANNING_VIEWS, help="edit the question, key by key"),
    Key(verb="fork", keys="f", label="what-if", views=PLANNING_VIEWS, help="a what-if: change one thing, plan beside"),
    Key(
        verb="write",
        keys="w",
        label="write",
        views=PLAN_VIEWS,
        help="write a report, data, a picture or this to a file",
    ),
    Key(
        verb="tables",
        keys="t",
        label="tables",
        views=(2, 6, 7),
        help="as tables: studies of the plan, or what the plot shows",
    ),
    Key(verb="ask", keys="a", label="ask", views=(1, 2, 3, 4, 5, 6), help="ask a new question, in five lines"),
    Key(verb="plot", keys="p", label="plot", views=(1, 2, 7), help="the next plot"),
    Key(verb="copy", keys="y", label="copy", help="copy what is shown"),
    Key(verb="open_file", keys="o", label="open", views=(1, 2, 6), help="open a trace, a workload or a question file"),
    Key(verb="mark", keys="space", label="mark", views=(6,), help="mark the plan for comparing"),
    Key(verb="unmark", keys="M", views=(6, 7), label="unmark", help="clear all marks"),
    Key(verb="filter", keys="slash", label="filter", views=(6,), help="show plans by words: azure cost<150 since:14d"),
    Key(verb="sort", keys="s", label="sort", views=(2, 6), help="sort by the next column"),
    Key(verb="reverse", keys="S", views=(2, 6), help="turn the order around"),
    Key(verb="name", keys="N", label="name", views=PLAN_VIEWS, help="name the plan, and write a note"),
    Key(verb="tag", keys="T", label="tag", views=(2, 6), help="tag the plan; -word takes a tag away"),
    Key(
        verb="forks", keys="F", label="forks", views=PLAN_VIEWS, help="what the plan was forked from, and what from it"
    ),
    Key(verb="archive", keys="A", label="archive", views=(6,), help="put the plan away; u brings it back"),
    Key(verb="undo", keys="u", label="undo", views=(*PLANNING_VIEWS, 6), help="undo the last edit or archive"),
    Key(verb="compare", keys="c", label="compare", views=(2, 6), help="see the marked plans side by side"),
    Key(verb="causes", keys="d", label="causes", views=(7,), help="what makes the second plan differ from the first"),
    Key(verb="baseline", keys="b", label="baseline", views=(7,), help="compare with the next of the plans"),
    Key(verb="every", keys="equals_sign", label="all rows", views=(7,), help="the rows that are the same in all, too"),
    Key(verb="previous", keys="left_square_bracket", views=PLANNING_VIEWS, help="the plan before this one"),
    Key(verb="next", keys="right_square_bracket", views=PLANNING_VIEWS, help="the plan after this one"),
    Key(verb="back", keys="escape", help="one level back: clear the filter, close what is open"),
    Key(verb="zoom", keys="z", views=(1, 2, 6, 7), help="make the pane with the focus large, and small again"),
    Key(verb="commands", keys="colon,ctrl+p", label="cmd", help="find any command by its words"),
    Key(verb="help", keys="question_mark", label="help", help="the keys of this view"),
    Key(verb="quit", keys="q", label="quit", help="leave; what is done is kept, what runs can be resumed"),
)
LAST = ("commands", "help", "quit")
"""The verbs that end every footer."""


FIRST: dict[int, tuple[str, ...]] = {
    6: ("mark", "compare", "filter", "sort", "tables", "write", "archive", "name", "resume"),
    7: ("plot", "tables", "write", "causes", "baseline", "every", "proof", "name", "forks", "copy"),
    8: ("cancel", "resume", "copy"),
}
"""The verbs that come first in a view, where that is not the order of the table."""


def keys_of(view: int) -> tuple[Key, ...]:
    """Return the keys that mean something in a view, in the order of the footer, those of the views left out."""
    first = FIRST.get(view, ())
    known = [key for key in KEYS if key.works_in(view)]
    return tuple(sorted(known, key=lambda key: first.index(key.verb) if key.verb in first else len(first)))


def bindings() -> list[BindingType]:
    """Return the app's bindings: every key calls `do` with its verb."""
    return [
        Binding(key.keys, f"do('{key.verb}')", key.label or key.verb, show=False, id=key.id)
        for key in (*VIEW_KEYS, *KEYS)
    ]


def footer(view: int, width: int, dim: frozenset[str] = frozenset()) -> str:
    """Return the line of keys for a view: as many as `width` holds, the last three always; `dim` verbs are left out."""
    words = {key.verb: f"{key.shown} {key.label}" for key in keys_of(view) if key.label and key.verb not in dim}
    last = "  ".join(words[verb] for verb in LAST)
    room = width - len(last)
    line = ""
    for verb, word in words.items():
        if verb in LAST:
            continue
        if len(line) + len(word) + 2 > room:
            break
        line += f"{word}  "
    return (line + last)[:width]


def markdown() -> str:
    """Return the table of README: every key, where it works, and what it does."""
    rows = [f"| `{key.shown}` | {_places(key)} | {key.help} |" for key in KEYS]
    return "\n".join(["| key | views | what it does |", "|---|---|---|", "| `1`-`8` | all | the views |", *rows])


def _places(key: Key) -> str:
    return ", ".join(map(str, key.views)) or "all"
