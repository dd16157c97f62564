"""View 7: marked plans side by side, or the plan that is shown beside the one it was forked from."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult

from fleettui.errors import InputError
from fleettui.reports.marked_text import Marked, marked_text
from fleettui.tui.latest import Latest
from fleettui.tui.tabs.plan_preview import look_at
from fleettui.tui.tabs.view import View
from fleettui.tui.widgets.scroll import Scroll
from fleettui.tui.widgets.text import Text

if TYPE_CHECKING:
    from store import Store

HOW = "Mark plans with space in 6 Plans, then c."
MARKED = "{} marked, the one made first is the baseline   M clears all marks"
ALONE = "The plan that is shown, {}, was forked from no other."
NO_PLAN = "No kept plan is shown: r in 2 Fleet plans the question."
WRITTEN_WIDTH = 120


class CompareView(View):
    """Which of these, and what does it cost to choose another."""

    number: ClassVar[int] = 7
    question: ClassVar[str] = "which of these plans?"
    DEFAULT_CSS = """
    CompareView {
        #compare-scroll { height: 1fr; overflow-x: hidden; scrollbar-size-vertical: 1; }
        #compare-text { height: auto; width: 1fr; }
    }
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._plans: tuple[Marked, ...] = ()
        self._change = ""

    def compose(self) -> ComposeResult:
        """Lay out what is marked, and the comparison."""
        yield Text(id="compare-status")
        with Scroll(id="compare-scroll"):
            yield Text(id="compare-text")

    def on_mount(self) -> None:
        """Be ready to read plans."""
        self._latest = Latest(self, self.fleet_app.spawn, self._look)

    def show(self) -> None:
        """Show what is marked now; the marked plans are read in a thread."""
        if self.fleet_app.store is not None:
            self._latest.want("", at_once=True)

    async def _look(self, _: str) -> None:
        marks = sorted(self.desk.marks)
        shown = "" if self.desk.shown is None else self.desk.shown.plan
        if len(marks) > 1:
            self._plans = await self.desk.engine.read(lambda store: _marked(store, marks))
        if len(marks) <= 1 or len(self._plans) <= 1:
            self._plans = ()
            width = self._width
            self._change = await self.desk.engine.read(lambda store: _change(store, shown, width))
        self._draw()

    def _draw(self) -> None:
        one = "  One is marked." if self.desk.marks else ""
        told = MARKED.format(len(self._plans)) if self._plans else HOW + one
        self.query_one("#compare-status", Text).show(told)
        self.query_one("#compare-text", Text).show(self._text(self._width))
        if self.fleet_app.number == self.number:
            self.fleet_app.draw_frame()

    @property
    def _width(self) -> int:
        return max(40, self.app.size.width - 2)

    def _text(self, width: int) -> str:
        return marked_text(self._plans, width) if self._plans else self._change

    def do_unmark(self) -> None:
        """Clear all marks."""
        self.desk.marks = frozenset()
        self.desk.changed()

    def copied(self) -> str:
        """Return the comparison."""
        return self._text(WRITTEN_WIDTH)

    def file_name(self) -> str:
        """Return the name that a written comparison has."""
        return f"compare-{'-'.join(plan.handle for plan in self._plans)}.txt" if self._plans else "change.txt"

    def impossible(self) -> frozenset[str]:
        """Leave out what has nothing to act on."""
        nothing = () if self._plans or self._change else ("copy", "write")
        return frozenset((*nothing, *(() if self.desk.marks else ("unmark",))))


def _marked(store: Store, marks: Iterable[str]) -> tuple[Marked, ...]:
    """Return the marked plans; marks of another store's plans, from before the app was left, are passed over."""
    found = []
    for plan in marks:
        with suppress(InputError):
            found.append(Marked(answer=store.plan(plan, most=1), question=store.question(plan)))
    return tuple(found)


def _change(store: Store, shown: str, width: int) -> str:
    """Return how the plan that is shown differs from its parent, or that there is nothing to compare."""
    if not shown:
        return NO_PLAN
    found = look_at(store, shown, "")
    return found.change(width) or ALONE.format(found.row.handle)
