"""What runs here and elsewhere, how far it is, and what each job came to."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.timer import Timer

from fleettui.domain.job import Job
from fleettui.errors import InputError
from fleettui.reports.jobs_text import RESUMABLE, JobLine, job_text, job_title, log_text, since, state
from fleettui.tui import turns
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.row_words import NO_ROW
from fleettui.tui.tabs import named
from fleettui.tui.tabs.job_rows import Board, JobRows, task_at, task_of
from fleettui.tui.tabs.list_view import ListView
from fleettui.tui.use_case_thread import Task
from fleettui.tui.widgets.paged_table import PagedTable
from fleettui.tui.widgets.pane_title import PaneTitle
from fleettui.tui.widgets.scroll import Scroll
from fleettui.tui.widgets.text_lines import Text

LOOK = 1.0
"""Seconds between two looks at what other programs do, while they do something."""
EMPTY = f"No job yet.  {named('fleet').label}, then r plans the question: its proof is a job"
FILTER = "words that a row has, all of them: plan, why, done, stopped, the start of a handle"
NO_LOG = "its log ended with the program that did the work, or is in that one"


class JobsView(ListView):
    """What is running, how long will it take, and can I leave."""

    DEFAULT_CSS = """
    JobsView {
        #jobs-status { height: auto; max-height: 2; }
        #jobs-list { height: 1fr; min-height: 4; }
        #jobs-title { height: 1; color: $text-muted; }
        #jobs-lower { height: auto; max-height: 60%; }
        #jobs-detail { height: auto; width: 1fr; }
        #jobs-log-scroll { height: auto; max-height: 8; width: 1fr; overflow-x: hidden; scrollbar-size-vertical: 1; }
        #jobs-log { height: auto; width: 1fr; color: $text-muted; }
        &.wide #jobs-lower { layout: horizontal; height: 50%; }
        &.wide #jobs-log-scroll { max-height: 100%; padding: 0 0 0 2; }
        &.low #jobs-title, &.low #jobs-lower { display: none; }
    }
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._board = Board()
        self._rows: JobRows | None = None
        self._looking: Timer | None = None
        self._followed: Task | None = None
        self._at = self._words = ""

    def compose(self) -> ComposeResult:
        """Lay out what runs, the list, and the job under the cursor with its log."""
        yield Text(id="jobs-status")
        yield PagedTable(id="jobs-list")
        yield PaneTitle(id="jobs-title", of="jobs-lower")
        with Vertical(id="jobs-lower"):
            yield Text(id="jobs-detail")
            with Scroll(id="jobs-log-scroll"):
                yield Text(id="jobs-log")

    def on_mount(self) -> None:
        """Look at nothing by itself until something runs."""
        self._looking = self.set_interval(LOOK, self._look_again, pause=True)

    @property
    def line(self) -> JobLine | None:
        """The job under the cursor as it was read last."""
        return self._board.lines.get(self.table.key or "")

    def selected_plan(self) -> str:
        """Return the plan of the job under the cursor."""
        return "" if self.line is None else self.line.job.plan

    def show(self) -> None:
        """Show the jobs as they are now."""
        super().show()
        store = self.fleet_app.store
        if store is None:
            return
        if self._rows is not None and (self._rows.wide, self._rows.words) == (self.wide, self._words):
            self.tick()
        else:
            tasks = self.state.thread.tasks
            self._rows = JobRows(store=store, tasks=tasks, board=self._board, wide=self.wide, words=self._words)
            self.table.show(self._rows, empty=NO_ROW.format(self._words) if self._words else EMPTY)

    def tick(self) -> None:
        """Read the jobs in view and the one under the cursor again."""
        if self._rows is not None:
            with turns.background():
                self.table.reload()

    def _look_again(self) -> None:
        """Look at what other programs do; stop looking when nothing runs or nobody sees it."""
        others = any(not line.here for line in self._board.running())
        if self._looking is not None and (self.fleet_app.view is not self or not others):
            self._looking.pause()
        elif not self.state.thread.alive:
            self.tick()

    def on_paged_table_counted(self) -> None:
        """Take in what was read anew."""
        self.tell(status=self._status())
        self._go_to_what_began()
        if self.table.key:
            self._reader.want(self.table.key, at_once=True)
        else:
            self._show_detail("", "", "")
            self.fleet_app.draw_frame()
        if self._looking is not None and any(not line.here for line in self._board.running()):
            self._looking.resume()

    def _go_to_what_began(self) -> None:
        """Put the cursor on the work that was begun last, once it is listed; from a search it goes on to its job."""
        lines, tasks, following = list(self._board.lines), self.state.thread.tasks, self.state.following
        began = None if following is self._followed else following
        became = None if self._at in lines else task_at(tasks, self._at)
        for place, key in enumerate(lines):
            task = task_of(tasks, key)
            if task is not None and (task is began or task is became):
                self._followed = following if task is began else self._followed
                self.table.go_to(place)
                return

    def on_paged_table_moved(self, event: PagedTable.Moved) -> None:
        """Keep the key under the cursor."""
        self._at = event.key or ""

    def on_paged_table_opened(self) -> None:
        """Show the job's plan in the other views."""
        self.fleet_app.spawn(self._open())

    async def _open(self) -> None:
        plan = self.selected_plan()
        if not plan:
            raise InputError("there is no plan yet: it still searches")
        await self.state.open_plan(plan)
        await self.fleet_app.see("fleet")

    async def _look(self, key: str) -> None:
        line = self._board.lines.get(key)
        if line is None:
            return
        plan = line.job.plan
        best = await self.state.thread.read(lambda store: store.row(plan)) if plan else None
        if self.table.key == key:
            self._show_detail(job_title(line.job), job_text(line, best, self.column), self._log(key))
            self.fleet_app.draw_frame()

    def _log(self, key: str) -> str:
        task = task_of(self.state.thread.tasks, key)
        return NO_LOG if task is None else log_text(task.log)

    def _show_detail(self, title: str, detail: str, log: str) -> None:
        scroll = self.query_one("#jobs-log-scroll", Scroll)
        follows = scroll.is_vertical_scroll_end
        self.tell(title=title, detail=detail, log=log)
        if follows:
            scroll.scroll_end(animate=False)

    async def do_filter(self) -> None:
        """Ask for the words that a job's row is to have."""
        words = await self.fleet_app.push_screen_wait(Prompt("filter", value=self._words, help=FILTER))
        if words is not None:
            self._words = " ".join(words.split())
            self.show()

    def do_back(self) -> None:
        """Clear the filter."""
        self._words = ""
        self.show()

    def _status(self) -> str:
        """Return what runs and whether one can leave, else what ended last; before it the filter."""
        told = self._running_words()
        return f"/ filter: {self._words}   {told}".rstrip() if self._words else told

    def _running_words(self) -> str:
        running = list(self._board.running())
        here = sum(line.here for line in running)
        if not running:
            last = next((line.job for line in self._board.lines.values() if line.job.handle), None)
            ended = f"  Last: job {last.handle}, {state(last)} {since(last)} UTC." if last is not None else ""
            return f"Nothing running.{ended}  r in {named('fleet').number} starts one" if last is not None else ""
        others = f"{len(running) - here} in another program" if here < len(running) else ""
        parts = ", ".join(part for part in (f"{here} here" if here else "", others) if part)
        searches = any(line.here and not line.job.handle for line in running)
        leaving = "q stops what still searches here" if searches else "q does not stop them"
        return f"{len(running)} running: {parts}   {leaving}"

    def _selected(self) -> Job:
        if self.line is None:
            raise InputError("there is no job here")
        return self.line.job

    async def do_cancel(self) -> None:
        """Stop the job under the cursor, whoever is at work on it."""
        job = self._selected()
        task = task_of(self.state.thread.tasks, job.id)
        if task is not None and task.alive:
            await self.state.cancel(task)
        else:
            await self.state.thread.read(lambda store: store.request_cancel(job.id))
        self.tick()

    def do_resume(self) -> None:
        """Go on with the job under the cursor."""
        job = self._selected()
        if not job.handle or job.state not in RESUMABLE:
            raise InputError(f"this job is {state(job)}: there is nothing to go on with", value=job.handle or None)
        self.state.resume(job.id, job.title)

    def copied(self) -> str:
        """Return the job under the cursor in words, with its log."""
        texts = [self.query_one(f"#jobs-{name}", Text).text for name in ("title", "detail", "log")]
        return "\n".join(text for text in texts if text)

    def possible(self) -> dict[str, object]:
        """All is about the job under the cursor."""
        job = None if self.line is None else self.line.job
        stoppable = job is not None and job.state in ("running", "stopped")
        return {"cancel": stoppable, "resume": job and job.handle and job.state in RESUMABLE, "copy": job}
