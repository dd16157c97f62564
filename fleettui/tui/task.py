"""One piece of work as the screen sees it, and what it works with."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from fleettui.domain.progress import STARTING, Interval, Progress
from fleettui.tui.work_kinds import FOLLOW

if TYPE_CHECKING:
    from fleettui.domain.job import Job
    from fleettui.domain.plan import Answer
    from fleettui.domain.scenario import Question
    from fleettui.planning.worker_pool import WorkerPool
    from store import Store

Leave: TypeAlias = "Callable[[Store], Job]"
State = Literal["running", "done", "failed", "cancelled"]
LOG_LINES = 500
LEAST = 0.5
"""Seconds from which on a pace is known."""
BEGUN = Progress(message=STARTING)


@dataclass(slots=True)
class Task:
    """One piece of work as the screen sees it; its thread writes to it, the screen `shown`, `told` and notes.

    `job` and `plan` (an id) are known from the moment in which the store has them; `log` holds (seconds since the
    start, words); `error` is what ended a task that failed. `shown` and `told` are the screen's own: it has shown the
    plan, and told the end. `answer` is what it came to, and `question` what was asked for that. `parts` counts what was
    simulated so far, one fleet after the other; `whole` says whether the progress may be that of all the work, since it
    never began anew. `narrowing` is what each round of runs of the present fleet has shown; `begun_at` is when that
    fleet was begun, `begun_with` the runs that there were of it, and `lasted` for how long those before it were
    simulated, in seconds. `leave` makes a job of work that has none, for whoever goes on with it when the app is left;
    None where nobody can.
    """

    title: str
    kind: str
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None
    state: State = "running"
    job: Job | None = None
    plan: str = ""
    progress: Progress = BEGUN
    log: list[tuple[float, str]] = field(default_factory=list)
    answer: Answer | None = None
    question: Question | None = None
    error: Exception | None = None
    future: Future[None] | None = None
    shown: bool = False
    told: bool = False
    stopping: bool = False
    parts: int = 0
    whole: bool = True
    narrowing: tuple[tuple[Interval, ...], ...] = ()
    begun_at: float = 0.0
    begun_with: int = 0
    lasted: tuple[float, ...] = ()
    share_before: float = 0.0
    leave: Leave | None = None

    @property
    def alive(self) -> bool:
        """Whether it is still at work."""
        return self.state == "running"

    @property
    def ours(self) -> bool:
        """Whether this program does it, and does not just look at what another one does."""
        return self.kind != FOLLOW

    @property
    def goes_on(self) -> bool:
        """Whether another process goes on with it when the app is left."""
        return self.job is not None or self.leave is not None

    def stop_asked(self) -> None:
        """Take note that somebody asked it to stop."""
        self.stopping = True
        self.note("asked to stop")

    def seconds(self) -> float:
        """Return how long it has been at work."""
        return (self.ended or time.monotonic()) - self.started

    def report(self, progress: Progress) -> None:
        """Take note of how far it is; a new message is a line of the log. After news the plan is to be shown again."""
        if progress.news:
            self.note(progress.news)
            self.shown = False
            return
        if progress.message == (before := self.progress).message and not progress.fleet:
            progress = replace(progress, fleet=before.fleet, fleets=before.fleets)
        self.progress = progress
        if progress.message != before.message:
            self.note(progress.message)
        if progress.total and (progress.message != before.message or not self.parts):
            self.parts += 1
            self.lasted += (self.seconds() - self.begun_at,) if self.begun_at else ()
            self.begun_at, self.begun_with, self.narrowing = self.seconds(), progress.done, ()
        if progress.intervals:
            self.narrowing += (progress.intervals,)
        if before.total and (progress.total != before.total or progress.done < before.done):
            self.whole = False

    @property
    def share(self) -> float | None:
        """How far all of the work is as far as is known; it never falls. None where how much comes is not known."""
        progress = self.progress
        if not progress.total:
            return None
        part = min(progress.done / progress.total, 1.0)
        if progress.fleets:
            part = (progress.fleet - 1 + part) / progress.fleets
        elif progress.fleet or not self.whole:
            return None
        self.share_before = max(self.share_before, part)
        return self.share_before

    def left(self) -> tuple[float, float | None] | None:
        """Return for how many seconds it goes on at least, and at most where that is known.

        At least is the end of the present fleet at its own pace; at most are the fleets that may follow, each as long
        as those before were in the mean. None before there is a pace.
        """
        progress, here = self.progress, self.seconds() - self.begun_at
        came = progress.done - self.begun_with
        if not self.alive or not self.begun_at or came <= 0 or here < LEAST:
            return None
        least = here / came * max(progress.total - progress.done, 0)
        if not progress.fleet:
            return least, least
        each = sum((*self.lasted, here + least)) / (len(self.lasted) + 1)
        return least, least + each * (progress.fleets - progress.fleet) if progress.fleets else None

    def begun(self, answer: Answer, job: Job) -> None:
        """Take note of the plan and the job, which the store has from now on."""
        self.job, self.plan = job, answer.plan.id
        self.note(f"plan {answer.plan.handle} is kept; job {job.handle} proves it")

    def note(self, words: str) -> None:
        """Add a line to the log, the oldest falling out."""
        self.log.append((self.seconds(), words))
        del self.log[:-LOG_LINES]


def first_line(error: Exception) -> str:
    """Return what an error says first; its type where it says nothing."""
    return next(iter(str(error).splitlines()), type(error).__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What a use case works with."""

    store: Store
    pool: WorkerPool
    task: Task

    @property
    def given(self) -> dict[str, Any]:
        """What every use case that keeps a plan takes by name."""
        return {"store": self.store, "pool": self.pool, "report": self.task.report, "begun": self.task.begun}
