"""Jobs as text: what is under way, how far it is, and what to type next."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.job import Job, JobState
from fleettui.reports import units
from fleettui.reports.table import WIDTH, Column, Table, render, wrap

RESUMABLE: tuple[JobState, ...] = ("stopped", "failed", "cancelled")


def jobs_text(jobs: Sequence[Job], newest: str, width: int = WIDTH) -> str:
    """Return the table of `jobs`, newest first, and under it the next command for the newest of each kind.

    `newest` is the handle of the plan that the first job works on.
    """
    lines = [*render(jobs_table(jobs), width).splitlines(), ""]
    for step in _next_steps(jobs, newest):
        lines += wrap(step, width)
    return "\n".join(lines)


def jobs_table(jobs: Sequence[Job]) -> Table:
    """Return one row per job: what it is, its state in words, its replications, and since when it is in that state."""
    columns = (
        Column(title="job"),
        Column(title="what", wrap=True),
        Column(title="state"),
        Column(title="progress", align="right"),
        Column(title="since (UTC)"),
        Column(title="message", wrap=True),
    )
    rows = tuple((job.handle, job.title, state(job), progress(job), _since(job), job.message) for job in jobs)
    return Table(columns=columns, rows=rows)


def state(job: Job) -> str:
    """Return a job's state in a word: `stopping` while it is asked to stop and has not yet."""
    return "stopping" if job.cancelling and job.state == "running" else job.state


def progress(job: Job) -> str:
    """Return how many replications are done, of how many where that is known."""
    if job.total:
        return f"{units.count(job.done)}/{units.count(job.total)}"
    return units.count(job.done) if job.done else units.UNDEFINED


def _since(job: Job) -> str:
    """Return when a job came to its state, to the minute."""
    moment = job.finished or (job.heartbeat if job.state == "stopped" else "") or job.created
    return moment[5:16].replace("T", " ")


def _next_steps(jobs: Sequence[Job], newest: str) -> list[str]:
    running = next((job for job in jobs if state(job) == "running"), None)
    resumable = next((job for job in jobs if job.state in RESUMABLE), None)
    steps = [f"stop: fleettui jobs cancel {running.handle}"] if running else []
    steps += [f"go on: fleettui jobs resume {resumable.handle}"] if resumable else []
    return steps or [f"its plan: fleettui show {newest}"]
