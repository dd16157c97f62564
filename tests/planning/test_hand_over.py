"""A job that is handed over is done by a process of its own, and ends as it would have here."""

import asyncio
import os
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
from store.job_owner import owner_of, present
from tests.planning.simulated import Watched, question, trace
from tests.store import samples

pytestmark = pytest.mark.asyncio(loop_scope="module")


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
        assert job_elsewhere(there, job.plan) == taken
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
    RUNNERS.clear()


async def test_a_job_that_is_given_is_claimed_once_and_by_its_owner_alone(store: Store) -> None:
    _, job = samples.begin(store)
    store.end_job(job.id, "stopped")
    assert store.give_job(job.id, present()).state == "running"
    with pytest.raises(InputError, match="the job runs already"):
        store.claim_job(job.id, owner_of(os.getppid()))
    assert store.claim_job(job.id, present()).owner == present()
    with pytest.raises(InputError, match="the job runs already"):
        store.claim_job(job.id, present())
