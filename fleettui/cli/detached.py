"""Work that goes on without its terminal: `--detach`, and a terminal that hangs up."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fleettui.cli import console
from fleettui.domain.job import Job
from fleettui.domain.plan import Answer
from fleettui.errors import Interrupted, WorkerError
from fleettui.planning.hand_over import hand_over

if TYPE_CHECKING:
    from fleettui.planning.studies.argument import Given
    from fleettui.planning.studies.study_type import Command
    from store import Store

Detach = Annotated[bool, typer.Option("--detach", help="simulate without this terminal: print the job, and return")]
DetachStudy = Annotated[bool, typer.Option("--detach", help="work without this terminal: print the job, and return")]


class Detached(Interrupted):
    """The work of a command is to go on in a process of its own, where it can: the terminal hung up, or is let go."""

    exit_code = 128 + signal.SIGHUP


class Begun:
    """The plan and the job that a command has begun; as the `begun` of a use case it is told of them.

    With `detach` the work ends where the job begins: Detached is raised. `cluster` is where another process is to work.
    """

    def __init__(self, *, detach: bool, cluster: str | None = None) -> None:
        self._detach, self._cluster = detach, cluster
        self.found: tuple[Answer, Job] | None = None

    def __call__(self, plan: Answer, job: Job) -> None:
        """Take note of them."""
        self.found = plan, job
        if self._detach:
            raise Detached

    def go_on_elsewhere(self, store: Store, *, command: str, as_json: bool) -> int:
        """Give the job to a process of its own, print the plan's and the job's handle, and return 0.

        Raises Detached where there is no job yet: the terminal hung up during the search, of which nothing is kept.
        """
        if self.found is None:
            raise Detached("the terminal hung up before anything was found")
        from fleettui.reports.plan_json import envelope

        plan, job = self.found[0].plan, self.found[1]
        store.end_job(job.id, "stopped")
        _give_away(job, store, self._cluster)
        said = f"plan {plan.handle}   {_goes_on(job)}"
        console.tell(as_json, envelope(command, plan=plan, job=store.job(job.id)), said)
        return 0


def study_goes_on_elsewhere(command: Command, given: Given, cluster: str | None, *, as_json: bool) -> int:
    """Give a study that is asked for to a process of its own, print the job's handle, and return 0.

    Raises InputError where it cannot be asked.
    """
    from fleettui.cli.open_store import open_store
    from fleettui.planning.study_job import leave_study

    with open_store() as store:
        job = leave_study(store, command, given, Path.cwd())
        return job_goes_on_elsewhere(job, store, cluster, command=command.name, as_json=as_json)


def job_goes_on_elsewhere(job: Job, store: Store, cluster: str | None, *, command: str, as_json: bool) -> int:
    """Give a job that nobody is at work on to a process of its own, print its handle, and return 0."""
    from fleettui.reports.plan_json import envelope

    _give_away(job, store, cluster)
    console.tell(as_json, envelope(command, job=store.job(job.id)), _goes_on(job))
    return 0


def _give_away(job: Job, store: Store, cluster: str | None) -> None:
    if not hand_over(job, store.path, cluster):
        raise WorkerError(f"no process can be started for it: fleettui jobs resume {job.handle} goes on here")


def _goes_on(job: Job) -> str:
    return f"job {job.handle} goes on without this terminal\nlook: fleettui jobs follow {job.handle}"
