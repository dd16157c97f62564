"""Open the app on this terminal, and leave the terminal as it was."""

from __future__ import annotations

import locale
import os
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from fleettui.domain.opening import Opening
from fleettui.errors import FleettuiError
from fleettui.planning import settings
from fleettui.planning.settings import Setting
from fleettui.planning.worker_count import default_workers
from fleettui.tui import saved_place, terminal
from fleettui.tui.use_case_thread import UseCaseThread

if TYPE_CHECKING:
    from fleettui.domain.job import Job
    from fleettui.domain.plan_row import PlanRow
    from fleettui.tui.app import FleetApp
    from fleettui.tui.task import Task


KILLED = 128 + signal.SIGTERM
"""The exit code of an app that somebody ended from outside, who wants no work to go on."""


def launch(where: Opening, chosen: Iterable[Setting]) -> int:
    """Show the app until the person leaves, and return the exit code; a signal ends it with 128 and its number."""
    terminal.prepare(os.environ)
    from fleettui.tui import signals

    chosen = tuple(chosen)
    thread = UseCaseThread(
        settings.database(chosen),
        settings.workers(chosen) or default_workers(),
        settings.cluster(chosen),
        settings.also(chosen),
        ahead=True,
    )
    app = make(thread, where, chosen)
    code = KILLED
    try:
        with signals.restored():
            code = app.run() or app.return_code or 0
    finally:
        app.restore_signals()
        left = [task for task in thread.alive if task.ours and not task.stopping]
        thread.close()
        for task in left:
            job = _job_of(task, chosen) if task.state == "cancelled" else None
            if job is not None:
                sys.stderr.write(_left(task.title, job, settings.database(chosen), code) + "\n")
    signals.end_with_the_program(code)
    return code


def _job_of(task: Task, chosen: tuple[Setting, ...]) -> Job | None:
    """Return the job that goes on with a task, made now for a study; None where nobody can go on with it."""
    if task.job is not None or task.leave is None:
        return task.job
    from store import Store

    try:
        with Store.open(settings.database(chosen), also=settings.also(chosen)) as store:
            return task.leave(store)
    except FleettuiError as error:
        sys.stderr.write(f"stopped: {task.title}: {error}\n")
        return None


def _left(title: str, job: Job, database: Path | None, code: int) -> str:
    """Return what became of work that the app left: it goes on by itself, unless the app was killed or died."""
    from fleettui.planning.hand_over import hand_over

    if code != KILLED and hand_over(job, database):
        return f"goes on: {title}; fleettui jobs follow {job.handle} shows it, jobs cancel {job.handle} stops it"
    return f"stopped: {title}; fleettui jobs resume {job.handle} goes on with it"


def make(thread: UseCaseThread, where: Opening, chosen: tuple[Setting, ...]) -> FleetApp:
    """Return the app, its last session read and the newest plan's line for the first frame."""
    from fleettui.tui.app import FleetApp
    from fleettui.tui.state import AppState

    folder = saved_place.state_folder(os.environ)
    session, row = _begun(settings.database(chosen), where, saved_place.load(folder / saved_place.FILE))
    return FleetApp(
        AppState(thread=thread, defaults=_defaults),
        opening=where,
        session=session,
        folder=folder,
        row=row,
        glyphs=terminal.glyphs(os.environ, locale.getencoding()),
    )


def _defaults() -> dict[str, str]:
    """Return what the settings say of a question, by its keys."""
    return {name: given.text for name, given in settings.question_texts(settings.settings()).items()}


def _begun(
    database: Path | None, where: Opening, session: saved_place.Session
) -> tuple[saved_place.Session, PlanRow | None]:
    """Return the session, and the line of the plan that will be shown first, None where the store has to be open.

    Where another store has the session's plan, what was marked and filtered there is left out.
    """
    from store.peek import peek

    last = peek(database, session.plan) if session.plan else None
    shown = last or peek(database)
    if session.plan and last is None and shown is not None:
        session = session._replace(plan="", marks=(), words="", candidates="")
    return session, peek(database, where.text) if where.kind == "plan" else shown
