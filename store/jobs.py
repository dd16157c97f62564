"""Jobs: begun, kept alive by their owner's heartbeats, ended, and taken up again by another owner."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from fleettui.domain.job import Job, JobState
from fleettui.errors import InputError
from store import convert, handles, job_owner, names
from store.identity import timestamp
from store.tables import JOB, PLAN, STUDY

PATIENCE = timedelta(seconds=30)
"""The age of a heartbeat after which nobody is thought to be at work."""


def add(connection: Connection, job: Job, *, moment: datetime, randomness: int) -> Job:
    """Write a job that begins now and return it with id, handle and times; without an owner it is this process's."""
    assert (job.state, job.id) == ("running", ""), f"a new job runs and has no id yet: {job}"
    names.keep(connection, job.candidate)
    ((identifier, handle),) = handles.ids_and_handles(connection, 1, moment=moment, randomness=randomness)
    now = timestamp(moment)
    begun = replace(
        job, id=identifier, handle=handle, created=now, heartbeat=now, owner=job.owner or job_owner.present()
    )
    connection.execute(insert(JOB).values(**convert.from_job(begun)))
    return begun


def read(connection: Connection, identifier: str, moment: datetime) -> Job:
    """Return the job with this id; one whose owner is gone at `moment` is stopped."""
    row = connection.execute(select(JOB).where(JOB.c.id == identifier)).mappings().one()
    return _as_of(moment, convert.to_job(row))


def first_of(connection: Connection, plan: str, moment: datetime) -> Job | None:
    """Return the oldest job on the plan with this id, None where there is none."""
    row = connection.execute(select(JOB).where(JOB.c.plan == plan).order_by(JOB.c.id).limit(1)).mappings().one_or_none()
    return None if row is None else _as_of(moment, convert.to_job(row))


def page(connection: Connection, *, limit: int, offset: int, moment: datetime) -> tuple[Job, ...]:
    """Return a page of the jobs, newest first."""
    query = select(JOB).order_by(JOB.c.id.desc()).limit(limit).offset(offset)
    return tuple(_as_of(moment, convert.to_job(row)) for row in connection.execute(query).mappings())


def count(connection: Connection) -> int:
    """Return how many jobs there are."""
    return connection.scalar(select(func.count()).select_from(JOB)) or 0


def _as_of(moment: datetime, job: Job) -> Job:
    forgotten = moment - datetime.fromisoformat(job.heartbeat) > PATIENCE
    gone = job.state == "running" and (forgotten or job_owner.runs(job.owner) is False)
    return replace(job, state="stopped") if gone else job


def claim(connection: Connection, identifier: str, by: str, moment: datetime) -> Job:
    """Make the owner `by` the one at work on a job that nobody works on and that is not done.

    Call it under the write lock, so that one of several claims succeeds. Raises InputError for the others.
    """
    job = read(connection, identifier, moment)
    if job.state == "done":
        raise InputError("the job is done", value=job.handle, remedy=f"fleettui show {_came_to(connection, job)}")
    if job.state == "running":
        raise InputError(
            "the job runs already",
            value=job.handle,
            remedy=f"wait for it, or stop it first: fleettui jobs cancel {job.handle}",
        )
    _update(
        connection,
        identifier,
        state="running",
        owner=by,
        heartbeat=timestamp(moment),
        finished=None,
        message="",
        cancelling=0,
    )
    return read(connection, identifier, moment)


def _came_to(connection: Connection, job: Job) -> str:
    """Return the handle of the plan or the study that a job came to."""
    table, identifier = (STUDY, job.study) if job.kind == "study" else (PLAN, job.plan)
    return str(connection.scalar(select(table.c.handle).where(table.c.id == identifier)) or identifier)


def beat(
    connection: Connection, identifier: str, *, by: str, done: int, total: int, message: str, moment: datetime
) -> bool:
    """Write how far the owner `by` has come; tell whether it must stop: it was asked to, or the job is not its own."""
    mine = (JOB.c.id == identifier) & (JOB.c.state == "running") & (JOB.c.owner == by)
    news = {"done": done, "total": total, "message": message, "heartbeat": timestamp(moment)}
    cancelling = connection.scalar(update(JOB).where(mine).values(**news).returning(JOB.c.cancelling))
    return cancelling is None or bool(cancelling)


def end(
    connection: Connection,
    identifier: str,
    *,
    by: str,
    state: JobState,
    message: str,
    moment: datetime,
    study: str = "",
) -> Job:
    """End a job of the owner `by` and return it; a job that has ended or is another's by now stays as it is.

    `study` is the id of the study that it came to, if it is one of kind study.
    """
    assert state != "running", "a job ends in another state"
    job = read(connection, identifier, moment)
    if job.state in ("running", "stopped") and job.owner == by:
        _end(connection, identifier, state, message, moment, **_came_to_study(study))
    return read(connection, identifier, moment)


def request_cancel(connection: Connection, identifier: str, moment: datetime) -> Job:
    """Ask the owner of a job to stop, or end it here where nobody works on it; raises InputError where it has ended."""
    job = read(connection, identifier, moment)
    if job.state in ("done", "failed"):
        raise InputError(f"the job has ended: it is {job.state}", value=job.handle)
    if job.state == "running":
        _update(connection, identifier, cancelling=1)
    elif job.state == "stopped":
        _end(connection, identifier, "cancelled", job.message, moment)
    return read(connection, identifier, moment)


def _came_to_study(study: str) -> dict[str, Any]:
    """Return the columns of a job that came to the study with this id: it is kept before the last heartbeat."""
    return {"study": study, "done": JOB.c.total} if study else {}


def _end(
    connection: Connection, identifier: str, state: JobState, message: str, moment: datetime, **came_to: Any
) -> None:
    ended = {"state": state, "owner": "", "finished": timestamp(moment), "message": message, "cancelling": 0}
    _update(connection, identifier, **ended, **came_to)


def _update(connection: Connection, identifier: str, **columns: Any) -> None:
    connection.execute(update(JOB).where(JOB.c.id == identifier).values(**columns))
