"""Hand a job to a runner: a process in a session of its own, which goes on with it though the terminal ends."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from fleettui.domain.job import Job

RUNNER = (sys.executable, "-P", "-m", "fleettui", "--quiet", "jobs", "resume")
DATABASE, CLUSTER = "FLEETTUI_DB", "FLEETTUI_CLUSTER"
LOOK, PATIENCE = 0.05, 10.0
"""Seconds between two looks at whether a runner has taken its job up, and after which it is left to itself."""
RUNNERS: list[subprocess.Popen[bytes]] = []
"""Those that this process has started: one that is forgotten while it runs is warned of."""


def hand_over(job: Job, database: Path | None, cluster: str | None = None) -> bool:
    """Start a runner of a job that nobody is at work on any more; return whether it has taken the job up.

    The runner claims the job in the store, so that no two are ever at it, and owns the workers; its answer and its
    errors go to a file beside the reports of bugs. `database` is the store's file, `cluster` the one that does the
    work; None for those of the settings.
    """
    named = {DATABASE: None if database is None else str(database.absolute()), CLUSTER: cluster}
    environment = os.environ | {name: text for name, text in named.items() if text is not None}
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
    return _is_taken_up(job, runner, database)


def _is_taken_up(job: Job, runner: subprocess.Popen[bytes], database: Path | None) -> bool:
    """Wait until a runner has claimed its job; return whether it has, or may still, as it has not ended."""
    from store import Store

    given_up = time.monotonic() + PATIENCE
    with Store.open(database) as store:
        while time.monotonic() < given_up:
            ended = runner.poll() is not None  # asked first: what it did before its end is in the store
            if store.job(job.id).state in ("running", "done", "failed"):  # a study may fail at once
                return True
            if ended:
                return False
            time.sleep(LOOK)
    return True


def _said(job: Job, stack: ExitStack) -> IO[bytes] | int:
    """Return the file for what a runner says, or nowhere where it cannot be written."""
    import platformdirs

    try:
        folder = platformdirs.user_log_path("fleettui", ensure_exists=True)
        return stack.enter_context((folder / f"job-{job.handle}.txt").open("wb"))
    except OSError:
        return subprocess.DEVNULL
