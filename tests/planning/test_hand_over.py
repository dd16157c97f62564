"""A job that is handed over is done by a process of its own, and ends as it would have here."""

import asyncio
import sys
from pathlib import Path

import pytest

from fleettui.cli.detached import Begun, Detached
from fleettui.domain.digest import said
from fleettui.domain.progress import Progress
from fleettui.errors import InputError
from fleettui.planning.follow_job import follow_job, job_elsewhere
from fleettui.planning.hand_over import RUNNERS, hand_over
from fleettui.planning.make_plan import make_plan
from fleettui.planning.resume_job import resume_job
from store import Store
from store.job_owner import present
from tests.planning.simulated import Watched, question, trace
from tests.store import samples

pytestmark = [
    pytest.mark.looks,  # whoever it is handed to takes them
    pytest.mark.own_workers,
    pytest.mark.usefixtures("ended_runners"),
]


@pytest.mark.evidence
async def test_a_plan_that_is_handed_over_ends_to_the_byte_as_one_that_is_not(
    workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    asked = question(trace(tmp_path))
    with Store.open(tmp_path / "here.db") as here:
        whole = await make_plan(asked, store=here, pool=workers)
    with Store.open(tmp_path / "there.db") as there:
        begun = Begun(detach=True)
        with pytest.raises(Detached):
            await make_plan(asked, store=there, pool=workers, begun=begun)
        assert begun.found is not None
        plan, job = begun.found
        assert plan.verdict == "unproven"
        assert job_elsewhere(there, job.plan) is None, "it is still ours"
        there.end_job(job.id, "stopped")
        assert hand_over(job, there.path)
        taken = there.job(job.id)
        assert (taken.state, taken.owner != present()) == ("running", True)
        elsewhere = job_elsewhere(there, job.plan)
        assert elsewhere is not None
        assert elsewhere.owner == taken.owner  # its heart beats on between two looks
        with pytest.raises(InputError, match="the job runs already"):
            await resume_job(there, job.id, pool=workers)
        told: list[Progress] = []
        async with asyncio.timeout(60):
            answer = await follow_job(there, job.id, report=told.append)
        assert said(answer) == said(whole)
        assert told
        assert there.job(job.id).state == "done"
        assert job_elsewhere(there, job.plan) is None
    for runner in RUNNERS:
        assert runner.wait(30) in (0, 3), (
            "the exit code is that of the verdict; what is waited for is no child any more"
        )


async def test_a_runner_that_ends_at_once_has_not_taken_the_job_up(
    workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with Store.open(tmp_path / "there.db") as there:
        _, job = samples.begin(there)
        there.end_job(job.id, "stopped")
        monkeypatch.setattr("fleettui.planning.hand_over.RUNNER", (sys.executable, "-c", "pass"))
        assert not hand_over(job, there.path)
        monkeypatch.setattr("fleettui.planning.hand_over.RUNNER", (str(tmp_path / "none"),))
        assert not hand_over(job, there.path)
        assert there.job(job.id).state == "stopped"
