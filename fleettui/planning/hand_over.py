"""Hand a job to a runner: a process in a session of its own, which goes on with it though the terminal ends."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO

from fleettui.domain.job import Job
from fleettui.errors import InputError

RUNNER = (sys.executable, "-P", "-m", "fleettui", "--quiet", "jobs", "resume")
DATABASE = "FLEETTUI_DB"
RUNNERS: list[subprocess.Popen[bytes]] = []
"""Those that this process has started: one that is forgotten while it runs is warned of."""


def hand_over(job: Job, database: Path | None) -> bool:
    """Start a runner of a job that nobody is at work on any more; return whether it could be started.

    The job is the runner's from then on, so that no two are ever at it; it owns the workers, and its answer and its
    errors go to a file beside the reports of bugs. `database` is the store's file, None for the default one.
    """
    environment = os.environ | ({} if database is None else {DATABASE: str(database.absolute())})
    with ExitStack() as stack:
        said = _said(job, stack)
        try:
            runner = subprocess.Popen(
                (*RUNNER, job.id),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
                env=environment,
            )
        except OSError:
            return False
    RUNNERS.append(runner)
    _give(job, runner.pid, database)
    return True


def _give(job: Job, pid: int, database: Path | None) -> None:
    """Let a job be that of the process, unless it has claimed the job already."""
    from store import Store
    from store.job_owner import owner_of

    with Store.open(database) as store, suppress(InputError):
        store.give_job(job.id, owner_of(pid))


def _said(job: Job, stack: ExitStack) -> IO[bytes] | int:
    """Return the file for what a runner says, or nowhere where it cannot be written."""
    import platformdirs

    try:
        folder = platformdirs.user_log_path("fleettui", ensure_exists=True)
        return stack.enter_context((folder / f"job-{job.handle}.txt").open("wb"))
    except OSError:
        return subprocess.DEVNULL
