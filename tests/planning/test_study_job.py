"""A study that is left is a job: whoever takes it up comes to the study that one unbroken comes to."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.progress import Progress
from fleettui.domain.study import Study
from fleettui.errors import InputError, Interrupted, UnknownNameError
from fleettui.planning.follow_job import end_of_job
from fleettui.planning.hand_over import RUNNERS, hand_over
from fleettui.planning.make_plan import make_plan
from fleettui.planning.studies import commands
from fleettui.planning.studies.study_context import make
from fleettui.planning.study_job import Asked, folder_of, leave_study, resume_study
from fleettui.planning.worker_pool import WorkerPool
from fleettui.reports.question.conversion import Given
from store import Store
from tests.planning.simulated import PATIENCE, Watched, question, trace
from tests.store import samples

pytestmark = pytest.mark.usefixtures("ended_runners")


class Held(WorkerPool):
    """A pool whose tasks do not end."""

    async def run_plain(self, *_: Any) -> Any:
        """Wait until it is cancelled."""
        await asyncio.Event().wait()


def bare(study: Study) -> Study:
    """Return a study without what tells it from the same one made at another time."""
    return replace(study, id="", handle="", created="")


async def planned(store: Store, workers: WorkerPool, folder: Path) -> str:
    """Keep a small plan by formula and return its handle."""
    return (await make_plan(question(trace(folder), verify=False), store=store, pool=workers)).plan.handle


async def test_what_was_asked_is_read_as_it_was_said() -> None:
    given = {"fleet": "a fleet.yaml", "prometheus": ("a.txt", "b.txt"), "question": {"rate": Given("9/s", "--rate")}}
    asked = Asked(command="backtest", given=given, folder="/there")
    assert Asked.of(asked.text()) == asked
    assert asked.line == "backtest 'a fleet.yaml' --prometheus a.txt --prometheus b.txt --rate 9/s"
    flagged = Asked(command="whatif", given={"plan": "41a7", "steps": True, "seed": None}, folder="/")
    assert flagged.line == "whatif 41a7 --steps"
    assert flagged.study() == ("steps", {"plan": "41a7", "low": None, "high": None})
    with pytest.raises(UnknownNameError, match="tomorrow"):
        replace(flagged, command="tomorrow").study()


async def test_a_study_that_was_left_is_what_it_would_have_been_of_the_plan_that_was_last(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    handle = await planned(store, workers, tmp_path)
    whole = await make("pareto", store, pool=workers, plan=handle)
    job = leave_study(store, commands()["pareto"], {}, tmp_path)
    assert (job.state, job.kind, job.title, job.owner) == ("stopped", "study", f"pareto {handle}", "")
    assert folder_of(job) == tmp_path
    samples.add(store)
    told: list[Progress] = []
    found = await resume_study(store, job.handle, pool=workers, report=told.append)
    assert bare(found) == bare(whole)
    done = store.job(job.id)
    assert (done.state, done.study, done.finished >= done.created) == ("done", found.id, True)
    assert await end_of_job(store, done) == done
    with pytest.raises(InputError, match=f"fleettui show {found.handle}"):
        await resume_study(store, job.id, pool=workers)


async def test_what_cannot_be_asked_is_no_job(store: Store, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nosuch"):
        leave_study(store, commands()["pareto"], {"plan": "nosuch"}, tmp_path)
    samples.add(store)
    with pytest.raises(InputError, match="several questions at once"):
        leave_study(store, commands()["whatif"], {"plan": "last", "steps": True, "sensitivity": True}, tmp_path)
    assert store.count_jobs() == 0


async def test_a_study_that_fails_can_be_taken_up_again(store: Store, workers: Watched, tmp_path: Path) -> None:
    handle = await planned(store, workers, tmp_path)
    job = leave_study(store, commands()["against"], {"plan": handle, "run": str(tmp_path / "none.jsonl")}, tmp_path)
    with pytest.raises(InputError, match=r"none\.jsonl"):
        await resume_study(store, job.id, pool=workers)
    failed = store.job(job.id)
    assert (failed.state, failed.study) == ("failed", "")
    assert "none.jsonl" in failed.message
    assert store.claim_job(job.id, "elsewhere:1:1").state == "running"


async def test_a_study_under_way_is_stopped_by_another_program(store: Store, workers: Watched, tmp_path: Path) -> None:
    job = leave_study(store, commands()["pareto"], {"plan": await planned(store, workers, tmp_path)}, tmp_path)

    work = asyncio.create_task(resume_study(store, job.id, pool=Held()))
    async with asyncio.timeout(PATIENCE):
        while store.job(job.id).state != "running":
            await asyncio.sleep(0.01)
        with Store.open(store.path) as other:
            assert other.request_cancel(job.handle).state == "running"
        with pytest.raises(Interrupted, match="what was finished is kept"):
            await work
    assert (store.job(job.id).state, store.count_studies()) == ("cancelled", 0)


async def test_where_the_folder_of_its_files_is_gone_that_is_said(store: Store, tmp_path: Path) -> None:
    samples.add(store)
    job = leave_study(store, commands()["pareto"], {}, tmp_path / "gone")
    with pytest.raises(InputError, match=r"the folder that the study was asked for in is not there"):
        folder_of(job)


@pytest.mark.own_workers
@pytest.mark.evidence
async def test_a_study_that_is_handed_over_ends_to_the_byte_as_one_that_is_not(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The runner simulates as long as the program does, so its like is worked out by workers that do so, too."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    async with WorkerPool(1) as workers:
        handle = await planned(store, workers, tmp_path)
        whole = await make("routers", store, pool=workers, plan=handle)
    job = leave_study(store, commands()["routers"], {"plan": handle}, tmp_path)
    assert hand_over(job, store.path)
    async with asyncio.timeout(60):
        done = await end_of_job(store, store.job(job.id))
    assert bare(store.study(done.study)) == bare(whole)
    assert [runner.wait(30) for runner in RUNNERS] == [0]
