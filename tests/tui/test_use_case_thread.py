"""The thread of the use cases with everything real: its workers, the store; work that ends, is stopped, or is left."""

import asyncio
import os
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.plan import Answer
from fleettui.domain.progress import Progress
from fleettui.domain.workload import Workload
from fleettui.errors import InputError, Interrupted, StoreError, WorkerError
from fleettui.planning.worker_pool import WorkerPool
from fleettui.tui.state import AppState
from fleettui.tui.task import LOG_LINES, Task, Tools
from fleettui.tui.use_case_thread import UseCaseThread
from store import Store
from tests.planning.simulated import children

pytestmark = pytest.mark.own_workers
FORMULA = {
    **{"workload": "azure-2023-conv", "rate": "100/s", "slo-ttft": "500ms", "gpu": "h100", "tp": "8"},
    "verify": "false",
}
SLOW = {"rate": "20/s", "slo-ttft": "200ms", "gpu": "h100", "tp": "8", "precision": "0.1%"}
"""Of the small trace: thousands of runs."""


@pytest.fixture
def empty(database: Path) -> Iterator[UseCaseThread]:
    """A started thread over a store that it makes itself."""
    running = UseCaseThread(database, 1)
    running.start()
    yield running
    running.close()


async def until(condition: Callable[[], object], what: Callable[[], object] = lambda: "") -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, what()
        await asyncio.sleep(0.01)


def waiting(state: list[str]) -> Callable[[Tools], Coroutine[Any, Any, Answer]]:
    """Return work that never ends by itself; `state` says how far it came."""

    async def work(tools: Tools) -> Answer:
        state.append("begun")
        try:
            await asyncio.Event().wait()
        finally:
            state.append("left")
        raise AssertionError

    return work


async def test_a_worker_loads_what_a_plan_takes_before_one_is_asked_for(database: Path) -> None:
    """Seen: the first answer took 2.2 s, .9 of which the worker loaded what it needs after the key."""
    running = UseCaseThread(database, 1, ahead=True)
    running.start()
    try:
        await until(lambda: children(os.getpid()))
        (worker,) = children(os.getpid())
        await until(lambda: "/_ufuncs" in Path(f"/proc/{worker}/maps").read_text())  # scipy's, which the formulas need
        assert running.alive == []
    finally:
        running.close()
    assert children(os.getpid()) == []


async def test_leaving_does_not_wait_for_what_is_loaded_ahead(database: Path) -> None:
    running = UseCaseThread(database, 1, ahead=True)
    running.start()
    await running.store()
    running.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "use cases"]
    assert children(os.getpid()) == []


@pytest.mark.thorough
async def test_a_plan_comes_from_the_thread_into_the_store(empty: UseCaseThread) -> None:
    state = AppState(thread=empty)
    state.ask(FORMULA)
    task = state.plan()
    assert empty.alive == [task]
    await until(lambda: not task.alive, lambda: task.log)
    assert (task.state, task.error, empty.alive) == ("done", None, [])
    assert await empty.read(lambda store: store.plan(task.plan)) == task.answer
    assert task.question == await empty.read(lambda store: store.question(task.plan))
    assert await empty.read(lambda store: store.jobs()) == ()
    assert task.seconds() == task.seconds() > 0


async def test_store_and_reading_are_not_the_threads_of_the_screen(empty: UseCaseThread) -> None:
    store = await empty.store()
    assert isinstance(store, Store)
    assert await empty.store() is store
    assert await empty.read(lambda _: threading.current_thread()) is not threading.main_thread()


async def test_short_work_has_the_workers(empty: UseCaseThread, trace: str) -> None:
    async def look(pool: WorkerPool) -> Workload:
        return await pool.run("workload-show", Workload, source=trace, format=None, output_share=None)

    assert (await empty.run(look)).name

    async def refused(pool: WorkerPool) -> Workload:
        return await pool.run("workload-show", Workload, source="no-such", format=None, output_share=None)

    with pytest.raises(InputError):
        await empty.run(refused)


async def test_work_is_stopped_before_it_has_a_job(empty: UseCaseThread) -> None:
    state = AppState(thread=empty)
    state.ask(FORMULA)
    task = state.plan()
    assert task.job is None
    await state.cancel(task)
    await until(lambda: not task.alive, lambda: task.log)
    assert (task.state, task.error, task.answer) == ("cancelled", None, None)
    assert await empty.read(lambda store: store.count()) == 0
    ended = task.seconds()
    empty.cancel(task)
    assert task.seconds() == ended
    assert [words for _, words in task.log].count("asked to stop") == 1


async def test_only_the_work_that_is_meant_is_stopped(empty: UseCaseThread) -> None:
    first, second = list[str](), list[str]()
    one, other = empty.begin("one", "plan", waiting(first)), empty.begin("other", "plan", waiting(second))
    await until(lambda: first and second)
    empty.cancel(one)
    await until(lambda: not one.alive)
    assert (first, second) == (["begun", "left"], ["begun"])
    assert empty.alive == [other]


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (InputError("no such model"), "failed"),
        (StoreError(""), "failed"),
        (ZeroDivisionError("x"), "failed"),
        (Interrupted("asked"), "cancelled"),
    ],
)
async def test_how_work_ends_that_raises(empty: UseCaseThread, error: Exception, state: str) -> None:
    async def work(_: Tools) -> Answer:
        raise error

    task = empty.begin("raises", "plan", work)
    await until(lambda: not task.alive)
    assert task.state == state
    assert task.error is (error if state == "failed" else None)
    after = empty.begin("next", "plan", waiting([]))
    assert after.alive, "the thread goes on"


@pytest.mark.evidence
async def test_leaving_stops_what_runs_and_it_can_be_resumed(database: Path, trace: str) -> None:
    thread = UseCaseThread(database, 2)
    thread.start()
    state = AppState(thread=thread)
    state.ask({"workload": trace, **SLOW})
    task = state.plan()
    await until(lambda: task.progress.done > 1 or not task.alive, lambda: task.log)
    assert task.alive, task.log
    assert children(os.getpid())
    thread.close()
    assert task.state == "cancelled"
    assert children(os.getpid()) == []
    assert not any(one.name == "use cases" for one in threading.enumerate())
    assert task.job is not None
    with Store.open(database) as store:
        job = store.job(task.job.id)
        assert job.state == "stopped"
        assert not store.is_finished(task.plan)
        kept = [store.replications(one.candidate, job.seed) for one in store.plan(task.plan).candidates]
        assert max(map(len, kept)) > 1, "what was finished is kept, of the fleet that was simulated"


async def test_leaving_in_the_middle_of_a_search_keeps_nothing_running(database: Path) -> None:
    thread = UseCaseThread(database, 1)
    thread.start()
    state = AppState(thread=thread)
    state.ask({**FORMULA, "gpu": "", "tp": "", "rate": "1000/s"})
    task = state.plan()
    await until(lambda: children(os.getpid()))
    thread.close()
    assert not task.alive
    assert children(os.getpid()) == []
    assert not any(one.name == "use cases" for one in threading.enumerate())


async def test_short_work_that_is_left_ends_too(database: Path, trace: str) -> None:
    thread = UseCaseThread(database, 1)
    thread.start()

    async def look(pool: WorkerPool) -> object:
        return await pool.run("workload-show", Workload, source=trace, format=None, output_share=None)

    work = asyncio.create_task(thread.run(look))
    await until(lambda: children(os.getpid()))
    await asyncio.to_thread(thread.close)
    with pytest.raises((WorkerError, asyncio.CancelledError)):
        await work


def test_work_that_begins_while_the_engine_is_left_ends_too(empty: UseCaseThread) -> None:
    """As it is seen from the thread in the moment between a task's place in the list and its future."""
    assert empty._loop is not None
    task, state = Task(title="late", kind="plan"), list[str]()
    empty.tasks.append(task)
    asyncio.run_coroutine_threadsafe(empty._work(task, waiting(state)), empty._loop)
    empty.close()
    assert not empty._thread.is_alive()
    assert task.state == "cancelled"


async def test_a_thread_that_cannot_begin_is_told_to_whoever_asks(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> None:
        raise OSError(24, "Too many open files")

    thread = UseCaseThread(database, 1)
    with monkeypatch.context() as patched:
        patched.setattr(asyncio.events, "new_event_loop", full)
        thread.start()
    with pytest.raises(WorkerError, match="Too many open files"):
        await thread.store()
    with pytest.raises(WorkerError, match="Too many open files"):
        thread.begin("late", "plan", waiting([]))
    thread.close()


def test_leaving_twice_or_without_any_work_is_no_matter(database: Path) -> None:
    thread = UseCaseThread(database, 1)
    thread.start()
    thread.close()
    thread.close()
    UseCaseThread(database, 1).close()


async def test_a_store_that_does_not_open_is_told_to_whoever_asks(database: Path) -> None:
    database.write_text("no database at all, but a text of some length\n" * 100)
    thread = UseCaseThread(database, 1)
    thread.start()
    try:
        for _ in range(2):
            with pytest.raises(StoreError):
                await thread.store()
        with pytest.raises(StoreError):
            await thread.read(lambda store: store.count())
        state = AppState(thread=thread)
        state.ask(FORMULA)
        task = state.plan()
        await until(lambda: not task.alive)
        assert task.state == "failed"
        assert isinstance(task.error, StoreError)
    finally:
        thread.close()
    assert database.read_text().startswith("no database")


def test_a_log_keeps_the_last_lines_and_one_per_message() -> None:
    task = Task(title="t", kind="plan")
    for at in range(3):
        task.report(Progress(message="searching", done=at, total=3))
    assert [words for _, words in task.log] == ["searching"]
    assert task.progress.done == 2
    for at in range(LOG_LINES + 5):
        task.note(str(at))
    assert len(task.log) == LOG_LINES
    task.shown = True
    task.report(Progress(message="found", news="found"))
    assert (task.log[-1][1], task.shown, task.progress.done) == ("found", False, 2), "the plan is to be read again"
    task.note(str(LOG_LINES + 4))
    assert task.log[-1][1] == str(LOG_LINES + 4)
