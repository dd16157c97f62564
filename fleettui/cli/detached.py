"""`--detach`: the work of a command goes on without its terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fleettui.cli import console
from fleettui.errors import WorkerError
from fleettui.planning.hand_over import Begun, hand_over

if TYPE_CHECKING:
    from store import Store

Detach = Annotated[bool, typer.Option("--detach", help="simulate without this terminal: print the job, and return")]


def go_on_elsewhere(begun: Begun, store: Store, *, command: str, as_json: bool) -> int:
    """Give a job that is begun to a process of its own, print the plan's and the job's handle, and return 0."""
    from fleettui.reports.plan_json import envelope

    store.end_job(begun.job.id, "stopped")
    plan, job = begun.plan.plan, begun.job.handle
    if not hand_over(begun.job, store.path):
        raise WorkerError(f"no process can be started for it: fleettui jobs resume {job} goes on here")
    said = f"plan {plan.handle}   job {job} goes on without this terminal\nlook: fleettui jobs follow {job}"
    console.tell(as_json, envelope(command, plan=plan, job=store.job(begun.job.id)), said)
    return 0
