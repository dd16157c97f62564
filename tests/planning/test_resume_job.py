import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.digest import said
from fleettui.domain.fleet import PoolProfile
from fleettui.domain.job import Job
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer
from fleettui.domain.slo import Slo
from fleettui.errors import InputError, Interrupted
from fleettui.planning.make_plan import begin, make_plan
from fleettui.planning.resume_job import resume_job
from fleettui.planning.run_job import work_on
from fleettui.planning.simulate import simulate
from fleettui.planning.verify import verify
from store import Store
from tests.planning.simulated import OPTIMISTIC, PATIENCE, Watched, count, question, sizes, sketch, trace, tried
from tests.store import samples

pytestmark = pytest.mark.own_workers


async def until(condition: Callable[[], object], work: asyncio.Task[Answer]) -> None:
    """Wait until `condition` holds, as long as `work` goes on."""
    async with asyncio.timeout(PATIENCE):
        while not condition():
            assert not work.done(), work.exception()
            await asyncio.sleep(0.01)


async def interrupted(store: Store, workers: Watched, work: asyncio.Task[Answer], more: int, *, kept: int = 0) -> None:
    """Cancel `work` after so many more replications than were `kept`; the next is asked for before the last is kept."""
    workers.most, workers.holding = more, False
    await until(lambda: workers.holding, work)
    await until(lambda: count(store) >= kept + more, work)
    await cancelled(store, work)
    workers.most = None


async def cancelled(store: Store, work: asyncio.Task[Answer]) -> None:
    """Cancel `work` from another connection and see it end so, and soon."""
    with Store.open(store.path) as other:
        assert other.request_cancel("last").state == "running"
    asked = time.monotonic()
    with pytest.raises(Interrupted, match="what was finished is kept"):
        await work
    assert time.monotonic() - asked < 2
    job = store.job("last")
    assert (job.state, job.owner) == ("cancelled", "")


@pytest.mark.evidence
async def test_a_cancelled_plan_goes_on_and_ends_as_an_unbroken_one(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    asked = question(trace(tmp_path))
    with Store.open(tmp_path / "whole.db") as other:
        whole, all_of_it = await make_plan(asked, store=other, pool=workers), count(other)
    assert [sizes(one) for one in tried(whole)] == [(2,), (3,)], "from three, which holds, down to two"
    workers.asked.clear()
    await interrupted(store, workers, asyncio.create_task(make_plan(asked, store=store, pool=workers)), 3)
    await interrupted(store, workers, asyncio.create_task(resume_job(store, "last", pool=workers)), 5, kept=3)
    assert not store.is_finished("last")
    kept = count(store)
    workers.asked.clear()
    answer = await resume_job(store, "last", pool=workers)
    assert workers.replications() == all_of_it - kept
    assert said(answer) == said(whole)
    assert store.plan("last") == answer
    assert (store.job("last").state, store.is_finished("last")) == ("done", True)


async def test_what_is_chosen_together_with_others_fails_whether_it_is_broken_off_or_not(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    """Found: by formula two replicas do, as simulated three; a member of a joint plan that went on was infeasible."""
    asked = question(trace(tmp_path), max_gpus=(("h100", 16),), **OPTIMISTIC)
    new = await workers.run("plan", NewPlan, question=asked, format=None)
    with Store.open(tmp_path / "whole.db") as other:
        whole = await work_on(other, begin(other, new, kind="plan", advise=False), pool=workers)
    assert whole.verdict == "fail"
    job = begin(store, new, kind="plan", advise=False)
    await interrupted(store, workers, asyncio.create_task(work_on(store, job, pool=workers)), 2)
    answer = await resume_job(store, "last", pool=workers)
    assert said(answer) == said(whole)
    assert store.plan("last") == answer
    assert answer.advises, "of a finished plan it is not kept"


@pytest.mark.thorough
async def test_a_long_replication_is_killed_with_its_worker(store: Store, workers: Watched) -> None:
    """A run of millions of requests, which asks nobody whether it should stop."""
    loop = Demand(form="concurrency", concurrency=1_000_000, think=1000.0)
    slow = sketch(
        60,
        profile=PoolProfile(
            base_step_time=0.02, time_per_context_token=4e-8, time_per_prompt_token=3e-5, kv_blocks=30_000
        ),
    )
    asked = question("azure-2023-conv", gpus=(), tp=(), slo=Slo(ttft=60.0), demand=loop)
    work = asyncio.create_task(simulate(slow, asked, store=store, pool=workers))
    await until(lambda: workers.asked.count("verification-replicate"), work)
    await asyncio.sleep(0.3)
    await cancelled(store, work)


@pytest.mark.evidence
async def test_a_cancelled_simulation_and_a_cancelled_verification_go_on(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    asked = question(trace(tmp_path), slo=Slo(ttft=0.5))
    await interrupted(store, workers, asyncio.create_task(simulate(sketch(2), asked, store=store, pool=workers)), 2)
    answer = await resume_job(store, "last", pool=workers)
    assert (answer.verdict, store.is_finished("last")) == ("pass", True)
    await interrupted(store, workers, asyncio.create_task(verify(store, "last", seed=2, pool=workers)), 2)
    assert store.plan("last") == answer
    proved = await resume_job(store, "last", pool=workers)
    assert proved.answer is not None
    assert proved.answer.evidence is not None
    assert (proved.verdict, proved.answer.evidence.seed) == ("pass", 2)
    assert [(job.kind, job.state) for job in store.jobs()] == [("verify", "done"), ("simulate", "done")]


@pytest.mark.thorough
async def test_who_waits_for_a_resumed_job_is_told_once_it_is_ours(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    told: list[tuple[Answer, Job]] = []
    asked = question(trace(tmp_path), slo=Slo(ttft=0.5))
    await interrupted(store, workers, asyncio.create_task(make_plan(asked, store=store, pool=workers)), 2)
    left = store.job("last")
    answer = await resume_job(
        store, "last", pool=workers, begun=lambda plan, job: told.append((plan, store.job(job.id)))
    )
    ((plan, job),) = told
    assert (plan.plan, job.id, job.state, left.state) == (answer.plan, left.id, "running", "cancelled")


async def test_jobs_are_listed_newest_first_a_page_at_a_time(store: Store) -> None:
    begun = [samples.begin(store)[1].id for _ in range(3)]
    assert [job.id for job in store.jobs()] == begun[::-1]
    assert [job.id for job in store.jobs(1, 1)] == [begun[1]]


async def test_what_runs_or_is_done_is_not_taken_up(store: Store) -> None:
    _, job = samples.begin(store)
    with pytest.raises(InputError, match="runs already"):
        await resume_job(store, job.handle)
    store.end_job(job.id, "done")
    with pytest.raises(InputError, match="done"):
        await resume_job(store, job.handle)
    with pytest.raises(InputError):
        store.request_cancel(job.handle)
    with pytest.raises(InputError):
        store.request_cancel("ffff")


async def test_a_job_whose_owner_is_gone_is_cancelled_at_once(store: Store) -> None:
    _, job = samples.begin(store)
    store.end_job(job.id, "stopped")
    assert store.request_cancel(job.handle).state == "cancelled"


async def test_what_another_engine_began_is_not_gone_on_with(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, job = samples.begin(store)
    store.end_job(job.id, "stopped")
    monkeypatch.setattr("fleettui.planning.resume_job.ENGINE_VERSION", begun.plan.engine_version + 1)
    with pytest.raises(InputError, match=f"begun by engine {begun.plan.engine_version}"):
        await resume_job(store, job.handle)
    assert store.job(job.handle).state == "stopped"


async def test_the_job_that_was_looked_at_is_the_one_that_is_taken_up(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, old = samples.begin(store)
    store.end_job(old.id, "stopped")
    look, taken = Store.job, list[str]()

    def look_and_begin(self: Store, ref: str) -> Job:
        found = look(self, ref)
        later = samples.begin(self)[1]
        self.end_job(later.id, "stopped")
        return found

    async def work_on(_: Store, job: Job, **__: object) -> None:
        taken.append(job.id)

    monkeypatch.setattr(Store, "job", look_and_begin)
    monkeypatch.setattr("fleettui.planning.resume_job.work_on", work_on)
    monkeypatch.setattr("fleettui.planning.resume_job.ENGINE_VERSION", begun.plan.engine_version)
    await resume_job(store, "last")
    assert taken == [old.id]
