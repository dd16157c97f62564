"""The views, in the order of their keys: a new one is an entry in VIEWS and a file here.

Those of one plan stand together, before those of all plans: a stroke parts them in the bar. A page about the plan is an
`AspectView` (`plan_aspect`, at whose head is how), with a study of it a `StudiedAspectView`, a list a `RowList`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, cast

from fleettui.errors import UnknownNameError

if TYPE_CHECKING:
    from fleettui.tui.tabs.view import View

DIGITS = "1234567890"
"""The keys of the views in their order; a view beyond the last of them is found by its words alone."""


class Entry(NamedTuple):
    """A view as keys, tab bar, footer, help, palette and README know it; its file is imported when it is first seen.

    `title` is its name in the bar, `short` the one where the line is short, the same unless given. `answers` says in
    half a line what it shows, `question` what it answers, where that needs more words. `verbs` are those of
    `fleettui.tui.keys` that mean something in it, in the order of its footer; those of a list unless given. `of_plan`
    views show the one plan. The file of a view called Cost is cost.py and the class CostView.
    """

    title: str
    answers: str
    question: str = ""
    verbs: str = "filter copy back"
    short: str = ""
    of_plan: bool = False
    number: int = 0

    @property
    def name(self) -> str:
        """The name by which the program calls it."""
        return self.title.lower()

    @property
    def key(self) -> str:
        """The key that shows it, empty beyond the digits."""
        return DIGITS[self.number - 1 : self.number]

    @property
    def label(self) -> str:
        """What messages call it: number and title, as in the bar."""
        return f"{self.number} {self.title}"


def registered(*entries: Entry) -> tuple[Entry, ...]:
    """Return the entries with their numbers, from 1; raises AssertionError where two share a name."""
    names = [entry.name for entry in entries]
    assert len(set(names)) == len(names), f"two views share a name: {names}"
    numbered = enumerate(entries, start=1)
    return tuple(
        one._replace(number=number, short=one.short or one.title, question=one.question or f"{one.answers}?")
        for number, one in numbered
    )


_ASPECT = "plan cancel edit fork write ask copy name forks undo previous next zoom"

VIEWS: tuple[Entry, ...] = registered(
    Entry(
        title="Workload",
        short="Work",
        answers="what traffic is planned for",
        question="what traffic is planned for, how is it known, and what must hold?",
        verbs="plan cancel edit fork write ask plot copy open_file name forks undo previous next back zoom",
        of_plan=True,
    ),
    Entry(
        title="Fleet",
        answers="how many of which GPU, and at what cost",
        question="how many of which GPU, in which pools, at what cost, and will it hold?",
        verbs="plan cancel resume proof edit fork write tables ask plot filter copy open_file sort reverse every name"
        " tag forks undo compare handoff previous next back zoom",
        of_plan=True,
    ),
    Entry(
        title="Routing",
        short="Route",
        answers="what routing does, and what another router changes",
        question="how do requests find their pool, and what would another router change?",
        verbs=_ASPECT.replace("cancel ", "cancel proof burst take "),
        of_plan=True,
    ),
    Entry(
        title="Disagg",
        short="Disagg",
        answers="do pools of their own for prefill and decode pay",
        question="what do prefill and decode do to each other, and do pools of their own pay?",
        verbs=_ASPECT.replace("cancel ", "cancel proof take "),
        of_plan=True,
    ),
    Entry(
        title="Power",
        short="Power",
        answers="what the fleet draws, and how deep a cap it bears",
        question="what does the fleet draw, and how deep a cap does it bear?",
        verbs=_ASPECT.replace("cancel ", "cancel proof take "),
        of_plan=True,
    ),
    Entry(
        title="Plans",
        answers="all plans that are kept",
        question="what did we decide before, and why?",
        verbs="mark compare filter sort tables write archive name resume proof ask copy open_file unmark reverse tag"
        " forks undo handoff back zoom",
    ),
    Entry(
        title="Compare",
        short="Cmp",
        answers="marked plans side by side",
        question="which of these plans?",
        verbs="plot tables write causes baseline every proof name forks copy unmark back zoom",
    ),
    Entry(
        title="Jobs",
        answers="what is running",
        question="what is running, for how much longer, and can I leave?",
        verbs="cancel resume filter copy back",
    ),
)
"""All views."""
SPAN = f"1-{len(VIEWS)}" if len(VIEWS) < len(DIGITS) else "1-9 0"
"""The keys of the views in words."""


def named(name: str) -> Entry:
    """Return the view called `name`; raises UnknownNameError listing the known ones."""
    for entry in VIEWS:
        if entry.name == name:
            return entry
    raise UnknownNameError("view", name, (entry.name for entry in VIEWS))


def make(name: str) -> View:
    """Return a new view by its name."""
    entry = named(name)
    view = getattr(import_module(f"fleettui.tui.tabs.{entry.name}"), f"{entry.title}View")
    return cast("View", view(id=f"view-{entry.name}"))
