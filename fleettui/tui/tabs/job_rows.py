"""The jobs that the list has: first what this program searches for, then all that the store has."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from fleettui.domain.job import Job, JobKind, JobState
from fleettui.reports.jobs_text import JobLine
from fleettui.tui.progress_text import fleet_number, left_words
from fleettui.tui.task import Task, first_line
from fleettui.tui.work_kinds import FOLLOW, STUDY
from store.job_owner import present

if TYPE_CHECKING:
    from store import Store

WINDOW = 60.0
"""Seconds over which a rate is taken."""
LEAST = 0.5
"""Seconds that a rate takes at least."""
KINDS: dict[str, JobKind] = {
    "plan": "plan",
    "verify": "verify",
    "simulate": "simulate",
    "resume": "plan",
    FOLLOW: "plan",
    STUDY: "study",
}
STATES: dict[str, JobState] = {"running": "running", "done": "done", "failed": "failed", "cancelled": "cancelled"}


class Pace:
    """Replications per second, from what was seen of each job within the last minute."""

    def __init__(self) -> None:
        self._seen: dict[str, deque[tuple[float, int]]] = {}

    def see(self, job: Job, now: float) -> float | None:
        """Take note of how far a job is, and return its rate; None where it was not looked at for long enough."""
        if job.state != "running":
            self._seen.pop(job.id, None)
            return None
        seen = self._seen.setdefault(job.id, deque())
        if seen and job.done < seen[-1][1]:  # the next fleet is simulated
            seen.clear()
        seen.append((now, job.done))
        while now - seen[0][0] > WINDOW:
            seen.popleft()
        lasted, came = now - seen[0][0], job.done - seen[0][1]
        return came / lasted if lasted >= LEAST and came else None


@dataclass(slots=True, kw_only=True)
class Jobs:
    """Jobs, newest first, and before them what this program searches for; `tasks` are all of this program.

    Paces, and handles of plans, which never change, are kept from reading to reading.
    """

    store: Store
    tasks: Sequence[Task]
    handles: dict[str, str] = field(default_factory=dict)
    pace: Pace = field(default_factory=Pace)

    def count(self) -> int:
        """Return how many there are."""
        return len(self._searching()) + self.store.count_jobs()

    def read(self, offset: int, limit: int) -> list[JobLine]:
        """Return some of them."""
        searching = self._searching()
        first = searching[offset : offset + limit]
        kept = self.store.jobs(limit - len(first), max(0, offset - len(searching)))
        own = (task for task in self.tasks if task.alive and task.ours)
        here = {task.job.id: task for task in own if task.job is not None}
        known = {task.job.id for task in self.tasks if task.job is not None}  # others of this program are parts of one
        now, owner = time.monotonic(), present()
        return [line_of(number, task) for number, task in first] + [
            seen_of(
                JobLine(
                    job=job,
                    plan=self._handle(job.plan),
                    rate=self.pace.see(job, now),
                    here=job.id in here or (job.owner == owner and job.id not in known),
                ),
                here.get(job.id),
            )
            for job in kept
        ]

    def _searching(self) -> list[tuple[int, Task]]:
        """Return this program's work that the store does not know: what searches, and what failed in it."""
        found = [(number, task) for number, task in enumerate(self.tasks) if task.job is None and task.ours]
        return [(number, task) for number, task in reversed(found) if task.alive or task.state == "failed"]

    def _handle(self, plan: str) -> str:
        if plan and plan not in self.handles:
            self.handles[plan] = self.store.row(plan).handle
        return self.handles.get(plan, "")


def task_key(number: int) -> str:
    """Return the key of a task that is no job yet, by its place among the tasks."""
    return f"task {number}"


def task_at(tasks: Sequence[Task], key: str) -> Task | None:
    """Return the task that had a key before it was a job, None where the key is none of those."""
    return next((task for number, task in enumerate(tasks) if task_key(number) == key), None)


def line_of(number: int, task: Task) -> JobLine:
    """Return a task that is no job yet as a line."""
    progress = task.progress
    message = first_line(task.error) if task.error is not None else progress.message
    job = Job(
        id=task_key(number),
        handle="",
        kind=KINDS[task.kind],
        title=task.title,
        state=STATES[task.state],
        plan="",
        done=progress.done,
        total=progress.total,
        message=message,
    )
    return seen_of(JobLine(job=job, here=True), task)


def seen_of(line: JobLine, task: Task | None) -> JobLine:
    """Return a line with what this program sees of its own work."""
    if task is None:
        return line
    fleet = fleet_number(task)
    return replace(line, fleet=fleet, share=task.share, ends=left_words(task), narrowing=task.narrowing)


def task_of(tasks: Sequence[Task], key: str) -> Task | None:
    """Return the newest task of this program behind a row, at work or not; None where another program's it is."""
    found = (
        task
        for number, task in reversed(list(enumerate(tasks)))
        if (task.job is None and task_key(number) == key) or (task.job is not None and task.job.id == key)
    )
    return next(found, None)
