import asyncio
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.job import Job
from fleettui.errors import InputError, Interrupted
from fleettui.planning.running_job import HEARTBEAT, at_work
from store import Store
from tests.store import samples


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.open() as opened:
        yield opened


@pytest.fixture
def job(store: Store) -> Job:
    return samples.begin(store)[1]


async def until(store: Store, job: Job, done: int) -> None:
    """Wait until the store knows that so many replications are done."""
    async with asyncio.timeout(5):
        while store.job(job.id).done != done:
            await asyncio.sleep(0.02)


async def test_a_block_that_ends_is_done_with_its_last_figures(store: Store, job: Job) -> None:
    async with at_work(store, job) as pulse:
        assert store.job(job.id).state == "running"
        pulse.note(10, 10, "simulating H100 tp8 x3")
    ended = store.job(job.id)
    assert (ended.state, ended.done, ended.total, ended.message, ended.owner) == ("done", 10, 10, "", "")
    assert ended.finished


async def test_its_progress_is_seen_from_outside_while_it_runs(store: Store, job: Job) -> None:
    with Store.open() as other:
        async with at_work(store, job) as pulse:
            first = other.job(job.id).heartbeat
            pulse.note(3, 10, "simulating H100 tp8 x3")
            await until(other, job, 3)
            seen = other.job(job.id)
            assert (seen.state, seen.total, seen.message) == ("running", 10, "simulating H100 tp8 x3")
            assert seen.heartbeat > first


async def test_a_cancel_from_outside_interrupts_it_and_leaves_no_mark(store: Store, job: Job) -> None:
    asked = 0.0

    async def work(other: Store) -> None:
        nonlocal asked
        async with at_work(store, job) as pulse:
            pulse.note(3, 10, "")
            await until(other, job, 3)
            assert other.request_cancel(job.handle).cancelling
            asked = time.monotonic()
            await asyncio.sleep(10)

    with Store.open() as other, pytest.raises(Interrupted, match="what was finished is kept"):
        await work(other)
    assert time.monotonic() - asked < 3 * HEARTBEAT
    ended = store.job(job.id)
    assert (ended.state, ended.done, ended.message) == ("cancelled", 3, "cancelled; what was finished is kept")
    assert store.claim_job(job.id, "somewhere:1:1").state == "running"


async def test_after_a_cancel_the_task_goes_on_as_one_that_was_not_cancelled(store: Store, job: Job) -> None:
    async def work() -> None:
        async with at_work(store, job):
            store.request_cancel(job.id)
            await asyncio.sleep(10)

    with pytest.raises(Interrupted):
        await work()
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_a_caller_that_goes_leaves_it_stopped(store: Store, job: Job) -> None:
    async def work() -> None:
        async with at_work(store, job) as pulse:
            pulse.note(2, 10, "")
            await asyncio.sleep(10)

    task = asyncio.create_task(work())
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    ended = store.job(job.id)
    assert (ended.state, ended.done, ended.message) == ("stopped", 2, "stopped; what was finished is kept")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (InputError("no such thing", remedy="take another"), "no such thing"),
        (InputError("x" * 300), "x" * 100),
        (ZeroDivisionError("division by zero"), "a bug: ZeroDivisionError"),
    ],
)
async def test_a_failure_is_told_in_one_line(store: Store, job: Job, error: Exception, message: str) -> None:
    with pytest.raises(type(error)):
        async with at_work(store, job):
            raise error
    assert (store.job(job.id).state, store.job(job.id).message) == ("failed", message)


async def test_it_gives_way_to_who_has_taken_it_up(store: Store, job: Job) -> None:
    async def work() -> None:
        async with at_work(store, job):
            _give_to(store.path, job, "elsewhere:1:1")
            await asyncio.sleep(10)

    with pytest.raises(Interrupted):
        await work()
    kept = store.job(job.id)
    assert (kept.state, kept.owner) == ("running", "elsewhere:1:1")


@pytest.mark.thorough
async def test_a_store_that_is_busy_for_a_while_stops_nothing(job: Job, store: Store) -> None:
    with Store.open(patience=0.01) as hasty, closing(sqlite3.connect(store.path)) as writer:
        async with at_work(hasty, job) as pulse:
            await asyncio.sleep(0.05)
            writer.execute("BEGIN IMMEDIATE")
            pulse.note(4, 10, "")
            await asyncio.sleep(2.5 * HEARTBEAT)
            assert hasty.job(job.id).done == 0
            writer.execute("ROLLBACK")
            await until(hasty, job, 4)
    assert store.job(job.id).state == "done"


def _give_to(path: Path, job: Job, owner: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE job SET owner = ? WHERE id = ?", (owner, job.id))
        connection.commit()


async def test_a_heartbeat_that_has_a_bug_is_logged_and_the_job_ends_as_it_would(
    store: Store, job: Job, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> bool:
        raise ZeroDivisionError("a bug")

    with monkeypatch.context() as patched:
        patched.setattr(Store, "beat", broken)
        async with at_work(store, job):
            await asyncio.sleep(0.05)
    assert store.job(job.id).state == "done"
    assert "ZeroDivisionError" in caplog.text


async def test_a_heartbeat_goes_on_after_a_bug(store: Store, job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    beat, failed = Store.beat, list[str]()

    def broken_once(self: Store, ref: str, **what: Any) -> bool:
        if not failed:
            failed.append(ref)
            raise ZeroDivisionError("a bug")
        return beat(self, ref, **what)

    monkeypatch.setattr(Store, "beat", broken_once)

    async def work() -> None:
        async with at_work(store, job):
            await asyncio.sleep(0.05)
            store.request_cancel(job.id)
            await asyncio.sleep(5 * HEARTBEAT)

    with pytest.raises(Interrupted):
        await work()
