"""A cluster of processes on this machine, as `--cluster local:2` starts it."""

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from fleettui.domain.digest import said
from fleettui.planning.cluster.address import read_cluster
from fleettui.planning.cluster.pool import ClusterPool
from fleettui.planning.make_plan import make_plan
from fleettui.planning.worker_pool import WorkerPool
from store import Store
from tests.faults.test_kills import rows
from tests.planning.simulated import children, question, trace, tried

pytestmark = [pytest.mark.own_workers, pytest.mark.evidence]


async def test_four_workers_one_of_them_killed_come_to_what_one_process_does(tmp_path: Path) -> None:
    """The proof of a plan loses a worker in its midst; afterwards no process is left."""
    asked = question(trace(tmp_path), precision=0.005)
    answers = []
    killed: list[int] = []

    async def kill_one() -> None:
        while not killed:
            await asyncio.sleep(0.02)
            if rows(tmp_path / "four.db"):
                workers = [one for here in children(os.getpid()) for one in children(here)]
                killed.append(max(workers, key=_seconds))
                os.kill(killed[0], signal.SIGKILL)

    for name, pool in (("one.db", WorkerPool(1)), ("four.db", ClusterPool(read_cluster("local:4")))):
        with Store.open(tmp_path / name) as store:
            killing = asyncio.create_task(kill_one()) if name == "four.db" else None
            async with pool:
                answer = await make_plan(asked, store=store, pool=pool)
            if killing is not None:
                killing.cancel()
            answers.append((said(answer), said([store.replications(one.candidate, 1) for one in tried(answer)])))
    assert killed
    assert answers[0] == answers[1]
    deadline = time.monotonic() + 5
    while children(os.getpid()) and time.monotonic() < deadline:
        await asyncio.sleep(0.1)
    assert not children(os.getpid())


def _seconds(pid: int) -> float:
    """Return the processor's time that a process has taken."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
