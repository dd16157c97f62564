import asyncio
import json
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import fleettui.cli.detached
import fleettui.planning.make_plan
from fleettui.domain.job import Job
from fleettui.domain.plan import Answer
from store import Store
from tests.store import samples

Run = Callable[..., tuple[int, str, str]]
ASKED = ("azure-2023-conv", "--rate", "10/s", "--slo-ttft", "500ms", "--cluster", "local:2")


@pytest.fixture(name="handed")
def handed_fixture(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Job]:
    """Begin a plan without computing one, start no runner, and return the jobs that one would be started for."""
    monkeypatch.setenv("FLEETTUI_DB", str(tmp_path / "plans.db"))
    handed: list[Job] = []

    async def make_plan(_: Any, *, store: Callable[[], Store], begun: Callable[..., None], **_more: Any) -> Answer:
        begun(*samples.begin(store()))
        raise AssertionError("the work ends where the job begins")

    def hand_over(job: Job, database: Path, cluster: str | None) -> bool:
        assert (database, cluster) == (tmp_path / "plans.db", "local:2")
        handed.append(job)
        return len(handed) < 3

    monkeypatch.setattr(fleettui.planning.make_plan, "make_plan", make_plan)
    monkeypatch.setattr(fleettui.cli.detached, "hand_over", hand_over)
    return handed


def test_a_detached_plan_prints_its_handles_and_is_for_a_runner(run: Run, handed: list[Job], tmp_path: Path) -> None:
    code, out, err = run("plan", *ASKED, "--detach")
    job = handed[0]
    assert (code, err) == (0, "")
    assert out.endswith(f"job {job.handle} goes on without this terminal\nlook: fleettui jobs follow {job.handle}\n")
    plain = json.loads(run("plan", *ASKED, "--detach", "--json")[1])
    assert (plain["command"], plain["job"]["handle"]) == ("plan", handed[1].handle)
    with Store.open(tmp_path / "plans.db") as store:
        assert store.job(job.id) == replace(store.job(job.id), state="stopped", owner="")


def test_where_no_runner_can_be_started_the_job_is_told(run: Run, handed: list[Job]) -> None:
    for _ in range(2):
        run("plan", *ASKED, "--detach")
    code, _, err = run("plan", *ASKED, "--detach")
    assert code == 1
    assert f"fleettui jobs resume {handed[-1].handle}" in " ".join(err.split())


def test_several_models_together_are_not_handed_over(
    run: Run, handed: list[Job], refused: Callable[..., str], tmp_path: Path
) -> None:
    file = tmp_path / "joint.yaml"
    file.write_text("workloads:\n  - {workload: azure-2023-conv, rate: 10/s, slo-ttft: 500ms}\n")
    assert "--detach" in refused(run("plan", "-f", str(file), "--detach"))
    assert not handed


def test_work_whose_terminal_hangs_up_is_for_a_runner(
    run: Run, handed: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def make_plan(_: Any, *, store: Callable[[], Store], begun: Callable[..., None], **_more: Any) -> Answer:
        begun(*samples.begin(store()))
        os.kill(os.getpid(), signal.SIGHUP)
        await asyncio.sleep(60)
        raise AssertionError("it is cancelled")

    monkeypatch.setattr(fleettui.planning.make_plan, "make_plan", make_plan)
    code, out, _ = run("plan", *ASKED)
    assert code == 0
    assert f"job {handed[0].handle} goes on without this terminal" in out


def test_a_terminal_that_hangs_up_before_there_is_a_job_leaves_nothing(
    run: Run, handed: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def make_plan(*_: Any, **_more: Any) -> Answer:
        os.kill(os.getpid(), signal.SIGHUP)
        await asyncio.sleep(60)
        raise AssertionError("it is cancelled")

    monkeypatch.setattr(fleettui.planning.make_plan, "make_plan", make_plan)
    assert run("plan", *ASKED)[0] == 129
    assert not handed
