"""Tasks on a Dask scheduler and two workers, all of them in this process."""

import asyncio
import time
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest
from distributed import LocalCluster
from distributed.versions import VersionMismatchWarning

from fleettui.domain.digest import said
from fleettui.domain.progress import Progress
from fleettui.domain.slo import Slo
from fleettui.errors import InputError, UnknownNameError, WorkerError
from fleettui.planning.cluster import connection, remote
from fleettui.planning.cluster.address import Cluster
from fleettui.planning.cluster.pool import OF_FILES, ClusterPool
from fleettui.planning.make_plan import make_plan
from fleettui.planning.tasks import tasks_of
from store import Store
from tests.planning.simulated import Here, question, trace, tried
from tests.short_worker import shorter_runs


async def test_results_progress_and_refusals_come_back_as_from_a_process(there: ClusterPool) -> None:
    seen: list[Progress] = []
    assert await there.run_plain("count", {"steps": 3}, seen.append) == {"counted": 3}
    await _until(lambda: len(seen) == 3)
    assert seen == [Progress(message=f"step {done}", done=done, total=3) for done in range(3)]
    rows = [[index, index / 7, f"{index:040}"] for index in range(10_000)]
    assert (await there.run_plain("echo", {"rows": rows}))["rows"] == rows
    with pytest.raises(InputError) as refused:
        await there.run_plain("refuse", {})
    assert str(refused.value) == "--thing: no such thing (got 3)\n  accepted: 1 or 2\n  do: take 2"
    with pytest.raises(UnknownNameError, match="stray_print"):
        await there.run_plain("nothing", {})
    with pytest.raises(WorkerError, match=r"AssertionError: utilization is 1\.2") as bug:
        await there.run_plain("fail", {})
    assert "example_worker.py" in bug.value.details


async def test_a_cancelled_task_stops_where_it_runs_and_so_does_that_of_a_pool_that_is_left(
    there: ClusterPool, dask: LocalCluster
) -> None:
    task = await _begun(there)
    before = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await _until(lambda: not _running(dask))
    assert time.monotonic() - before < 2
    left = await _begun(there)
    await there.__aexit__(None, None, None)
    with pytest.raises(WorkerError, match="told to go"):
        await left
    await _until(lambda: not _running(dask))


async def test_a_task_whose_worker_is_lost_is_done_by_another(
    there: ClusterPool, dask: LocalCluster, tmp_path: Path
) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    task = asyncio.create_task(there.run_plain("meet", {"mine": str(mine), "other": str(other)}))
    await _until(mine.exists)
    mine.unlink()
    lost = next(worker for worker in dask.workers.values() if worker.state.executing_count)
    await lost.close(nanny=False, executor_wait=False)
    await _until(mine.exists)
    other.touch()
    assert await task == {}


async def test_workers_of_another_program_and_what_is_no_scheduler_are_refused(
    there: ClusterPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "program", lambda: {"numpy": "1.0"})
    with pytest.raises(InputError, match=r"(?s)runs another program: fleettui None, here .*; numpy 1\.0, here"):
        await there.run_plain("count", {"steps": 0})
    monkeypatch.setattr(connection, "CONNECT_TIME", 0.2)
    nobody = Cluster(text="", scheduler="tcp://127.0.0.1:9")
    async with ClusterPool(nobody) as pool:
        with pytest.raises(InputError, match=r"(?s)--cluster: no scheduler answers.*do: start one: dask scheduler"):
            await pool.run_plain("verification-judge", {})


@pytest.mark.thorough
async def test_packages_that_no_task_needs_are_not_talked_of(address: Cluster) -> None:
    with warnings.catch_warnings(record=True) as told:
        opened = await connection.Connection.open(address.scheduler)
        warnings.warn("pandas: client 3.1.1, workers None", VersionMismatchWarning, stacklevel=1)
        await opened.close()
    assert not [one for one in told if issubclass(one.category, VersionMismatchWarning)]


@pytest.mark.thorough
async def test_a_plan_that_is_proven_there_is_the_one_of_one_process_to_the_byte(
    address: Cluster, tmp_path: Path
) -> None:
    asked = question(trace(tmp_path), slo=Slo(ttft=0.5))
    answers = []
    here = Here()
    here.runs = nullcontext  # both have short ones
    for name, pool in (("here.db", here), ("there.db", ClusterPool(address))):
        with Store.open(tmp_path / name) as store, shorter_runs():
            async with pool:
                answer = await make_plan(asked, store=store, pool=pool)
            runs = [store.replications(one.candidate, 1, histograms=True) for one in tried(answer)]
            answers.append((said(answer), said(runs)))
    assert answers[0] == answers[1]


async def test_what_takes_a_file_of_the_users_stays_here() -> None:
    from fleettui.planning import tasks

    takes = {"path", "paths", "scrapes", "tokenizer", "format"}
    folder = Path(str(tasks.__file__)).parent
    modules = [one.stem for one in folder.glob("*.py") if one.stem != "__init__"]
    assert {name for name in modules for task in tasks_of(name).values() if takes & {*task.__annotations__}} == OF_FILES


async def _begun(pool: ClusterPool) -> asyncio.Task[object]:
    """Return a task that runs until it is told to stop, once it runs."""
    said: asyncio.Queue[Progress] = asyncio.Queue()
    task = asyncio.create_task(pool.run_plain("obey", {}, said.put_nowait))
    await asyncio.wait_for(said.get(), 10)
    return task


def _running(dask: LocalCluster) -> int:
    return sum(worker.state.executing_count for worker in dask.workers.values())


async def _until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not holds():
            await asyncio.sleep(0.01)
