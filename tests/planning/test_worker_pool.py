import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fleettui.domain.progress import Progress
from fleettui.errors import InputError, UnknownNameError, WorkerError
from fleettui.planning.worker_count import default_workers
from fleettui.planning.worker_pool import WorkerPool, together
from fleettui.planning.worker_process import PATIENCE


async def _pid(pool: WorkerPool) -> int:
    return int((await pool.run_plain("echo", {}))["pid"])


async def _started(pool: WorkerPool, name: str) -> tuple[asyncio.Task[dict[str, object]], str]:
    """Run a task and return with its first report."""
    said: asyncio.Queue[str] = asyncio.Queue()
    task = asyncio.create_task(pool.run_plain(name, {}, report=lambda progress: said.put_nowait(progress.message)))
    return task, await asyncio.wait_for(said.get(), 10)


async def test_a_worker_lives_on_for_the_next_task(pool: WorkerPool) -> None:
    assert await _pid(pool) == await _pid(pool) != os.getpid()


async def test_progress_arrives_in_order(pool: WorkerPool) -> None:
    seen: list[Progress] = []
    assert await pool.run_plain("count", {"steps": 3}, report=seen.append) == {"counted": 3}
    assert seen == [Progress(message=f"step {done}", done=done, total=3) for done in range(3)]


async def test_what_a_task_prints_or_reads_cannot_break_the_protocol(pool: WorkerPool) -> None:
    assert await pool.run_plain("stray_print", {}) == {"read": ""}


@pytest.mark.thorough
async def test_megabytes_on_one_line_survive_both_ways(pool: WorkerPool) -> None:
    rows = [[index, index / 7, f"{index:040}"] for index in range(100_000)]
    assert (await pool.run_plain("echo", {"rows": rows}))["rows"] == rows


async def test_a_refusal_arrives_as_it_was_raised(pool: WorkerPool) -> None:
    with pytest.raises(InputError) as caught:
        await pool.run_plain("refuse", {})
    assert str(caught.value) == "--thing: no such thing (got 3)\n  accepted: 1 or 2\n  do: take 2"
    assert caught.value.remedy == "take 2"


async def test_refusals_keep_their_class_as_far_as_it_is_known(pool: WorkerPool) -> None:
    with pytest.raises(UnknownNameError, match="did you mean h100"):
        await pool.run_plain("refuse_name", {})
    with pytest.raises(InputError, match=r"^does not fit$"):
        await pool.run_plain("refuse_specially", {})


async def test_a_bug_keeps_its_traceback_and_the_worker_its_place(pool: WorkerPool) -> None:
    before = await _pid(pool)
    with pytest.raises(WorkerError, match=r"AssertionError: utilization is 1\.2") as caught:
        await pool.run_plain("fail", {})
    assert "example_worker.py" in caught.value.details
    assert await _pid(pool) == before


async def test_a_result_that_is_not_plain_is_a_bug_and_not_the_end(pool: WorkerPool) -> None:
    with pytest.raises(WorkerError, match="TypeError"):
        await pool.run_plain("unsayable", {})
    assert await pool.run_plain("count", {"steps": 0}) == {"counted": 0}


async def test_an_unknown_task_lists_the_known(pool: WorkerPool) -> None:
    with pytest.raises(UnknownNameError, match="stray_print"):
        await pool.run_plain("nothing", {})


async def test_a_dying_worker_tells_its_caller_and_is_replaced(pool: WorkerPool) -> None:
    before = await _pid(pool)
    with pytest.raises(WorkerError, match="ended with status 7") as caught:
        await pool.run_plain("die", {})
    assert caught.value.details == "last words\n"
    assert await _pid(pool) != before


async def test_a_worker_killed_in_the_middle_of_a_task_tells_its_caller(pool: WorkerPool) -> None:
    task, pids = await _started(pool, "ignore")
    os.kill(int(pids.split()[0]), signal.SIGKILL)
    with pytest.raises(WorkerError, match="killed by SIGKILL"):
        await task
    assert await pool.run_plain("count", {"steps": 1}) == {"counted": 1}


async def test_a_worker_that_died_idle_is_replaced_unnoticed(pool: WorkerPool, gone: Callable[[int], bool]) -> None:
    before = await _pid(pool)
    os.kill(before, signal.SIGKILL)
    assert await asyncio.to_thread(gone, before)
    await asyncio.sleep(0.05)
    assert await _pid(pool) != before


async def test_a_dead_worker_leaves_no_zombie(pool: WorkerPool) -> None:
    pid = await _pid(pool)
    with pytest.raises(WorkerError):
        await pool.run_plain("die", {})
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


async def test_an_obedient_task_stops_at_once_and_its_worker_lives_on(pool: WorkerPool) -> None:
    before = await _pid(pool)
    task, _ = await _started(pool, "obey")
    start = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - start < 0.5
    assert await _pid(pool) == before


@pytest.mark.evidence
async def test_a_deaf_task_is_killed_with_its_children_after_a_second(
    pool: WorkerPool, gone: Callable[[int], bool]
) -> None:
    task, pids = await _started(pool, "ignore")
    start = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert PATIENCE <= time.monotonic() - start < 2
    assert all([await asyncio.to_thread(gone, int(pid)) for pid in pids.split()])
    assert await pool.run_plain("count", {"steps": 1}) == {"counted": 1}


async def test_a_second_cancel_ends_the_patience(pool: WorkerPool) -> None:
    task, _ = await _started(pool, "ignore")
    start = time.monotonic()
    task.cancel()
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - start < 0.8


async def test_leaving_with_running_work_is_quick_and_leaves_nothing(
    example: tuple[str, ...], gone: Callable[[int], bool]
) -> None:
    async with WorkerPool(command=example) as pool:
        task, pids = await _started(pool, "ignore")
        start = time.monotonic()
    assert time.monotonic() - start < 0.5
    with pytest.raises(WorkerError):
        await task
    assert all([await asyncio.to_thread(gone, int(pid)) for pid in pids.split()])


async def test_leaving_while_a_worker_starts_leaves_nothing(example: tuple[str, ...]) -> None:
    async with WorkerPool(command=example) as pool:
        tasks = [asyncio.create_task(pool.run_plain("echo", {})) for _ in range(2)]
        await asyncio.sleep(0)
    for task in tasks:
        assert task.done()
        with pytest.raises(WorkerError, match="told to go"):
            await task


async def test_leaving_does_not_wait_for_a_worker_that_never_starts(
    gone: Callable[[int], bool], tmp_path: Path
) -> None:
    said = tmp_path / "pid"
    silent = f"import os, pathlib; pathlib.Path({str(said)!r}).write_text(str(os.getpid())); input()"
    async with asyncio.timeout(20):
        async with WorkerPool(command=(sys.executable, "-c", silent)) as pool:
            task = asyncio.create_task(pool.run_plain("echo", {}))
            while not said.exists() or not said.read_text():
                await asyncio.sleep(0.01)
        with pytest.raises(WorkerError, match="told to go"):
            await task
    assert await asyncio.to_thread(gone, int(said.read_text()))


async def test_a_run_cancelled_while_its_worker_starts_ends_at_once(example: tuple[str, ...]) -> None:
    for pauses in range(12):
        async with WorkerPool(command=example) as pool, asyncio.timeout(5):
            task = asyncio.create_task(pool.run_plain("echo", {}))
            for _ in range(pauses):
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task


async def test_two_workers_run_two_tasks_at_the_same_time(example: tuple[str, ...], tmp_path: Path) -> None:
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    async with WorkerPool(2, command=example) as pool, asyncio.timeout(20):
        await asyncio.gather(
            pool.run_plain("meet", {"mine": one, "other": two}), pool.run_plain("meet", {"mine": two, "other": one})
        )


async def test_one_worker_runs_tasks_one_after_the_other(pool: WorkerPool) -> None:
    results = await asyncio.gather(*(pool.run_plain("echo", {"turn": turn}) for turn in range(5)))
    assert [result["turn"] for result in results] == [0, 1, 2, 3, 4]
    assert len({result["pid"] for result in results}) == 1


async def test_a_report_that_fails_fails_the_run_and_not_the_next(pool: WorkerPool) -> None:
    def broken(progress: Progress) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await pool.run_plain("count", {"steps": 3}, report=broken)
    assert await pool.run_plain("count", {"steps": 1}) == {"counted": 1}


def test_the_default_leaves_a_core_to_others() -> None:
    assert 1 <= default_workers() <= 4
    assert default_workers() <= max(1, (os.cpu_count() or 1) - 1)


async def test_work_done_together_comes_back_in_order_and_the_first_failure_ends_the_rest() -> None:
    ended: list[str] = []

    async def slow(name: str, turns: int) -> str:
        try:
            for _ in range(turns):
                await asyncio.sleep(0)
            return name
        finally:
            ended.append(name)

    async def broken() -> str:
        raise InputError("broken")

    assert await together([slow("a", 5), slow("b", 1)]) == ["a", "b"]
    assert ended == ["b", "a"]
    with pytest.raises(InputError, match="broken"):
        await together([slow("c", 10**6), broken()])
    assert ended == ["b", "a", "c"]
