"""Work that goes on without its terminal: `--detach`, and a terminal that hangs up."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Annotated

import typer

from fleettui.cli import console
from fleettui.domain.job import Job
from fleettui.domain.plan import Answer
from fleettui.errors import Interrupted, WorkerError
from fleettui.planning.hand_over import hand_over

if TYPE_CHECKING:
    from store import Store

Detach = Annotated[bool, typer.Option("--detach", help="simulate without this terminal: print the job, and return")]


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
        if not hand_over(job, store.path, self._cluster):
            raise WorkerError(f"no process can be started for it: fleettui jobs resume {job.handle} goes on here")
        said = f"plan {plan.handle}   job {job.handle} goes on without this terminal"
        console.tell(
            as_json,
            envelope(command, plan=plan, job=store.job(job.id)),
            f"{said}\nlook: fleettui jobs follow {job.handle}",
        )
        return 0
