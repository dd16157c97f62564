"""What runs here and elsewhere, how far it is, and what each job came to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from textual.timer import Timer
from textual.widget import Widget

from fleettui.domain.job import Job
from fleettui.errors import InputError, WorkerError
from fleettui.planning.hand_over import hand_over
from fleettui.reports.jobs_text import RESUMABLE, JobLine, job_text, job_title, jobs_page, log_text, since, state
from fleettui.tui.actions.navigation import show_plan
from fleettui.tui.tabs import named
from fleettui.tui.tabs.job_rows import Jobs, task_at, task_of
from fleettui.tui.tabs.list_rows import ListRows
from fleettui.tui.tabs.row_list import RowList
from fleettui.tui.task import Task
from fleettui.tui.widgets.paged_table import PagedTable
from fleettui.tui.widgets.scroll import Scroll
from fleettui.tui.widgets.text_lines import Text

LOOK = 1.0
"""Seconds between two looks at what other programs do, while they do something."""
NO_LOG = "its log is in the program that did the work, while that runs"


class JobsView(RowList[JobLine]):
    """What is running, how long will it take, and can I leave."""

    DEFAULT_CSS = """
    JobsView {
        #jobs-log-scroll { height: auto; max-height: 8; width: 1fr; overflow-x: hidden; scrollbar-size-vertical: 1; }
        #jobs-log { height: auto; width: 1fr; color: $text-muted; }
        &.wide #jobs-log-scroll { max-height: 100%; padding: 0 0 0 2; }
    }
    """
    empty = f"No job yet.  {named('fleet').label}, then r plans the question: its proof is a job"
    filter_help = "words that a row has, all of them: plan, why, done, stopped, the start of a handle"

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._jobs: Jobs | None = None
        self._looking: Timer | None = None
        self._followed: Task | None = None
        self._at = ""

    def beside(self) -> Iterator[Widget]:
        """Yield the log of the job under the cursor."""
        yield Scroll(Text(id="jobs-log"), id="jobs-log-scroll")

    def on_mount(self) -> None:
        """Look at nothing by itself until something runs."""
        self._looking = self.set_interval(LOOK, self._look_again, pause=True)

    def rows(self) -> ListRows[JobLine]:
        """Return the jobs; how fast they are is known from one reading to the next."""
        known = self._jobs
        jobs = Jobs(store=self.store, tasks=self.state.thread.tasks)
        if known is not None:
            jobs.handles, jobs.pace = known.handles, known.pace
        self._jobs = jobs
        return ListRows(
            many=jobs.count,
            read=jobs.read,
            key=lambda line: line.job.id,
            tell=partial(jobs_page, wide=self.wide),
            whole=jobs_page,
        )

    def selected_plan(self) -> str:
        """Return the plan of the job under the cursor."""
        return "" if self.line is None else self.line.job.plan

    def _look_again(self) -> None:
        """Look at what other programs do; stop looking when nothing runs or nobody sees it."""
        others = any(not line.here for line in self._at_work())
        if self._looking is not None and (self.fleet_app.view is not self or not others):
            self._looking.pause()
        elif not self.state.thread.alive:
            self.tick()

    def on_paged_table_counted(self) -> None:
        """Go to what began, and go on looking while others run; without a row there is no log."""
        self._go_to_what_began()
        if not self.table.key:
            self.tell(log="")
        if self._looking is not None and any(not line.here for line in self._at_work()):
            self._looking.resume()

    def _at_work(self) -> Iterator[JobLine]:
        """Yield the lines of what was at work."""
        lines = () if self._rows is None else self._rows.lines.values()
        return (line for line in lines if line.job.state == "running")

    def _go_to_what_began(self) -> None:
        """Put the cursor on the work that was begun last, once it is listed; from a search it goes on to its job."""
        lines = [] if self._rows is None else list(self._rows.lines)
        tasks, following, followed = self.state.thread.tasks, self.state.following, self._followed
        at_work = [*self.state.thread.alive, *([] if following is None else [following])]
        newest = max(at_work, key=lambda task: task.started, default=None)
        is_new = newest is not None and (followed is None or newest.started > followed.started)
        began = newest if is_new else None
        became = None if self._at in lines else task_at(tasks, self._at)
        for place, key in enumerate(lines):
            task = task_of(tasks, key)
            if task is not None and (task is began or task is became):
                self._followed = task if task is began else followed
                self.table.go_to(place)
                return

    def on_paged_table_moved(self, event: PagedTable.Moved) -> None:
        """Keep the key under the cursor."""
        self._at = event.key or ""

    async def opened(self, row: JobLine) -> None:
        """Show the job's plan in the other views, or the study that it came to."""
        if row.job.kind == "study":
            await self._show_study(row.job)
            return
        if not row.job.plan:
            raise InputError("there is no plan yet: it still searches")
        await show_plan(self.fleet_app, row.job.plan)

    async def _show_study(self, job: Job) -> None:
        from fleettui.tui.actions.studies import show_study

        if not job.study:
            raise InputError(f"there is no study yet: the job is {state(job)}", value=job.handle or None)
        show_study(self.fleet_app, await self.state.thread.read(lambda store: store.study(job.study)))

    async def told(self, row: JobLine) -> Mapping[str, str]:
        """Return what there is to know of a job, and its log."""
        plan = row.job.plan
        best = await self.state.thread.read(lambda store: store.row(plan)) if plan else None
        return {
            "title": job_title(row.job),
            "detail": job_text(row, best, self.column),
            "log": self._log(row.job.id),
        }

    def tell(self, **texts: str) -> None:
        """Show texts; a log that is seen to its end goes on being so."""
        scroll = self.query_one("#jobs-log-scroll", Scroll)
        follows = scroll.is_vertical_scroll_end
        super().tell(**texts)
        if follows:
            scroll.scroll_end(animate=False)

    def _log(self, key: str) -> str:
        task = task_of(self.state.thread.tasks, key)
        return NO_LOG if task is None else log_text(task.log)

    def status(self) -> str:
        """Return what runs and whether one can leave, else what ended last."""
        running = list(self._at_work())
        here = sum(line.here for line in running)
        if not running:
            lines = () if self._rows is None else self._rows.lines.values()
            last = next((line.job for line in lines if line.job.handle), None)
            ended = f"  Last: job {last.handle}, {state(last)} {since(last)} UTC." if last is not None else ""
            return f"Nothing running.{ended}  r in {named('fleet').number} starts one" if last is not None else ""
        others = f"{len(running) - here} in another program" if here < len(running) else ""
        parts = ", ".join(part for part in (f"{here} here" if here else "", others) if part)
        lost = any(task.alive and task.ours and not task.goes_on for task in self.state.thread.tasks)
        leaving = "q stops what still searches here" if lost else "q does not stop them"
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

    async def do_resume(self) -> None:
        """Go on with the job under the cursor, with a study in a process of its own: its files are named from there."""
        job = self._selected()
        if not job.handle or job.state not in RESUMABLE:
            raise InputError(f"this job is {state(job)}: there is nothing to go on with", value=job.handle or None)
        if job.kind != "study":
            self.state.resume(job.id, job.title)
        elif not await self.state.thread.read(lambda store: hand_over(job, store.path)):
            raise WorkerError(f"no process can be started for it: fleettui jobs resume {job.handle} goes on with it")
        self.tick()

    def copied(self) -> str:
        """Return the job under the cursor in words, with its log."""
        log = self.query_one("#jobs-log", Text).text
        return "\n".join(text for text in (super().copied(), log) if text)

    def possible(self) -> dict[str, object]:
        """All is about the job under the cursor."""
        job = None if self.line is None else self.line.job
        stoppable = job is not None and job.state in ("running", "stopped")
        return {"cancel": stoppable, "resume": job and job.handle and job.state in RESUMABLE, "copy": job}
