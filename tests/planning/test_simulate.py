from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.bounds import Bounds
from fleettui.domain.demand import Demand
from fleettui.domain.fleet import FleetSketch, PoolProfile, PoolSketch
from fleettui.domain.job import Job
from fleettui.domain.limit import Latency
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import InputError, UnknownNameError
from fleettui.planning.simulate import simulate
from fleettui.reports import stock_text
from store import Store
from tests.planning.simulated import SET_SO, Watched, evidence_of, full, question, sizes, sketch, trace

Ask = Callable[..., Question]
PROFILE = PoolProfile(base_step_time=0.02, time_per_context_token=4e-8, time_per_prompt_token=3e-5, kv_blocks=30_000)


@pytest.fixture
def asked(tmp_path: Path) -> Ask:
    path = trace(tmp_path)
    return lambda **changes: question(path, gpus=(), tp=(), **changes)


async def test_a_fleet_of_ones_own_is_judged_and_kept(store: Store, workers: Watched, asked: Ask) -> None:
    answer = await simulate(sketch(2), asked(slo=Slo(ttft=0.5)), store=store, pool=workers)
    evidence = evidence_of(answer.answer)
    assert (answer.verdict, evidence.verdict, evidence.method, evidence.replications) == (
        "pass",
        "pass",
        "simulation",
        10,
    )
    assert answer.candidates == (answer.answer,)
    assert answer.why == (evidence.reason, SET_SO)
    assert answer.answer is not None
    assert sizes(answer.answer) == (2,)
    assert evidence.pools[0].utilization == pytest.approx(answer.answer.pools[0].utilization, rel=0.03)
    assert store.plan("last") == answer
    assert store.is_finished("last")
    job = store.job("last")
    assert (job.kind, job.state, job.plan) == ("simulate", "done", answer.plan.id)
    assert full(store.replications(answer.answer.candidate, 1)) == tuple(range(10))


async def test_who_waits_is_told_of_the_plan_and_its_job(store: Store, workers: Watched, asked: Ask) -> None:
    told: list[tuple[Answer, Job]] = []
    answer = await simulate(
        sketch(2),
        asked(slo=Slo(ttft=0.5)),
        store=store,
        pool=workers,
        begun=lambda plan, job: told.append((plan, store.job(job.id))),
    )
    ((plan, job),) = told
    assert (plan.verdict, answer.verdict) == ("unproven", "pass")
    assert (plan.plan, job.kind, job.state, job.plan) == (answer.plan, "simulate", "running", answer.plan.id)


@pytest.mark.evidence
async def test_two_pools_with_profiles_of_ones_own_at_unknown_length_of_context(
    store: Store, workers: Watched, asked: Ask
) -> None:
    fleet = sketch(2, 3, profile=PROFILE)
    answer = await simulate(fleet, asked(slo=Slo(ttft=0.4, tpot=0.1)), store=store, pool=workers)
    assert answer.answer is not None
    assert [pool.profile for pool in answer.answer.fleet.pools] == [PROFILE, PROFILE]
    assert [(pool.name, pool.above, pool.up_to) for pool in answer.answer.fleet.pools] == [
        ("short", 0, 1000),
        ("long", 1000, 3072),
    ]
    short, long = evidence_of(answer.answer).pools
    assert short.tpot.value is not None
    assert short.tpot.value >= PROFILE.base_step_time
    assert long.ttft.value is not None
    assert short.ttft.value is not None
    assert long.ttft.value > short.ttft.value
    shares = [pool.arrival_rate for pool in answer.answer.pools]
    assert shares == pytest.approx([12.0, 8.0]), "three of five prompts are short"


async def test_a_closed_loop_obeys_littles_law(store: Store, workers: Watched, asked: Ask) -> None:
    loop = Demand(form="concurrency", concurrency=30, think=1.0)
    answer = await simulate(sketch(2), asked(demand=loop, slo=Slo()), store=store, pool=workers)
    assert (answer.verdict, answer.why) == ("pass", ("no limit was given", SET_SO))
    assert answer.answer is not None
    runs = store.replications(answer.answer.candidate, 1, histograms=True)
    assert runs
    for (pool,) in (run.pools for run in runs):
        (cells,) = (histogram.cells for histogram in pool.histograms if histogram.metric == "e2e")
        residence = sum(number * 1.01 ** (cell + 0.5) for cell, number in cells) / pool.completed
        assert pool.throughput * (residence + loop.think) == pytest.approx(30, rel=0.03)
    assert answer.demand.rate == pytest.approx(runs[0].pools[0].throughput, rel=0.1)


@pytest.mark.evidence
async def test_more_clients_than_the_engine_keeps_up_with_are_simulated_all_the_same(
    store: Store, workers: Watched, asked: Ask
) -> None:
    loop = Demand(form="concurrency", concurrency=400)
    answer = await simulate(sketch(1), asked(demand=loop, slo=Slo(ttft=0.1)), store=store, pool=workers)
    assert (answer.verdict, evidence_of(answer.answer).method) == ("fail", "simulation")
    assert evidence_of(answer.answer).pools[0].mfu is not None
    assert evidence_of(answer.answer).pools[0].mfu < 1  # type: ignore[operator]


async def test_an_overloaded_pool_fails_without_a_run(store: Store, workers: Watched, asked: Ask) -> None:
    answer = await simulate(sketch(1), asked(demand=Demand(form="rate", rate=60.0)), store=store, pool=workers)
    assert answer.answer is not None
    assert store.replications(answer.answer.candidate, 1) == ()
    assert answer.verdict == "fail"
    assert "its queue grows without end" in answer.why[0]
    assert (store.plan("last").verdict, store.job("last").state) == ("fail", "done")


async def test_an_overloaded_pool_whose_queue_is_bounded_is_simulated_and_counts_who_was_not_served(
    store: Store, workers: Watched, asked: Ask
) -> None:
    bounds = Bounds(queue=20, timeout=2.0, retries=1, backoff=1.0)
    given = asked(demand=Demand(form="rate", rate=60.0), bounds=bounds)
    answer = await simulate(sketch(1), given, store=store, pool=workers)
    seen = evidence_of(answer.answer).pools[0]
    assert (answer.verdict, evidence_of(answer.answer).method) == ("fail", "simulation")
    assert "were not served" in answer.why[0]
    assert 0 < seen.rejected + seen.timed_out < seen.offered < seen.attempts
    assert evidence_of(store.plan("last").answer) == evidence_of(answer.answer)


async def test_each_class_is_held_to_its_own_limits(store: Store, workers: Watched, asked: Ask) -> None:
    slo = Slo(ttft=0.5, further=(("batch.ttft", 0.03),))
    answer = await simulate(sketch(2), asked(slo=slo, batch_share=0.4), store=store, pool=workers)
    evidence = evidence_of(answer.answer)
    assert (answer.verdict, evidence.reason[:13]) == ("fail", "batch TTFT of")
    (seen,) = evidence.pools
    kept = {name: found.value or 0.0 for name, found in seen.attainments}
    assert kept["batch"] < 0.9 < kept["interactive"]
    assert (
        (seen.at(Latency.named("batch.e2e")).value or 0.0) > (seen.at(Latency.named("batch.ttft")).value or 0.0) > 0.03
    )
    assert evidence_of(store.plan("last").answer) == evidence


REFUSED: dict[str, tuple[FleetSketch, dict[str, object], str]] = {
    "no such GPU": (sketch(1, gpu="h10"), {}, "did you mean h100"),
    "no such model": (sketch(1, model="lama-3.1-70b"), {}, "llama-3.1-70b"),
    "models that differ": (
        FleetSketch(pools=(replace(sketch(1, 1).pools[0], model="qwen3-32b"), sketch(1, 1).pools[1])),
        {},
        "different models",
    ),
    "clients that are gone before the front end is done": (
        sketch(1),
        {"bounds": Bounds(timeout=0.02), "front_end": 0.02},
        "front end",
    ),
    "no such router": (replace(sketch(1), router="dice"), {}, "dice"),
    "a model that does not fit": (sketch(1, tp=1), {}, "fit"),
    "a pool without requests": (
        FleetSketch(pools=(replace(sketch(1, 1).pools[0], up_to=100), sketch(1, 1).pools[1])),
        {},
        "no request reaches it",
    ),
    "ranges that do not join": (
        FleetSketch(pools=(sketch(1, 1).pools[0], replace(sketch(1, 1).pools[1], above=2000))),
        {},
        "does not go on",
    ),
    "a request that can never fit": (
        sketch(1, profile=replace(PROFILE, kv_blocks=100)),
        {},
        "can never fit",
    ),
    "requests beyond the fleet's context": (sketch(1, context=2048), {}, "longer than the context"),
    "arrivals that do not exist": (sketch(1), {"arrivals": "bursty"}, "--arrivals"),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_what_cannot_be_is_refused_and_leaves_nothing(
    name: str, store: Store, workers: Watched, asked: Ask
) -> None:
    fleet, changes, words = REFUSED[name]
    with pytest.raises((InputError, UnknownNameError), match=words):
        await simulate(fleet, asked(**changes), store=store, pool=workers)
    assert store.count() == 0


async def test_more_clients_than_can_be_simulated_are_refused_before_anything_is_kept(
    store: Store, workers: Watched, asked: Ask
) -> None:
    crowd = asked(demand=Demand(form="concurrency", concurrency=2_000_000, think=1e4))
    with pytest.raises(InputError, match="--concurrency: a closed loop of so many clients"):
        await simulate(sketch(2), crowd, store=store, pool=workers)
    assert store.count() == 0


async def test_a_given_engine_that_is_impossible_once_prompts_are_computed_again_is_refused(
    store: Store, workers: Watched, asked: Ask
) -> None:
    """By formula its MFU is 91 %; with few blocks sequences are preempted, and their prompts computed twice."""
    quick = PoolProfile(base_step_time=1e-4, time_per_context_token=1e-10, time_per_prompt_token=1.7e-5, kv_blocks=260)
    crowd = asked(demand=Demand(form="rate", rate=40.0), slo=Slo(ttft=3.0))
    with pytest.raises(InputError, match="pool all: profile: this profile is faster than the hardware"):
        await simulate(sketch(1, profile=quick), crowd, store=store, pool=workers)
    assert store.job("last").state == "failed"


async def test_zero_blocks_are_no_profile() -> None:
    with pytest.raises(InputError, match="kv_blocks"):
        replace(PROFILE, kv_blocks=0)


@pytest.mark.parametrize("field", ["tp", "replicas", "token_budget", "max_num_seqs", "concurrency", "up_to", "context"])
@pytest.mark.parametrize("value", [0, -1])
async def test_nothing_of_something_is_no_pool(field: str, value: int) -> None:
    with pytest.raises(InputError, match=f"{field} must be above zero"):
        PoolSketch(**{"gpu": "h100", "tp": 8, "replicas": 1, field: value})  # type: ignore[arg-type]


@pytest.mark.evidence
async def test_bursts_of_the_traffic_are_told_of_a_given_fleet_as_of_a_plan(store: Store, workers: Watched) -> None:
    demand = Demand(form="rate", rate=25.0)
    shipped = question("azure-2023-conv", gpus=(), tp=(), slo=Slo(ttft=0.5), demand=demand)
    answer = await simulate(sketch(2), shipped, store=store, pool=workers)
    assert answer.stock is not None
    holds = stock_text.holding(answer.stock)
    told = f"bursts: busiest of 58 minutes at 37.7/s, the fleet {holds}: --rate 37.7/s"
    assert store.plan("last").warnings[-1] == told
