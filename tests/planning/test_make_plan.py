import asyncio
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.digest import said
from fleettui.domain.engine_settings import SEARCHED
from fleettui.domain.job import Job
from fleettui.domain.plan import Answer
from fleettui.domain.progress import Progress
from fleettui.domain.scenario import Question
from fleettui.domain.simulation import LOOK
from fleettui.domain.slo import Slo
from fleettui.errors import InputError, StoreError, StoreReadOnlyError, UnknownNameError
from fleettui.planning.make_plan import make_plan
from fleettui.planning.worker_pool import WorkerPool
from store import Store
from tests.planning.simulated import SET_SO, evidence_of, full, question, sizes, trace, tried
from tests.repeated import few

FORMULA = Question(
    workload="azure-2023-conv",
    demand=Demand(form="rate", rate=100.0),
    slo=Slo(ttft=0.5),
    gpus=("h100",),
    tp=(8,),
    max_num_seqs=256,
    token_budget=2048,
    front_end=0.0,
    name="chat",
    verify=False,
    step_law="roofline",
)
VERIFIED = replace(
    FORMULA, demand=Demand(form="rate", rate=20.0), slo=Slo(ttft=0.31), pools=(1,), precision=0.2, verify=True
)


async def test_a_verified_answer_is_the_stored_one_with_all_its_proof(store: Store, workers: WorkerPool) -> None:
    told: list[Progress] = []
    answer = await make_plan(VERIFIED, store=store, report=told.append, pool=workers)
    assert answer.verdict == "pass"
    assert store.plan("last") == answer
    assert store.question("chat") == VERIFIED
    assert store.is_finished("last")

    assert {sizes(one): evidence_of(one).verdict for one in tried(answer)} == {(2,): "fail", (3,): "pass"}
    assert sizes(answer.answer) == (3,)
    evidence = evidence_of(answer.answer)
    assert (evidence.method, evidence.seed, evidence.precision) == ("simulation", 1, 0.2)
    seen = evidence_of(tried(answer)[0]).pools[0].ttft
    assert answer.why == (
        "pool all: one replica fewer fails in simulation: "
        f"TTFT {seen.value:.3g} s [{seen.low:.3g}, {seen.high:.3g}], limit 0.31 s",
        "pool all: the formula asks for 2 replicas, the simulation for 3",
        "arrivals: Poisson's; --arrivals bursty plans with the bursts in it",
        SET_SO,
    )
    for one in tried(answer):
        runs = store.replications(one.candidate, 1, histograms=True)
        assert full(runs) == tuple(range(evidence_of(one).replications))
        assert runs[-1].index == LOOK
        for pool in (pool for run in runs for pool in run.pools):
            assert {histogram.metric for histogram in pool.histograms} == {"ttft", "tpot", "e2e"}
            ttft = next(one for one in pool.histograms if one.metric == "ttft")
            assert sum(number for _, number in ttft.cells) == pool.completed == pool.offered
        assert store.verifications(one.candidate) == (one.evidence,)

    assert_minimal(answer, VERIFIED)

    job = store.job("last")
    assert (job.kind, job.state, job.plan, job.done, job.total) == ("plan", "done", answer.plan.id, 10, 10)
    assert store.row("last").method == "simulation"
    assert any(step.message == "simulating H100 tp8 x3" and step.done == step.total == 10 for step in told)


async def test_unverified_it_is_the_formulas(store: Store) -> None:
    told: list[Progress] = []
    answer = await make_plan(FORMULA, store=store, report=told.append)
    assert answer.verdict == "pass"
    assert evidence_of(answer.answer).method == "formula"
    assert answer.plan.handle
    assert answer.plan.name == "chat"
    assert store.plan("last") == answer
    assert store.question("chat") == FORMULA
    assert (store.is_finished("last"), store.jobs()) == (True, ())
    assert told


async def test_who_waits_is_told_of_the_plan_and_its_job_before_the_proof(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    told: list[tuple[Answer, Job]] = []

    def begun(plan: Answer, job: Job) -> None:
        assert (store.plan(plan.plan.id), store.is_finished(plan.plan.id)) == (plan, False)
        assert store.job(job.id) == job
        told.append((plan, job))

    asked = question(trace(tmp_path), slo=Slo(ttft=0.5))
    answer = await make_plan(asked, store=store, pool=workers, begun=begun)
    ((plan, job),) = told
    assert (plan.plan, plan.verdict) == (answer.plan, "unproven")
    assert (job.kind, job.state, job.plan) == ("plan", "running", answer.plan.id)
    await make_plan(FORMULA, store=store, pool=workers, begun=begun)
    assert len(told) == 1, "without proof there is no job"


@pytest.mark.thorough
@pytest.mark.parametrize("verify", few([True, False], 1))
async def test_a_what_if_knows_the_plan_it_comes_from(
    store: Store, workers: WorkerPool, tmp_path: Path, verify: bool
) -> None:
    first = await make_plan(FORMULA, store=store, pool=workers)
    asked = question(trace(tmp_path), slo=Slo(ttft=0.5), verify=verify)
    second = await make_plan(asked, store=store, pool=workers, parent=first.plan.id)
    assert store.row(second.plan.id).parent == first.plan.id
    assert store.row(first.plan.id).parent == ""


async def test_its_inputs_are_pinned(store: Store, workers: WorkerPool) -> None:
    answer = await make_plan(FORMULA, store=store, pool=workers)
    scenario = store.scenario(answer.plan.id)
    assert store.workload(scenario.workload).name == "azure-2023-conv"
    assert [store.profile(key).tp for key in scenario.profiles] == [8]
    assert scenario.rate == 100.0


@pytest.mark.thorough
async def test_one_question_is_one_scenario_however_its_numbers_are_written(store: Store, workers: WorkerPool) -> None:
    whole = replace(FORMULA, demand=Demand(form="rate", rate=100), name="other")
    one = await make_plan(FORMULA, store=store, pool=workers)
    two = await make_plan(whole, store=store, pool=workers)
    assert one.plan.scenario == two.plan.scenario
    assert one.plan.id != two.plan.id


async def test_a_store_is_opened_once(tmp_path: Path, workers: WorkerPool) -> None:
    with ExitStack() as stack:
        opened: list[Store] = []

        def once() -> Store:
            opened.append(stack.enter_context(Store.open(tmp_path / "plans.db")))
            return opened[0]

        answer = await make_plan(FORMULA, store=once, pool=workers)
    assert len(opened) == 1
    with Store.open(tmp_path / "plans.db") as store:
        assert store.plan("last") == answer


@pytest.mark.parametrize("verify", [True, False])
async def test_a_refused_question_stores_nothing(store: Store, workers: WorkerPool, verify: bool) -> None:
    asked = replace(FORMULA, gpus=("h10",), verify=verify)
    with pytest.raises(UnknownNameError, match="did you mean h100"):
        await make_plan(asked, store=store, pool=workers)
    assert (store.count(), store.jobs()) == (0, ())


async def test_a_store_that_does_not_open_says_so(tmp_path: Path, workers: WorkerPool) -> None:
    (tmp_path / "plans.db").write_text("this is no database, and long enough to be looked at" * 100)
    with pytest.raises(StoreError):
        await make_plan(VERIFIED, store=lambda: Store.open(tmp_path / "plans.db"), pool=workers)


@pytest.mark.parametrize("asked", [VERIFIED, replace(VERIFIED, router=SEARCHED)], ids=["one router", "searched"])
async def test_a_store_that_may_only_be_read_is_refused_before_the_search_has_ended(
    tmp_path: Path, workers: WorkerPool, monkeypatch: pytest.MonkeyPatch, asked: Question
) -> None:
    Store.open(tmp_path / "plans.db").close()
    ended, run = list[str](), workers.run_plain

    async def watched(name: str, *given: Any) -> Any:
        try:
            return await run(name, *given)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        finally:
            ended.append(name)

    monkeypatch.setattr(workers, "run_plain", watched)
    with Store.open(tmp_path / "plans.db", read_only=True) as store, pytest.raises(StoreReadOnlyError):
        await make_plan(asked, store=lambda: store, pool=workers)
    assert ended in ([], ["cancelled", "plan"])


async def test_an_infeasible_answer_is_kept_and_not_simulated(store: Store, workers: WorkerPool) -> None:
    answer = await make_plan(replace(VERIFIED, slo=Slo(ttft=0.001)), store=store, pool=workers)
    assert answer.answer is None
    assert (store.plan("last").verdict, store.is_finished("last"), store.jobs()) == ("infeasible", True, ())


async def test_more_clients_than_can_be_simulated_are_refused_before_anything_is_kept(
    store: Store, workers: WorkerPool
) -> None:
    crowd = replace(VERIFIED, demand=Demand(form="concurrency", concurrency=2_000_000, think=1e4))
    with pytest.raises(InputError, match="--concurrency: a closed loop of so many clients"):
        await make_plan(crowd, store=store, pool=workers)
    assert (store.count(), store.jobs()) == (0, ())


async def test_the_papers_preset_is_not_simulated(store: Store, workers: WorkerPool) -> None:
    asked = replace(VERIFIED, workload="azure-paper", preset="paper", gpus=("a100",), tp=())
    answer = await make_plan(asked, store=store, pool=workers)
    assert evidence_of(answer.answer).method == "formula"
    assert answer.verdict == "pass"
    assert store.jobs() == ()


TWO_POOLS = replace(
    VERIFIED, workload="azure-2023-code", demand=Demand(form="rate", rate=5.0), slo=Slo(tpot=0.05), pools=(2,)
)
MINIMAL: dict[str, tuple[Question, tuple[int, ...], tuple[int, ...]]] = {
    "two pools, the formula too low": (TWO_POOLS, (1, 1), (1, 2)),
    "two pools, the formula's others": (replace(TWO_POOLS, slo=Slo(tpot=0.03)), (1, 2), (3, 1)),
    "long prompts, the formula too high": (
        replace(VERIFIED, workload="mooncake-conversation", demand=Demand(form="rate", rate=1.0), slo=Slo(tpot=0.1)),
        (2,),
        (1,),
    ),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", few(MINIMAL, 1))
async def test_the_answer_is_minimal_as_simulated(name: str, workers: WorkerPool, store: Store) -> None:
    asked, formula, simulated = MINIMAL[name]
    guess = await make_plan(replace(asked, verify=False), store=store, pool=workers)
    assert sizes(guess.answer) == formula
    answer = await make_plan(asked, store=store, pool=workers)
    assert (answer.verdict, evidence_of(answer.answer).verdict) == ("pass", "pass")
    assert sizes(answer.answer) == simulated
    assert_minimal(answer, asked)


def assert_minimal(answer: Answer, asked: Question) -> None:
    """Assert that one replica fewer of any pool breaks a limit in that pool: utilization, or a latency as simulated."""
    assert answer.answer is not None
    for place, pool in enumerate(answer.answer.fleet.pools):
        busy = answer.answer.pools[place].utilization * pool.replicas
        if pool.replicas == 1 or busy / (pool.replicas - 1) > asked.max_utilization:
            continue
        fewer = [evidence_of(one).pools[place] for one in tried(answer) if sizes(one)[place] == pool.replicas - 1]
        seen = [(one.at(limit), limit.seconds) for one in fewer for limit in asked.slo.limits()]
        assert any(value.value is not None and (value.high or value.value) > limit for value, limit in seen), pool.name


@pytest.mark.evidence
async def test_another_store_another_run_and_two_workers_give_the_same_bytes(
    tmp_path: Path, workers: WorkerPool
) -> None:
    asked = question(trace(tmp_path), slo=Slo(ttft=0.5))
    answers = []
    for name in ("one.db", "again.db", "two.db"):
        async with WorkerPool(2) as two:
            with Store.open(tmp_path / name) as store:
                answer = await make_plan(asked, store=store, pool=two if name == "two.db" else workers)
                runs = [store.replications(one.candidate, 1, histograms=True) for one in tried(answer)]
                answers.append((said(answer), said(store.plan("last")), runs))
    assert answers[0] == answers[1] == answers[2]
    assert answers[0][0] == answers[0][1]
