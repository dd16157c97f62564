"""What a program leaves behind when it is gone: its processes and the jobs in its store, and how to end them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

from fleettui.domain.job import Job
from store import Store

LEFT = 10.0
"""Seconds within which everything must be gone."""


def processes(folder: Path) -> list[str]:
    """Return the commands of the program and its workers whose home is `folder`."""
    rows = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"HOME={folder}\0".encode() in (process / "environ").read_bytes():
                rows.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
    return [row for row in rows if "fleettui" in row and not row.startswith("tmux")]


def running(database: Path) -> list[Job]:
    """Return the jobs in a store that run; one whose owner is gone is told as stopped, and is not among them."""
    if not database.exists():
        return []
    with Store.open(database) as store:
        return [job for job in store.jobs(100) if job.state == "running"]


def wrong(folder: Path, database: Path) -> str:
    """Return what is left of the program that should not be, empty where nothing is: a job may go on in a runner."""
    rows = processes(folder)
    runners = [row for row in rows if "jobs resume" in row]
    jobs = [job.handle for job in running(database)]
    if jobs and not runners:
        return f"jobs {jobs} run, and nobody is at work on them"
    if rows and not jobs:
        return f"left, and no job runs: {rows}"
    if not runners and rows:
        return f"left: {rows}"
    return ""


def end(folder: Path, database: Path) -> str:
    """Stop the jobs that go on, and return which processes are left all the same."""
    if jobs := running(database):
        with Store.open(database) as store:
            for job in jobs:
                store.request_cancel(job.id)
    return settled(lambda: "\n".join(processes(folder)))


def settled(look: Callable[[], str]) -> str:
    """Look until nothing is found, ten seconds long; return what is found last."""
    deadline = time.monotonic() + LEFT
    while (found := look()) and time.monotonic() < deadline:
        time.sleep(0.2)
    return found
