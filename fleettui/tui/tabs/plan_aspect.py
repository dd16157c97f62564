"""What views of one aspect have in common: one page about the plan that is shown, its parts side by side if wide.

A view of a sentence and a table of the pools is one method, `panes`, which returns

    [pane("", ["..."]), pane("what each pool has", [by_pool(by_formula(candidate), GPUS, figure("left", ...))])]

with what `fleettui.reports.panes`, `pools_table` and `columns` have. Of a question that says nothing to it the
parameter is called `_`. Every page names each pool that the fleet has, as `by_pool` does. Its test is

    async with seen(app, "x") as (_, view):
        assert "..." in view.copied()

by `seen` of `tests/tui/driving.py`; what holds for every view is tested of it, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.reports.panes import Pane, pane, told
from fleettui.tui.progress_text import status, superseded_words
from fleettui.tui.tabs import named
from fleettui.tui.tabs.view import View
from fleettui.tui.widgets.pane_column import PaneColumn
from fleettui.tui.widgets.text_lines import Text

ASKING = "No plan yet: a asks a question, r plans it."
NO_FLEET = (
    f"The plan has no fleet that holds, so there is nothing to say here. {named('fleet').key} shows what is nearest."
)
WIDEST = 120
"""Columns beyond which a line is hard to read."""
MAIN = 79
"""Columns of the tables where other parts stand beside them."""
WIDE_MAIN = "48%"
"""The same beside two columns, of the screen's."""
SIDE, SIDES = 118, 170
"""From how many columns on there is room for one column beside the tables, and for two."""


class AspectView(View):
    """Shows what the plan says about one aspect: the parts of a page, in as many columns as there is room for."""

    DEFAULT_CSS = f"""
    AspectView {{
        #aspect-panes {{ height: 1fr; }}
        PaneColumn {{ width: 1fr; }}
        #aspect-2, #aspect-3 {{ display: none; padding: 0 0 0 2; }}
        &.columns-2 #aspect, &.columns-3 #aspect {{ width: {MAIN}; }}
        &.columns-3 #aspect {{ width: {WIDE_MAIN}; }}
        &.columns-2 #aspect-2, &.columns-3 #aspect-2, &.columns-3 #aspect-3 {{ display: block; }}
    }}
    """
    COLUMNS: ClassVar[tuple[str, ...]] = ("aspect", "aspect-2", "aspect-3")

    def panes(self, candidate: Candidate, question: Question) -> Sequence[Pane]:
        """Return what is shown of a fleet, each pool by name; the first part says whether this changes the answer."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """Lay out the status, what leads, and the columns."""
        yield Text(id="aspect-status")
        yield Text(id="aspect-lead")
        with Horizontal(id="aspect-panes"):
            for name in self.COLUMNS:
                yield PaneColumn(id=name)

    def show(self) -> None:
        """Show the plan."""
        self.query_one("#aspect-status", Text).show(status(self.state))
        width, found = self.app.size.width, self._found()
        beside = [one for one in found if one.beside]
        count = min(1 + (width >= SIDE) + (width >= SIDES), 1 + len(beside))
        for number in range(2, len(self.COLUMNS) + 1):
            self.set_class(count == number, f"columns-{number}")
        lead = found[:1] if count > 1 else []
        self.query_one("#aspect-lead", Text).show(told(lead, width - 2) + "\n" if lead else "")
        columns = [found] if count == 1 else [[one for one in found[1:] if not one.beside], *dealt(beside, count - 1)]
        for place, column in enumerate(self.query(PaneColumn)):
            column.show(columns[place] if place < len(columns) else (), alone=count == 1)

    def _found(self) -> Sequence[Pane]:
        """Return the parts of the page, or why there is none."""
        shown = self.state.shown
        if shown is None or self.state.superseded:
            words = ASKING if shown is None else superseded_words(self.state)
            return [pane("", [words], [f"{self.entry.label} will answer: {self.entry.question}"])]
        if shown.candidate is None:
            return [pane("", [NO_FLEET])]
        return self.panes(shown.candidate, shown.question)

    def text(self, width: int) -> str:
        """Return what is shown, one part below the other."""
        return told(self._found(), min(max(width, 40), WIDEST))

    def copied(self) -> str:
        """Return what is shown."""
        return self.text(80)


def dealt(panes: Sequence[Pane], count: int) -> list[list[Pane]]:
    """Return parts in `count` columns, each the first in the column that is the shortest so far.

    >>> dealt([], 2)
    [[], []]
    """
    columns: list[list[Pane]] = [[] for _ in range(count)]
    lines = [0] * count
    for one in panes:
        place = lines.index(min(lines))
        columns[place].append(one)
        lines[place] += one.height(MAIN) + 2
    return columns
