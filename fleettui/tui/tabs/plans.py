"""All plans that are kept, filtered and sorted, and what the one under the cursor says."""

from __future__ import annotations

from collections.abc import Mapping

from textual.app import ComposeResult

from fleettui.domain.plan import Candidate
from fleettui.errors import InputError
from fleettui.reports import units
from fleettui.reports.table import render
from fleettui.tui import turns
from fleettui.tui.actions.navigation import show_plan
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.tabs import plan_rows
from fleettui.tui.tabs.delivery import Delivery
from fleettui.tui.tabs.list_view import ListView
from fleettui.tui.tabs.plan_preview import Preview, look_at
from fleettui.tui.tabs.plan_rows import Order, PlanRows
from fleettui.tui.widgets.paged_table import PagedTable
from fleettui.tui.widgets.pane_title import PaneTitle
from fleettui.tui.widgets.scroll import Scroll
from fleettui.tui.widgets.text_lines import Text

WRITTEN_WIDTH = 120
NOT_OPEN = "The store is not open yet."
NONE_YET = "No plan is kept yet.  a asks a question, then r plans it"
ON_A_PLAN = ("proof", "resume", "mark", "compare", "name", "tag", "archive", "copy", "write", "forks")
"""What needs a plan under the cursor."""


class PlansView(ListView):
    """What was decided before, and why."""

    DEFAULT_CSS = """
    PlansView {
        #plans-query, #plans-status { height: auto; max-height: 3; }
        #plans-status { color: $warning; }
        #plans-list { height: auto; min-height: 4; max-height: 50%; }
        #plans-list.-maximized { height: 1fr; max-height: 100%; }
        #plans-title { height: 1; color: $text-muted; }
        #plans-lower { height: 1fr; overflow-x: hidden; scrollbar-size-vertical: 1; }
        #plans-preview, #plans-change { height: auto; width: 1fr; }
        &.wide #plans-lower { layout: horizontal; }
        &.wide #plans-change { padding: 0 0 0 2; }
        &.low #plans-title, &.low #plans-lower { display: none; }
        &.low #plans-list { height: 1fr; max-height: 100%; }
    }
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._rows: PlanRows | None = None
        self._preview: Preview | None = None
        self._archived: list[tuple[str, str]] = []
        self._told, self._hint = "", ""
        self._total: int | None = None

    def compose(self) -> ComposeResult:
        """Lay out the query, the list, and the preview with the change from its parent."""
        yield Text(id="plans-query")
        yield Text(id="plans-status")
        yield PagedTable(id="plans-list")
        yield PaneTitle(id="plans-title", of="plans-lower")
        with Scroll(id="plans-lower"):
            yield Text(id="plans-preview")
            yield Text(id="plans-change")

    @property
    def words(self) -> str:
        """The words of the filter."""
        return self.fleet_app.session.words

    @property
    def order(self) -> Order:
        """How the list is sorted."""
        return Order.read(self.fleet_app.session.sort)

    def selected_plan(self) -> str:
        """Return the plan under the cursor."""
        return self.table.key or ""

    async def selected_candidate(self) -> Candidate | None:
        """Return the answer of the plan under the cursor."""
        plan = self.selected_plan()
        return await self.state.thread.read(lambda store: store.candidate(plan)) if plan else None

    def show(self) -> None:
        """Show the list as it is now; what was read before stays until the new is."""
        super().show()
        store = self.fleet_app.store
        self.table.marks = self.state.marks
        if store is None:
            self.table.show(None, empty=NOT_OPEN)
            return
        self._refuse_old_words()
        opened = "" if self.state.shown is None else self.state.shown.plan
        rows = PlanRows(store=store, words=self.words, order=self.order, opened=opened, wide=self.wide)
        if rows == self._rows:
            self.table.reload()
        else:
            begins_anew = self._rows is None or (self._rows.words, self._rows.order) != (rows.words, rows.order)
            self._rows, self._hint = rows, plan_rows.NO_MATCH.format(rows.words, "") if rows.words else NONE_YET
            self.table.show(rows, empty=self._hint, keep=not begins_anew)
        self._show_query()
        if self.table.key:
            self._reader.want(self.table.key, at_once=True)

    def _refuse_old_words(self) -> None:
        """Let go of a filter from another time that is refused now, and say so."""
        try:
            plan_rows.check(self.words)
        except InputError as error:
            self._told = f"x / {self.words}: {str(error).splitlines()[0]}   / lists the words"
            self.fleet_app.session = self.fleet_app.session._replace(words="")

    def _show_query(self) -> None:
        """Show the filter, how many plans meet it, the order and the marks; under it what was last done."""
        count = self.table.count
        many = "" if count is None else units.count(count)
        found = (
            f"{many} of {'...' if self._total is None else units.count(self._total)}"
            if self.words
            else f"{many} plan{'' if count == 1 else 's'}"
            if many
            else ""
        )
        marked = f"{len(self.state.marks)} marked" if self.state.marks else ""
        parts = (f"/ filter: {self.words or 'none'}", found, f"sorted by {self.order.words}", marked)
        self.tell(query="   ".join(part for part in parts if part), status=self._told)

    async def on_paged_table_counted(self, event: PagedTable.Counted) -> None:
        """Say how many there are."""
        self._show_query()
        self.fleet_app.draw_frame()
        if self.words:
            with turns.background():
                self.fleet_app.spawn(self._count(self.words, nothing=event.count == 0))
        if not event.count:
            self._show_preview(None)

    async def _count(self, words: str, *, nothing: bool) -> None:
        """Count all plans; where none meets the filter, say which of its words would have to go."""
        thread = self.state.thread
        self._total = await thread.read(lambda store: store.count())
        hint = await thread.read(lambda store: plan_rows.no_match(store, words)) if nothing else self._hint
        if words == self.words:
            self._show_query()
            if hint != self._hint:
                self._hint = hint
                self.table.show(self._rows, empty=hint)

    def on_paged_table_opened(self, event: PagedTable.Opened) -> None:
        """Show the plan in the other views."""
        self.fleet_app.spawn(show_plan(self.fleet_app, event.key))

    async def _look(self, plan: str) -> None:
        shown = "" if self.state.shown is None else self.state.shown.plan
        found = await self.state.thread.read(lambda store: look_at(store, plan, shown))
        if self.table.key == plan:
            self._show_preview(found)

    def _show_preview(self, found: Preview | None) -> None:
        self._preview = found
        if found is None:
            self.tell(title="", preview="", change="")
        else:
            self.tell(title=self._title(found), preview=found.text(self.column), change=found.change(self.column))
        self.fleet_app.draw_frame()

    def _title(self, found: Preview) -> str:
        row = found.row
        opened = self.state.shown is not None and self.state.shown.plan == row.id
        states = (
            "open now" if opened else "",
            "marked" if row.id in self.state.marks else "",
            "" if row.finished else "not finished, R goes on",
        )
        return "   ".join(part for part in (f"{row.handle} {row.name}".strip(), *states) if part)

    async def do_filter(self) -> None:
        """Ask for the words of the filter."""
        prompt = Prompt("filter", value=self.words, help=plan_rows.accepted(), check=plan_rows.check)
        words = await self.fleet_app.push_screen_wait(prompt)
        if words is not None:
            self._set(words=" ".join(words.split()))

    def do_back(self) -> None:
        """Clear the filter."""
        self._set(words="")

    def do_sort(self) -> None:
        """Sort by the next column."""
        self._set(sort=self.order.next.text)

    def do_reverse(self) -> None:
        """Turn the order around."""
        self._set(sort=self.order.turned.text)

    def _set(self, **changes: str) -> None:
        self._told = ""
        self.fleet_app.session = self.fleet_app.session._replace(**changes)  # type: ignore[arg-type]
        self.show()

    def do_mark(self) -> None:
        """Mark the plan under the cursor, or take its mark away."""
        if plan := self.selected_plan():
            self._mark(self.state.marks ^ {plan})

    def do_unmark(self) -> None:
        """Clear all marks."""
        self._mark(frozenset())

    def _mark(self, marks: frozenset[str]) -> None:
        self.state.marks = self.table.marks = marks
        self._show_query()
        self.fleet_app.draw_frame()
        if self._preview is not None:
            self.tell(title=self._title(self._preview))

    async def do_archive(self) -> None:
        """Put the plan under the cursor away."""
        plan = self.selected_plan()
        if not plan:
            return
        row = await self.state.thread.read(lambda store: store.row(plan))
        await self.state.thread.read(lambda store: store.archive(plan))
        self._archived.append((plan, row.handle))
        self._told = f"{row.handle} is archived: no list shows it   u brings it back"
        self.show()

    async def do_undo(self) -> None:
        """Bring back the plan that was archived last."""
        if not self._archived:
            self._told = "nothing to undo: no plan was archived in this view since the app began"
        else:
            plan, handle = self._archived.pop()
            await self.state.thread.read(lambda store: store.archive(plan, archived=False))
            self._told = f"{handle} is back"
        self.show()

    def deliveries(self) -> Mapping[str, Delivery]:
        """Offer the whole list."""
        rows, read = self._rows, self.state.thread.read
        if rows is None:
            return {}

        async def text() -> str:
            return render(await read(lambda _: rows.whole()), WRITTEN_WIDTH)

        return {"text": Delivery("the list", self.file_name(), text)}

    def file_name(self) -> str:
        """Return the name that a written list has."""
        return "plans.txt"

    async def do_copy(self) -> None:
        """Copy the plan under the cursor in words, with the command that shows it again."""
        plan = self.selected_plan()
        if not plan:
            raise InputError("there is no plan here to copy")
        found = await self.state.thread.read(lambda store: look_at(store, plan, ""))
        await self.fleet_app.copy_text(f"-- {self._title(found)} --\n{found.text(80)}")

    def possible(self) -> dict[str, object]:
        """Most needs a plan under the cursor."""
        tables = self._preview is not None and self._preview.every_study
        others = {"tables": tables, "unmark": self.state.marks, "undo": self._archived}
        return {**dict.fromkeys(ON_A_PLAN, self.table.count), **others}
