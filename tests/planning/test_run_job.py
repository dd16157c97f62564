from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from fleettui.domain.demand import Demand, DerivedDemand
from fleettui.domain.digest import said
from fleettui.domain.job import Job
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import AT_POSTED_PRICES, LEAST_RUNS, Answer
from fleettui.domain.progress import Progress
from fleettui.domain.simulation import LOOK
from fleettui.domain.slo import Slo
from fleettui.planning.make_plan import begin, make_plan
from fleettui.planning.prepared_fleet import PreparedFleet, SceneSource
from fleettui.planning.rounds import Rounds
from fleettui.planning.run_job import reasons_left, work_on
from fleettui.planning.simulate import simulate
from store import Store
from tests.planning.simulated import Watched, count, evidence_of, full, question, sizes, sketch, trace, tried
from tests.planning.trials import shape


def again(store: Store, answer: Answer, **changes: str | int) -> Job:
    """Begin another job on a plan that is there."""
    job = replace(store.job("last"), id="", handle="", state="running", plan=answer.plan.id, owner="")
    return store.create_job(replace(job, **changes))  # type: ignore[arg-type]


async def test_a_plans_job_done_again_runs_nothing_and_says_the_same(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    answer = await make_plan(question(trace(tmp_path), slo=Slo(ttft=0.5)), store=store, pool=workers)
    assert len(tried(answer)) == 1
    assert workers.replications() == count(store)
    assert await work_on(store, again(store, answer), pool=workers) == answer
    assert workers.replications() == 0
    assert store.job("last").state == "done"
    assert all(len(store.verifications(one.candidate)) == 1 for one in tried(answer))


@pytest.mark.evidence
async def test_a_closed_loops_answer_has_the_demand_of_its_own_fleet(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    loop = Demand(form="concurrency", concurrency=20, think=0.5)
    workers.asked.clear()
    answer = await make_plan(question(trace(tmp_path), demand=loop, slo=Slo(ttft=0.3)), store=store, pool=workers)
    assert answer.answer is not None
    assert workers.asked.count("verification-stage") == len(tried(answer)), (
        "each trial is staged once, and nothing else is"
    )
    scenario, fleet = store.scenario("last"), answer.answer.fleet
    source = SceneSource.of(scenario.question, store.workload(scenario.workload), answer.demand, key="once more")
    own = sizes(answer.answer)
    stage = await workers.run("verification-stage", PreparedFleet, source=source, fleet=fleet, sizes=own)
    assert stage.demand == answer.demand
    workers.asked.clear()


@pytest.mark.evidence
async def test_another_candidate_of_a_closed_loop_has_its_own_demand(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    loop = Demand(form="concurrency", concurrency=20, think=0.5)
    asked = question(trace(tmp_path), demand=loop, slo=Slo(ttft=0.3), tp=(4, 8), verify=False)
    answer = await make_plan(asked, store=store, pool=workers)
    assert answer.answer is not None
    other = next(one for one in answer.candidates if one.fleet.pools[0].tp != answer.answer.fleet.pools[0].tp)
    demands = []
    for candidate in (other, answer.answer):
        job = Job(
            id="",
            handle="",
            kind="verify",
            title="verify it",
            state="running",
            plan=answer.plan.id,
            candidate=candidate.candidate,
            seed=1,
            precision=0.3,
        )
        found = await work_on(store, store.create_job(job), pool=workers)
        demands.append(found.demand)
        assert found.answer is not None
        assert found.demand.rate == pytest.approx(sum(pool.arrival_rate for pool in candidate.pools))
    assert demands[0] != answer.demand
    assert demands[1] == answer.demand
    workers.asked.clear()


@pytest.mark.thorough
async def test_a_simulated_fleets_job_done_again_says_the_same(store: Store, workers: Watched, tmp_path: Path) -> None:
    asked = question(trace(tmp_path), slo=Slo(ttft=0.5))
    answer = await simulate(sketch(2), asked, store=store, pool=workers)
    assert workers.replications() == count(store)
    assert said(await work_on(store, again(store, answer), pool=workers)) == said(answer)
    assert workers.replications() == 0


async def test_a_verification_is_of_the_jobs_own_candidate_seed_and_precision(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    answer = await make_plan(question(trace(tmp_path), slo=Slo(ttft=0.5), verify=False), store=store, pool=workers)
    assert answer.answer is not None
    job = Job(
        id="",
        handle="",
        kind="verify",
        title="verify it",
        state="running",
        plan=answer.plan.id,
        candidate=answer.answer.candidate,
        seed=3,
        precision=0.3,
    )
    found = await work_on(store, store.create_job(job), pool=workers)
    evidence = evidence_of(found.answer)
    assert (evidence.method, evidence.verdict, evidence.seed, evidence.precision) == ("simulation", "pass", 3, 0.3)
    assert found.candidates == (found.answer,)
    assert full(store.replications(answer.answer.candidate, 3)) == tuple(range(10))
    assert store.candidate(answer.answer.candidate) == found.answer


async def test_a_plan_of_which_nothing_is_advised_says_nothing_of_the_fleet_that_the_formulas_had(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    """What posted prices make cheaper is told of the fleet that was proven, here of none."""
    asked = question(trace(tmp_path), slo=Slo(ttft=0.5))
    new = await workers.run("plan", NewPlan, question=asked, format=None)
    before = f"{AT_POSTED_PRICES}--price a100=9: this $47.60/h, ~12 H100 $35.40/h"
    told = replace(new, answer=replace(new.answer, warnings=(*new.answer.warnings, before)))
    found = await work_on(store, begin(store, told, kind="plan", advise=False), pool=workers)
    assert found.verdict == "pass"
    assert not any(one.startswith(AT_POSTED_PRICES) for one in found.warnings)
    workers.asked.clear()


@pytest.mark.thorough
async def test_without_a_pool_it_starts_its_own(store: Store, tmp_path: Path) -> None:
    asked = question(trace(tmp_path), slo=Slo(ttft=0.03, tpot=0.001))
    answer = await simulate(sketch(2), asked, store=store)
    assert answer.verdict == "fail"
    assert [run.index for run in store.replications(answer.candidates[0].candidate, 1)] == [LOOK]


@pytest.mark.thorough
async def test_a_wider_question_is_no_dearer(store: Store, workers: Watched, tmp_path: Path) -> None:
    wide = question(trace(tmp_path), slo=Slo(ttft=0.35), tp=(4, 8), pools=(1, 2))
    narrow = await make_plan(replace(wide, tp=(8,), pools=(1,)), store=store, pool=workers)
    answer = await make_plan(wide, store=store, pool=workers)
    assert narrow.answer is not None
    assert answer.answer is not None
    assert answer.answer.cost_per_hour <= narrow.answer.cost_per_hour
    workers.asked.clear()


async def test_what_may_be_cheaper_stays_said_of_a_dearer_fleet_of_other_gpus() -> None:
    cheaper = "a100 with mi300x may be cheaper: $1.00/h"
    known = (cheaper, "next without h100, by formula: a100", "pool all: as small as it is")
    plan = Answer(verdict="unproven", demand=DerivedDemand(rate=1.0, arithmetic=""), answer=shape(2), why=known)
    told = {gpu: reasons_left(shape(3, gpu=gpu), plan) for gpu in ("h100", "b200", "a100")}
    assert told == {"h100": known[:2], "b200": known[:1], "a100": known[:1]}, "without one of the two"
    alone = replace(plan, why=("mi300x may be cheaper: $1.00/h",))
    assert reasons_left(shape(3, gpu="mi300x"), alone) == ()
    assert reasons_left(shape(1, gpu="b200"), plan) == (), "a cheaper fleet may be the cheapest"
    ranked = replace(plan, candidates=(replace(shape(1, gpu="mi300x"), cost_per_hour=0.1),))
    assert reasons_left(shape(1, gpu="b200"), ranked) == known[:1], "but not where one of those GPUs costs less yet"


@pytest.mark.evidence
async def test_a_fleet_at_its_limit_is_not_proven_yet_in_few_runs_and_goes_on(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit is what ten runs of three replicas show in the mean: it lies in their interval whatever they are."""
    monkeypatch.setattr("fleettui.planning.prove.Rounds", partial(Rounds, most=20))
    news = list[Progress]()
    before = await make_plan(question(trace(tmp_path)), store=store, pool=workers)
    assert sizes(before.answer) == (3,)
    seen = evidence_of(before.answer).pools[0].ttft.value
    assert seen is not None
    asked = question(trace(tmp_path), slo=Slo(ttft=seen))
    so_far: list[str] = []

    def hear(progress: Progress) -> None:
        if progress.news:
            news.append(progress)
            so_far.append(store.plan("last").so_far)
            assert [row.so_far for row in store.plans(limit=1)] == so_far

    answer = await make_plan(asked, store=store, pool=workers, report=hear)
    (said,) = (one.news for one in news)
    assert said.startswith("32 H100 ($")
    assert "holds as simulated; 24 H100 ($" in said
    assert said.endswith("; more runs go on")
    assert "on both sides of" in said
    assert so_far == [said]
    three = next(one for one in tried(answer) if sizes(one) == (3,))
    assert evidence_of(three).replications > LEAST_RUNS
    assert answer.so_far == ""
    assert answer.verdict == "pass"
    assert sizes(answer.answer) == ((3,) if evidence_of(three).verdict == "pass" else (4,))


@pytest.mark.thorough
async def test_a_given_fleet_at_its_limit_says_so_before_it_goes_on(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fleettui.planning.prove.Rounds", partial(Rounds, most=20))
    monkeypatch.setattr("fleettui.planning.rounds.MOST_REQUESTS", 0)
    path, slow = trace(tmp_path), Demand(form="rate", rate=4.0)
    free = await simulate(sketch(1), question(path, gpus=(), tp=(), slo=Slo(), demand=slow), store=store, pool=workers)
    seen = evidence_of(free.answer).pools[0].ttft.value
    assert seen is not None
    told: list[tuple[str, str, bool]] = []

    def hear(progress: Progress) -> None:
        if progress.news:
            row = store.plans(limit=1)[0]
            told.append((progress.news, row.so_far, row.finished))

    asked = question(path, gpus=(), tp=(), slo=Slo(ttft=seen), demand=slow)
    answer = await simulate(sketch(1), asked, store=store, pool=workers, report=hear)
    ((said, kept, finished),) = told
    assert (kept, finished, answer.so_far) == (said, False, "")
    assert said.startswith("8 H100 ($")
    assert "is not proven yet: TTFT of pool " in said
    assert (evidence_of(answer.answer).replications, answer.verdict) == (20, evidence_of(answer.answer).verdict)
