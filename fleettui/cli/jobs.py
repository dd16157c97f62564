"""`fleettui jobs`: the work that goes on, and what was cut short."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from fleettui.cli import console
from fleettui.cli.detached import Begun, Detach, Detached, job_goes_on_elsewhere
from fleettui.cli.options import AsJson, OnCluster, Workers
from fleettui.cli.typer_app import new_app

if TYPE_CHECKING:
    from fleettui.domain.job import Job
    from fleettui.planning.settings import Setting
    from store import Store

EXAMPLES = """\
\b
What is finished is kept: a resumed job ends as an unbroken one would.
\b
Examples:
  fleettui jobs
  fleettui jobs resume 3f2a
  fleettui jobs cancel 3f2a
  fleettui jobs follow last
"""
Ref = Annotated[str, typer.Argument(metavar="ID", help="the job's handle or its start")]

app = new_app("jobs", "Work that goes on or was cut short; alone, the list of it.", EXAMPLES)


@app.callback(invoke_without_command=True)
def jobs(context: typer.Context, as_json: AsJson = False) -> None:
    """Work that goes on or was cut short; alone, the list of it."""
    if context.invoked_subcommand is None:
        list_all(as_json=as_json)
    elif as_json:
        from fleettui.errors import InputError

        raise InputError("this stands before the command", where="--json", remedy="put it at the end of the line")


@app.command("list")
def list_all(
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, metavar="50", help="most jobs to list")] = 50,
    offset: Annotated[int, typer.Option("--offset", min=0, metavar="0", help="jobs to pass over")] = 0,
    as_json: AsJson = False,
) -> None:
    """List the jobs, newest first."""
    from fleettui.cli.open_store import open_store
    from fleettui.reports.jobs_text import jobs_text
    from fleettui.reports.plan_json import envelope

    with open_store() as store:
        found = store.jobs(limit=limit, offset=offset)
        newest = _came_to(store, found[0]) if found else ""
    if as_json:
        console.out_json(envelope("jobs list", jobs=found))
    elif found:
        console.out(jobs_text(found, newest, console.width()))
    else:
        console.remark("no job yet; fleettui plan --help shows how to start one")


@app.command("cancel")
def cancel(ref: Ref, as_json: AsJson = False) -> None:
    """Ask a job to stop; what it has finished is kept."""
    from fleettui.cli.open_store import open_store
    from fleettui.reports.jobs_text import state
    from fleettui.reports.plan_json import envelope

    with open_store() as store:
        job = store.request_cancel(ref)
    said = f"job {job.handle} {state(job)}; to go on: fleettui jobs resume {job.handle}"
    console.tell(as_json, envelope("jobs cancel", job=job), said)


@app.command("resume")
def resume(
    ref: Ref, workers: Workers = None, cluster: OnCluster = None, detach: Detach = False, as_json: AsJson = False
) -> int:
    """Go on with a job that was cut short, and print its answer."""
    from fleettui.cli.answer_output import print_answer
    from fleettui.cli.open_store import open_store
    from fleettui.cli.worker_progress import answer_of
    from fleettui.planning import settings
    from fleettui.planning.resume_job import resume_job

    chosen = settings.settings()
    with open_store(chosen) as store:
        report = console.progress()
        job = store.job(ref)
        if job.kind == "study":
            return _resume_study(store, job, chosen, workers, cluster, detach=detach, as_json=as_json)
        begun = Begun(detach=detach, cluster=cluster)
        try:
            answer = answer_of(
                lambda pool: resume_job(store, ref, report=report, pool=pool, begun=begun), chosen, workers, cluster
            )
        except Detached:
            return begun.go_on_elsewhere(store, command="jobs resume", as_json=as_json)
        return print_answer(answer, store.question(answer.plan.id), store, as_json=as_json, command="jobs resume")


@app.command("follow")
def follow(ref: Ref, as_json: AsJson = False) -> int:
    """Show how far a job of another process is until it ends, and print its answer; Ctrl-C lets it go on."""
    import asyncio

    from fleettui.cli.answer_output import print_answer
    from fleettui.cli.open_store import open_store
    from fleettui.cli.study_output import print_study
    from fleettui.planning.follow_job import end_of_job

    with open_store() as store:
        try:
            job = asyncio.run(end_of_job(store, store.job(ref), report=console.progress()))
        finally:
            console.clear_progress()
        if job.kind == "study":
            return print_study(store.study(job.study), as_json=as_json, command="jobs follow")
        answer = store.plan(job.plan)
        return print_answer(answer, store.question(answer.plan.id), store, as_json=as_json, command="jobs follow")


def _resume_study(
    store: Store,
    job: Job,
    chosen: tuple[Setting, ...],
    workers: int | None,
    cluster: str | None,
    *,
    detach: bool,
    as_json: bool,
) -> int:
    """Go on with a study where its files are named from, print it, and return the exit code."""
    from fleettui.cli.study_output import print_study
    from fleettui.cli.worker_progress import answer_of
    from fleettui.planning.study_job import folder_of, resume_study

    command = "jobs resume"
    try:
        if detach:
            raise Detached
        os.chdir(folder_of(job))
        report = console.progress()
        study = answer_of(lambda pool: resume_study(store, job.id, report=report, pool=pool), chosen, workers, cluster)
    except Detached:
        return job_goes_on_elsewhere(job, store, cluster, command=command, as_json=as_json)
    return print_study(study, as_json=as_json, command=command)


def _came_to(store: Store, job: Job) -> str:
    """Return the handle of a job's plan, or of the study that it came to; empty where that is not there."""
    if job.kind != "study":
        return store.row(job.plan).handle
    return store.study(job.study).handle if job.study else ""
