"""The answer, its pools and reasons, the candidates, and the question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widget import Widget

from fleettui.errors import InputError
from fleettui.reports.row_text import row_question, row_screen
from fleettui.tui.progress_text import EDITED, SEARCHING, doing_lines, status, superseded_words
from fleettui.tui.tabs import named
from fleettui.tui.tabs.fleet_pictures import Pictures, of_plan
from fleettui.tui.tabs.listing import ORDERS, Listing
from fleettui.tui.tabs.view import View
from fleettui.tui.widgets.scroll import Scroll
from fleettui.tui.widgets.text_lines import Text
from fleettui.tui.work_kinds import STUDY

if TYPE_CHECKING:
    from fleettui.domain.plan import Candidate
    from fleettui.reports.bars import Bars
    from fleettui.reports.chart import Chart
    from fleettui.tui.shown import Shown
    from fleettui.tui.tabs.candidates import CandidateRows
    from fleettui.tui.tabs.delivery import Delivery
    from fleettui.tui.widgets.paged_table import PagedTable
    from fleettui.tui.widgets.pane_title import PaneTitle
    from fleettui.tui.widgets.plot import Plot
    from fleettui.tui.widgets.table_messages import Opened

EMPTY = "No candidate is kept yet."
FILTER = "words that a row has, all of them: h100 tp2, simulated, fails, the start of a name"
NO_PLAN = f"No plan yet: r plans the question below, e edits it, {named('workload').number} shows its workload."
REPLICA = "replica svg"
"""What `w` calls the pictures of the replicas."""
PLOT_SHARE = 45
"""The share of the columns in percent that the plot beside the answer has, as in the sheet."""
GUTTER = 2
"""Columns of the answer's scrollbar, and of what rounding takes."""


class FleetView(View):
    """How many of which GPU, in which pools, at what cost, how sure that is, and what else was near."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, classes="planless")
        self._chosen_order, self._reverse = "", False
        self._plotted, self._pictures = 0, Pictures()
        self._listed: tuple[object, ...] = ()
        self._rows: CandidateRows | None = None
        self._words, self._every = "", False
        self._tried = ""
        self._looked = ("", "")

    def compose(self) -> ComposeResult:
        """Lay out status, answer and the question; what only a plan fills comes with the first plan."""
        kept = Listing.read(self.fleet_app.session.candidates)
        self._chosen_order, self._reverse, self._every = kept.order, kept.reverse, kept.every
        self._plotted = int(self.fleet_app.session.plotted)
        yield Text(id="fleet-status")
        with Horizontal(id="fleet-upper"), Scroll(id="fleet-answer"):
            yield Text(id="fleet-text")
        yield Text(id="fleet-question")

    def _lay_out_plan(self) -> None:
        """Lay out titles, candidates and plots: the first frame, which is drawn before a plan is read, has none."""
        from fleettui.tui.tabs.fleet_lower import FleetLower
        from fleettui.tui.widgets.paged_table import PagedTable
        from fleettui.tui.widgets.pane_title import PaneTitle
        from fleettui.tui.widgets.plot import Plot

        lower = FleetLower(id="fleet-lower")
        self.mount(lower, before="#fleet-question")
        self.mount(PaneTitle(id="fleet-head", of="fleet-answer"), before="#fleet-upper")
        self.query_one("#fleet-upper").mount(Plot(id="fleet-side-plot"))
        lower.mount(
            PaneTitle(id="fleet-title", of="fleet-lower"), PagedTable(id="fleet-candidates"), Plot(id="fleet-plot")
        )

    @property
    def _table(self) -> PagedTable:
        return cast("PagedTable", self.query_one("#fleet-candidates"))

    def _title(self, name: str) -> PaneTitle:
        return cast("PaneTitle", self.query_one(name))

    def first_focus(self) -> Widget | None:
        """The candidates have the focus, once there were any."""
        return next(iter(self.query("#fleet-plot" if self._plotted else "#fleet-candidates")), None)

    def show(self) -> None:
        """Show the plan."""
        self.tick()
        shown = self.state.shown
        self.query_one("#fleet-question", Text).show(self._question())
        if shown is None or self.state.superseded:
            self.add_class("planless")
            self.remove_class("stale")
            self.query_one("#fleet-text", Text).show(self._without_plan())
            return
        if not self.query("#fleet-lower"):
            self._lay_out_plan()
        if self.has_class("planless"):
            self.remove_class("planless")
            self.call_after_refresh(self._take_focus)
        from fleettui.reports.plan_text import plan_screen

        width = self.app.size.width * (100 - PLOT_SHARE if self.wide else 100) // 100 - GUTTER
        whole = self.wide and self.app.size.height >= 34
        text = plan_screen(
            shown.answer,
            shown.question,
            max(width, 40),
            shown.chosen,
            whole=whole,
            finished=shown.finished,
            money=shown.money,
        )
        self.query_one("#fleet-text", Text).show(f"{EDITED}\n{text}" if self.state.edited else text)
        self._title("#fleet-head").show(f"candidate {shown.chosen.handle}" if shown.chosen else "answer")
        looked = (shown.plan, "" if shown.chosen is None else shown.chosen.candidate)
        if looked != self._looked:
            self._looked = looked
            self.query_one("#fleet-answer").scroll_home(animate=False)
        self.set_class(self.state.edited, "stale")
        self._show_candidates(shown)
        self._show_plots(shown, wide=self.wide)

    def _without_plan(self) -> str:
        """Return what stands in the answer's place while no plan is shown."""
        if self.state.shown is not None:
            return superseded_words(self.state)
        app = self.fleet_app
        if self.state.thread.alive:
            return SEARCHING
        if app.row_before is not None:
            return row_screen(app.row_before)
        return f"Opening {app.opening.text}" if app.opening.kind == "plan" and app.store is None else NO_PLAN

    def _question(self) -> str:
        """Return the question that is edited, or planned together; before a plan is read, the one of its row."""
        row = self.fleet_app.row_before
        if row is not None:
            return row_question(row)
        from fleettui.tui.question_lines import asked_lines

        return asked_lines(self.state, self.app.size.width)

    def _take_focus(self) -> None:
        """Give the focus, lost while there was no plan or the other was seen, to the candidates or their plot."""
        first = self.first_focus()
        if first is not None and self.fleet_app.seen == "fleet" and len(self.app.screen_stack) == 1:
            first.focus()

    def tick(self) -> None:
        """Show what is under way, or what the plan on screen is."""
        state = self.state
        task = state.following if state.following is not None and state.following.alive else None
        if task is None and state.shown is not None:
            task = state.task_of(state.shown.plan)
        task = task or next((one for one in reversed(state.thread.alive) if one.kind == STUDY), None)
        self.query_one("#fleet-status", Text).show(doing_lines(task, *self.app.size) if task else status(state))
        tried = task.progress.message if task is not None else ""
        if tried != self._tried and state.shown is not None and task is not None and task.plan == state.shown.plan:
            self.fleet_app.spawn(state.reload())
        self._tried = tried

    @property
    def _order(self) -> str:
        """What the candidates are sorted by: as chosen, at first by what the plan on screen has least of."""
        return self._chosen_order or self._own_order

    @property
    def _own_order(self) -> str:
        least = "cost" if self.state.shown is None else self.state.shown.question.objective
        return "rank" if least in ("cost", "energy") else least

    def _show_candidates(self, shown: Shown) -> None:
        table = self._table
        best = shown.answer.answer
        listed = (shown.plan, self._listing, best and best.candidate)
        if listed == self._listed:
            table.reload()
        else:
            self._listed = listed
            from fleettui.tui.row_words import NO_ROW
            from fleettui.tui.tabs.candidates import CandidateRows

            store = None if shown.row is None else self.fleet_app.store
            self._rows = CandidateRows(shown=shown, listing=self._listing, store=store)
            empty = NO_ROW.format(self._words) if self._words else EMPTY
            table.show(self._rows, empty=empty, keep=False)
        self._show_title()

    @property
    def _listing(self) -> Listing:
        """How the candidates are listed; by its own order the plan's answer stands first."""
        first = self._order == self._own_order and not self._reverse
        return Listing(
            order=self._order, reverse=self._reverse, words=self._words, every=self._every, answer_first=first
        )

    def on_paged_table_counted(self) -> None:
        """Say how many there are."""
        self._show_title()

    def _show_title(self) -> None:
        """Say how many fleets are listed, and how."""
        shown, count = self.state.shown, self._table.count
        if shown is None or count is None or self._rows is None:
            return
        from fleettui.tui.tabs.candidates_title import candidates_title
        from fleettui.tui.widgets.pane_title import ROOM

        room, answered = self.app.size.width - ROOM, shown.answer.answer is not None
        chosen = "" if shown.chosen is None else shown.chosen.handle
        words = candidates_title(
            self._listing, count=count, total=self._rows.total, answered=answered, chosen=chosen, width=room
        )
        self._title("#fleet-title").show(words)

    def _show_plots(self, shown: Shown, *, wide: bool) -> None:
        from fleettui.reports.candidate_chart import candidate_chart

        best = shown.candidate
        chart = candidate_chart(shown.answer.candidates, shown.question, best.candidate if best else "")
        if self._plotted > 1 and self._pictures.of != of_plan(shown):
            self._plotted = 1  # what was seen is of another fleet
        self.set_class(self._plotted > 0, "plotted")
        if self._plotted:
            pictures: tuple[Chart | Bars, ...] = (chart, *self._pictures.found)
            cast("Plot", self.query_one("#fleet-plot")).show(pictures[self._plotted - 1])
        if wide:
            cast("Plot", self.query_one("#fleet-side-plot")).show(chart)

    async def do_plot(self) -> None:
        """Go from the candidates as a table to their plot, then to the memory and the step of the plan's replicas."""
        if self._plotted == 1:
            self._pictures = await self._read_pictures()
        self._plotted = (self._plotted + 1) % (2 + len(self._pictures.found))
        self._keep()
        self._take_focus()

    async def _read_pictures(self) -> Pictures:
        """Return the pictures of the fleet that is looked at, from the hardware that its plan is kept with."""
        shown = self.state.shown
        if shown is None or shown.row is None or shown.candidate is None:
            return Pictures()
        from fleettui.planning.kept_plan import hardware_of
        from fleettui.reports.replica_bars import fleet_bars

        profiles = await self.state.thread.read(lambda store: hardware_of(store, shown.plan))
        return Pictures(of_plan(shown), fleet_bars(shown.candidate.fleet, shown.question, profiles))

    def deliveries(self) -> Mapping[str, Delivery]:
        """Return also the pictures of the plan's replicas, where it is kept."""
        from fleettui.tui.tabs.delivery import Delivery

        words = "memory and step of the replicas, as a picture"
        pictures = {REPLICA: Delivery(words, "replica.svg", self._replicas)} if self.selected_plan() else {}
        return {**super().deliveries(), **pictures}

    async def _replicas(self) -> str:
        """Return the pictures as SVG; raises InputError where there are none."""
        from fleettui.reports.bars_svg import bars_svg

        found = (await self._read_pictures()).found
        if not found:
            raise InputError("nothing is known here of which a picture could be drawn")
        return bars_svg(found)

    def do_sort(self) -> None:
        """Sort the candidates by the next column."""
        names = list(ORDERS)
        self._chosen_order = names[(names.index(self._order) + 1) % len(names)]
        self._keep()

    def do_reverse(self) -> None:
        """Turn the order of the candidates around."""
        self._reverse = not self._reverse
        self._keep()

    def do_every(self) -> None:
        """List every split of a fleet, or each fleet once again."""
        self._every = not self._every
        self._keep()

    def _keep(self) -> None:
        """Show the view as it is to be from now on, and keep that for the next start."""
        listing = Listing(order=self._chosen_order, reverse=self._reverse, every=self._every)
        app = self.fleet_app
        app.session = app.session._replace(candidates=listing.text, plotted=self._plotted == 1)
        self.show()

    async def do_filter(self) -> None:
        """Ask for the words that a candidate's row is to have."""
        from fleettui.tui.modals.prompt import Prompt

        words = await self.fleet_app.push_screen_wait(Prompt("filter", value=self._words, help=FILTER))
        if words is not None:
            self._words = " ".join(words.split())
            self.show()

    async def selected_candidate(self) -> Candidate | None:
        """Return the fleet under the cursor; beside the plot, or of a plan that is not kept, the one that is shown."""
        shown = self.state.shown
        key = None if self._plotted or shown is None or self.state.superseded else self._table.key
        if key is None or shown is None or shown.row is None:
            return await super().selected_candidate()
        return await self.state.thread.read(lambda store: store.candidate(key))

    async def on_paged_table_opened(self, event: Opened) -> None:
        """Look at the candidate under the cursor."""
        self.fleet_app.spawn(self.state.choose(event.key))

    async def on_plot_opened(self, event: Plot.Opened) -> None:
        """Look at the candidate that is chosen in the plot."""
        self.fleet_app.spawn(self.state.choose(event.key))

    async def do_back(self) -> None:
        """Go back from the plot to the table, from a candidate to the answer; clear the filter."""
        if self._plotted:
            self._plotted = 0
            self._keep()
            self._take_focus()
        elif self._words and (self.state.shown is None or self.state.shown.chosen is None):
            self._words = ""
            self.show()
        else:
            await self.state.choose("")

    def possible(self) -> dict[str, object]:
        """Proof and tags are of a stored plan, tables of a kept study; what was stopped can be resumed."""
        shown = self.state.shown
        stored = shown is not None and bool(self.selected_plan())
        resumable = shown is not None and stored and self.state.is_stopped(shown)
        tables = shown is not None and shown.studies
        return super().possible() | {"proof": stored, "tag": stored, "tables": tables, "resume": resumable}

    def copied(self) -> str:
        """Return the printed plan."""
        from fleettui.reports.plan_text import plan_text

        shown = self.state.shown
        return "" if shown is None or self.state.superseded else plan_text(shown.answer, shown.question)
