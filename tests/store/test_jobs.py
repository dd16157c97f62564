"""A job runs as long as its owner is at it; what stopped is taken up by one other."""

from __future__ import annotations

import platform
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from fleettui.domain.job import Job
from fleettui.errors import InputError
from store import Store, job_owner
from tests.store import samples

GONE = f"{platform.node()}:{2**22 + 1}:1"
"""A process of this machine that is not there: no system counts so far."""


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.moment = samples.MOMENT

    def __call__(self) -> datetime:
        return self.moment

    def pass_(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(file: Path, clock: Clock) -> Iterator[Store]:
    with Store.open(file, clock=clock) as opened:
        yield opened


def begin(store: Store, by: str = "") -> Job:
    return samples.begin(store, samples.unproven(1), owner=by)[1]


def test_a_new_job_runs_and_is_ours(store: Store) -> None:
    plan = samples.add(store)
    assert plan.answer
    asked = replace(
        samples.job(plan.plan.id), kind="verify", candidate=plan.answer.candidate, seed=3, precision=0.02, message="x"
    )
    job = store.create_job(asked)
    filled = {"id": job.id, "handle": job.handle, "created": job.created, "heartbeat": job.created}
    assert job == replace(asked, **filled, owner=job_owner.present())  # type: ignore[arg-type]
    assert job.created == "2026-03-01T12:00:00.000Z"
    assert len(job.handle) >= 4
    assert store.job(job.id) == store.job("last") == job


def test_a_job_begins_running_and_without_a_name(store: Store) -> None:
    plan = samples.add(store).plan.id
    for wrong in (replace(samples.job(plan), state="done"), replace(samples.job(plan), id="x")):
        with pytest.raises(AssertionError, match="a new job runs and has no id yet"):
            store.create_job(wrong)


def test_a_heartbeat_tells_how_far_it_has_come(store: Store, clock: Clock) -> None:
    job = begin(store)
    clock.pass_(20)
    assert store.beat(job.id, done=3, total=20, message="replication 3") is False
    clock.pass_(20)
    now = store.job("last")
    assert (now.state, now.done, now.total, now.message) == ("running", 3, 20, "replication 3")
    assert now.heartbeat == "2026-03-01T12:00:20.000Z"


def test_a_job_whose_owner_ended_has_stopped(store: Store) -> None:
    job = begin(store, GONE)
    assert store.job(job.id).state == "stopped"
    assert [one.state for one in store.jobs()] == ["stopped"]


@pytest.mark.parametrize("by", ["elsewhere:1:1", ""])
def test_a_job_without_a_heartbeat_for_long_has_stopped_until_the_next(store: Store, clock: Clock, by: str) -> None:
    job = begin(store, by)
    clock.pass_(30)
    assert store.job("last").state == "running"
    clock.pass_(0.001)
    assert store.job("last").state == "stopped"
    if not by:
        assert store.beat(job.id, done=1, total=2, message="") is False
        assert store.job("last").state == "running"


def test_a_clock_that_was_set_back_stops_no_job(store: Store, clock: Clock) -> None:
    begin(store, "elsewhere:1:1")
    clock.pass_(-3600)
    assert store.job("last").state == "running"


def test_an_ended_job_says_how(store: Store, clock: Clock) -> None:
    job = begin(store)
    clock.pass_(5)
    ended = store.end_job(job.id, "failed", "the worker ended")
    assert (ended.state, ended.message, ended.owner) == ("failed", "the worker ended", "")
    assert ended.finished == "2026-03-01T12:00:05.000Z"
    clock.pass_(500)
    assert store.job("last") == ended
    assert store.end_job(job.id, "done") == ended
    assert store.beat(job.id, done=9, total=9, message="") is True
    assert store.job("last") == ended


def test_a_job_cannot_end_as_running(store: Store) -> None:
    with pytest.raises(AssertionError, match="ends in another state"):
        store.end_job(begin(store).id, "running")


@pytest.mark.parametrize("state", ["failed", "cancelled", "stopped"])
def test_what_was_cut_short_can_be_taken_up(store: Store, clock: Clock, state: str) -> None:
    job = begin(store)
    store.beat(job.id, done=4, total=20, message="replication 4")
    store.request_cancel(job.id)
    store.end_job(job.id, state, "so it was")  # type: ignore[arg-type]
    assert store.job(job.id).state == state
    clock.pass_(90)
    taken = store.claim_job(job.handle, "elsewhere:2:2")
    assert (taken.state, taken.owner, taken.done, taken.total) == ("running", "elsewhere:2:2", 4, 20)
    assert (taken.finished, taken.message, taken.cancelling) == ("", "", False)
    assert taken.heartbeat == "2026-03-01T12:01:30.000Z"


def test_what_runs_or_is_done_cannot_be_taken_up(store: Store) -> None:
    job = begin(store)
    with pytest.raises(InputError, match=rf"the job runs already.*\n  do: .*fleettui jobs cancel {job.handle}"):
        store.claim_job("last", job_owner.present())
    store.end_job(job.id, "done")
    with pytest.raises(InputError, match=rf"the job is done.*\n  do: fleettui show {store.row('last').handle}"):
        store.claim_job("last", job_owner.present())


def test_one_of_several_claims_succeeds(store: Store, file: Path, clock: Clock) -> None:
    begin(store, GONE)
    outcomes: list[str] = []
    barrier = threading.Barrier(6)

    def claim(number: int) -> None:
        with Store.open(file, clock=clock) as mine:
            barrier.wait(10)
            try:
                outcomes.append(mine.claim_job("last", f"elsewhere:{number}:1").owner)
            except InputError as error:
                outcomes.append(error.what)

    threads = [threading.Thread(target=claim, args=(number,), daemon=True) for number in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert sorted(outcomes) == [store.job("last").owner, *["the job runs already"] * 5]


def test_an_owner_whose_job_was_taken_up_must_stop_and_changes_nothing(store: Store, clock: Clock) -> None:
    job = begin(store)
    clock.pass_(31)
    taken = store.claim_job(job.id, "elsewhere:2:2")
    assert store.beat(job.id, done=9, total=9, message="mine") is True
    assert store.end_job(job.id, "done", "mine") == taken
    assert store.job("last") == taken


def test_a_job_is_asked_to_stop(store: Store) -> None:
    job = begin(store)
    asked = store.request_cancel(job.handle)
    assert (asked.state, asked.cancelling) == ("running", True)
    assert store.beat(job.id, done=1, total=2, message="") is True
    ended = store.end_job(job.id, "cancelled")
    assert (ended.state, ended.cancelling) == ("cancelled", False)
    assert store.request_cancel("last") == ended


def test_a_job_that_nobody_works_on_is_cancelled_at_once(store: Store, clock: Clock) -> None:
    job = begin(store, GONE)
    cancelled = store.request_cancel(job.id)
    assert (cancelled.state, cancelled.finished) == ("cancelled", "2026-03-01T12:00:00.000Z")
    late = begin(store)
    store.end_job(late.id, "stopped", "the app was closed")
    assert store.request_cancel(late.id).state == "cancelled"


@pytest.mark.parametrize("state", ["done", "failed"])
def test_an_ended_job_is_not_cancelled(store: Store, state: str) -> None:
    store.end_job(begin(store).id, state)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=f"the job has ended: it is {state}"):
        store.request_cancel("last")


def test_jobs_are_listed_newest_first_a_page_at_a_time(store: Store) -> None:
    handles = [begin(store).handle for _ in range(5)][::-1]
    assert [job.handle for job in store.jobs()] == handles
    assert [job.handle for job in store.jobs(limit=2, offset=3)] == handles[3:]


def test_the_first_job_of_a_plan_is_the_one_that_made_it(store: Store) -> None:
    plan, made = samples.begin(store)
    store.create_job(replace(made, id="", handle="", kind="verify"))
    assert store.first_job(plan.plan.id) == store.job(made.handle)
    assert store.first_job(samples.add(store).plan.id) is None
