"""Jobs as text: what is under way, how far it is, and what to type next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fleettui.domain.job import Job, JobState
from fleettui.domain.plan_row import PlanRow
from fleettui.domain.progress import STARTING
from fleettui.reports import moments, units
from fleettui.reports.columns import Column, figure, table, words
from fleettui.reports.durations import clock
from fleettui.reports.narrowing import Rounds, narrowing_lines
from fleettui.reports.row_fleet import shown
from fleettui.reports.row_text import row_verdict
from fleettui.reports.table import WIDTH, Table
from fleettui.reports.text_page import MARGIN, fact, text_page
from fleettui.reports.verdict_words import METHOD_WORDS

RESUMABLE: tuple[JobState, ...] = ("stopped", "failed", "cancelled")
MOST_ROUNDS = 4
"""Lines that show how intervals narrow."""
BAR = 10
"""Characters of a progress bar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLine:
    """A job as a list that is looked at for a while shows it.

    `plan` is its plan's handle, `rate` replications per second as they were seen to come, `here` whether this program
    is at work on it. A job without a handle is still searching: the store has it once there is something to prove.
    Of work here `fleet` says which fleet is simulated, `share` how far all of it is, `ends` for how much longer it
    goes on, and `narrowing` what its runs have shown.
    """

    job: Job
    plan: str = ""
    rate: float | None = None
    here: bool = False
    fleet: str = ""
    share: float | None = None
    ends: str = ""
    narrowing: Rounds = ()


def jobs_text(jobs: Sequence[Job], newest: str, width: int = WIDTH) -> str:
    """Return the table of `jobs`, newest first, and under it the next command for the newest of each kind.

    `newest` is the handle of the plan that the first job works on, or of the study that it came to, empty without one.
    """
    return text_page([[jobs_table(jobs)], _next_steps(jobs, newest)], width)


def jobs_table(jobs: Sequence[Job]) -> Table:
    """Return one row per job: what it is, its state in words, its replications, and since when it is in that state."""
    columns: tuple[Column[Job], ...] = (
        words("job", lambda job: job.handle),
        words("what", lambda job: job.title, wrap=True),
        words("state", state),
        figure("progress", progress),
        words("since (UTC)", since),
        words("message", lambda job: job.message, wrap=True),
    )
    return table(columns, jobs)


def jobs_page(lines: Sequence[JobLine], *, wide: bool = True) -> Table:
    """Return one row per job with how far it is and for how much longer it runs; `wide`: its message too."""
    columns: tuple[Column[JobLine], ...] = (
        words("job", lambda line: line.job.handle or None),
        words("what", lambda line: line.job.title, wrap=True),
        words("plan", lambda line: line.plan or None),
        words("state", lambda line: state(line.job)),
        words("progress", lambda line: bar(line) if line.job.state == "running" else ""),
        figure("runs", lambda line: progress(line.job)),
        figure("rate", rate),
        figure("left", left),
        words("message", lambda line: line.job.message, wrap=True),
    )
    return table(columns if wide else columns[:-1], lines)


def job_text(line: JobLine, plan: PlanRow | None, width: int = WIDTH) -> str:
    """Return what there is to know of one job, its plan's present answer with it, and the next key."""
    job = line.job
    begun = f"   begun {moments.day_and_minute(job.created)} UTC" if job.created else ""
    how = "" if job.kind == "study" else f"   seed {job.seed}   to +-{units.percent(job.precision)}"
    block = [
        *fact("state", f"{state(job)}{_where(line)}{begun}{how}"),
        *fact("work", KINDS[job.kind]),
    ]
    if job.done or job.total:
        ends = f"{left(line)} left" if left(line) else ""
        of = "the fleet that is simulated" if job.state == "running" else "the last fleet that was simulated"
        whole = "" if job.kind == "study" else f" of {of}"
        told = (f"{progress(job)}{whole}", line.fleet, rate(line), ends)
        block += fact("runs", "   ".join(filter(None, told)))
    block += fact("now" if job.state == "running" else "ended", job.message)
    for place, row in enumerate(narrowing_lines(line.narrowing, width - MARGIN, MOST_ROUNDS)):
        block.append((("" if place else "seen").ljust(MARGIN), row))
    if plan is not None:
        block += fact("best", _best(plan))
    return text_page([[*block, *fact("next", _next_key(job))]], width)


def job_title(job: Job) -> str:
    """Return what a job is called above its text."""
    return f"job {job.handle}: {job.title}" if job.handle else job.title


KINDS = {
    "plan": "search, then proof of the cheapest fleet that holds",
    "verify": "more proof of one fleet",
    "simulate": "one fleet, simulated",
    "study": "a study, kept when it is there",
}


def state(job: Job) -> str:
    """Return a job's state in a word: `stopping` while it is asked to stop and has not yet."""
    if job.state == "running" and not job.handle:
        if job.kind == "plan":
            return "searching"
        return STARTING if job.message == STARTING else job.state
    return "stopping" if job.cancelling and job.state == "running" else job.state


def bar(line: JobLine) -> str:
    """Return how far a job is as a bar, empty where it is not known how far it must go."""
    job, share = line.job, line.share
    if share is None and (not job.total or line.fleet):
        return ""
    full = min(BAR, BAR * job.done // job.total if share is None else int(BAR * share))
    return "#" * full + "." * (BAR - full)


def rate(line: JobLine) -> str:
    """Return the replications per second of a job that runs, empty where they are not known."""
    if not line.rate or line.job.state != "running":
        return ""
    return f"{line.rate:.2g}/s" if line.rate < 100 else f"{units.count(line.rate)}/s"


def left(line: JobLine) -> str:
    """Return for how much longer it is at work, as minutes and seconds; empty where that is not known.

    A search may go on to further fleets, so for it that is the least, with `>`.
    """
    job = line.job
    if line.ends:
        return line.ends.removesuffix(" left")
    if not rate(line) or not line.rate or job.total <= job.done:
        return ""
    return f"{'>' if job.kind == 'plan' else ''}{clock((job.total - job.done) / line.rate)}"


def log_text(lines: Sequence[tuple[float, str]]) -> str:
    """Return the lines of a log, each after the time since the start."""
    return "\n".join(f"{clock(seconds):>7}  {said}" for seconds, said in lines)


def progress(job: Job) -> str:
    """Return how many replications are done, of how many where that is known."""
    if job.total:
        return f"{units.count(job.done)}/{units.count(job.total)}"
    return units.count(job.done) if job.done else units.UNDEFINED


def since(job: Job) -> str:
    """Return when a job came to its state, to the minute."""
    moment = job.finished or (job.heartbeat if job.state == "stopped" else "") or job.created
    return moments.day_and_minute(moment)


def _next_steps(jobs: Sequence[Job], newest: str) -> list[str]:
    running = next((job for job in jobs if state(job) == "running"), None)
    resumable = next((job for job in jobs if job.state in RESUMABLE), None)
    steps = [f"stop: fleettui jobs cancel {running.handle}"] if running else []
    steps += [f"go on: fleettui jobs resume {resumable.handle}"] if resumable else []
    noun = "study" if jobs[0].kind == "study" else "plan"
    return steps or ([f"its {noun}: fleettui show {newest}"] if newest else [])


def _where(line: JobLine) -> str:
    """Return who is at work on a job that runs: this program, or another by its process and machine."""
    if line.job.state != "running":
        return ""
    if line.here:
        return " here"
    host, _, rest = line.job.owner.rpartition(":")[0].rpartition(":")
    return f" in another program (process {rest} on {host})" if host else " in another program"


def _best(plan: PlanRow) -> str:
    cost = "" if plan.cost_per_hour is None else f"   {units.dollars_per_hour(plan.cost_per_hour)}"
    known = METHOD_WORDS.get(plan.method, plan.method)
    return f"{plan.handle}   {shown(plan.fleet) or 'no fleet holds'}{cost}   {row_verdict(plan)}   {known}"


def _next_key(job: Job) -> str:
    if job.kind == "study" and not job.handle:
        return "x stops it" if job.state == "running" else "it is asked for again as it was"
    if job.state == "running":
        return "x stops it: what is finished is kept, R goes on with it"
    if job.kind == "study":
        return "R goes on where it was left" if job.state in RESUMABLE else "enter opens the study"
    opens = "enter opens the plan"
    return f"R goes on where it was left, {opens}" if job.state in RESUMABLE else opens
