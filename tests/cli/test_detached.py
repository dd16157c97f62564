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
from fleettui.domain.study import Study
from store import Store
from store.job_owner import present
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


def handed_over(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """Start no runner, and return the jobs that one would be started for."""
    jobs: list[Job] = []

    def hand_over(job: Job, *_: Any) -> bool:
        jobs.append(job)
        return True

    monkeypatch.setattr(fleettui.cli.detached, "hand_over", hand_over)
    return jobs


def test_a_detached_study_is_a_job_for_a_runner_which_prints_it_when_it_is_there(
    run: Run, refused: Callable[..., str], handle: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    jobs = handed_over(monkeypatch)
    code, out, err = run("pareto", "--detach")
    assert (code, err) == (0, "")
    assert out == f"job {jobs[0].handle} goes on without this terminal\nlook: fleettui jobs follow {jobs[0].handle}\n"
    plain = json.loads(run("whatif", handle, "--steps", "--detach", "--json")[1])
    assert (plain["command"], plain["job"]["title"]) == ("whatif", f"whatif {handle} --steps")
    assert "nosuch" in refused(run("pareto", "nosuch", "--detach"))
    assert [job.title for job in jobs] == [f"pareto {handle}", f"whatif {handle} --steps"]
    first = jobs[0].handle
    listed = run("jobs")[1]
    assert f"{first}  pareto {handle}" in listed
    assert run("jobs", "follow", first)[0] == 130, "nobody is at work on it"
    assert run("jobs", "resume", first, "--detach")[1].startswith(f"job {first} goes on without this terminal")
    with Store.open(tmp_path / "plans.db") as store:
        store.claim_job(first, present())
        kept = store.add_study(samples.study("last"), job=jobs[0].id)
    code, out, err = run("jobs", "follow", first)
    assert (code, err) == (0, "")
    assert kept.title in out
    assert json.loads(run("jobs", "follow", first, "--json")[1])["command"] == "jobs follow"
    assert f"do: fleettui show {kept.handle}" in refused(run("jobs", "resume", first))


def test_a_study_that_was_left_goes_on_where_its_files_are_named_from(
    run: Run, handle: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    jobs = handed_over(monkeypatch)
    there, found = tmp_path / "there", list[Any]()
    there.mkdir()
    monkeypatch.chdir(there)

    async def make(kind: str, store: Store, *, job: str = "", report: Any, pool: Any, **values: Any) -> Study:
        assert callable(report)
        assert pool is not None
        found.append((kind, Path.cwd(), values["plan"]))
        if len(found) == 1:
            os.kill(os.getpid(), signal.SIGHUP)
            await asyncio.sleep(60)
        return store.add_study(samples.study("last"), job=job)

    monkeypatch.setattr("fleettui.planning.studies.study_context.make", make)
    code, out, _ = run("pareto")
    assert (code, out.splitlines()[0]) == (0, f"job {jobs[0].handle} goes on without this terminal")
    monkeypatch.chdir(tmp_path)
    code, out, err = run("jobs", "resume", jobs[0].handle)
    assert (code, err) == (0, "")
    assert samples.study().title in out
    assert found == [("pareto", there, "last"), ("pareto", there, handle)]
    assert run("jobs")[1].splitlines()[-1].startswith("its study: fleettui show ")
    there.rmdir()
