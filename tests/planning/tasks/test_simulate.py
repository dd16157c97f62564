import math
from dataclasses import replace

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.fleet import FleetSketch, PoolProfile, PoolSketch
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import InputError, Interrupted
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.simulate import run

POOL = PoolSketch(gpu="h100", tp=8, replicas=6, max_num_seqs=256, token_budget=2048)
FLEET = FleetSketch(pools=(POOL,))


def scored(fleet: FleetSketch, question: Question, context: Context | None = None) -> NewPlan:
    return run(context or Context(), sketch=fleet, question=question)


def answer_of(fleet: FleetSketch, question: Question) -> Answer:
    return scored(fleet, question).answer


def test_a_fleet_comes_back_whole_with_everything_that_it_rests_on(question: Question) -> None:
    found = scored(FLEET, replace(question, slo=Slo()))
    answer = found.answer
    assert answer.verdict == "unproven"
    assert answer.candidates == (answer.answer,)
    assert answer.answer is not None
    assert (answer.answer.gpus, answer.answer.evidence) == (48, None)
    (pool,) = answer.answer.fleet.pools
    assert (pool.name, pool.above, pool.replicas, pool.token_budget) == ("all", 0, 6, 2048)
    assert pool.up_to % 256 == 0
    assert answer.demand.rate == 100.0
    assert found.workload.name == "azure-2023-conv"
    assert [profile.tp for profile in found.profiles] == [8]
    assert found.provenance.engine_version == answer.plan.engine_version


def test_the_fleet_says_which_model_and_context(question: Question) -> None:
    fleet = FleetSketch(pools=(replace(POOL, model="qwen3-32b", tp=4, context=16_384),))
    found = scored(fleet, question).scenario.question
    assert (found.model, found.context) == ("qwen3-32b", 16_384)


def test_a_fleet_in_stages_is_planned_on_the_profile_of_its_stages(question: Question) -> None:
    asked = replace(question, step_law="kernels")
    fleet = FleetSketch(pools=(replace(POOL, model="deepseek-v3", dtype="fp8", pp=2),))
    found = scored(fleet, asked)
    (profile,), (pool,) = found.profiles, found.answer.candidates[0].fleet.pools
    assert (profile.pp, profile.evidence, pool.division) == (2, "kernels measured", "tp8pp2")
    assert found.answer.candidates[0].gpus == 16 * POOL.replicas
    assert pool.profile.kv_blocks == profile.kv_blocks


def test_two_pools_of_one_hardware_are_one_profile_to_keep(question: Question) -> None:
    fleet = FleetSketch(pools=(replace(POOL, up_to=2048), POOL))
    found = scored(fleet, question)
    assert len(found.profiles) == 1
    pools = found.answer.candidates[0].fleet.pools
    assert [(pool.name, pool.above) for pool in pools] == [("short", 0), ("long", 2048)]


def test_a_profile_of_ones_own_is_taken_as_it_is(question: Question) -> None:
    own = PoolProfile(base_step_time=0.02, time_per_context_token=4e-8, time_per_prompt_token=5e-5, kv_blocks=50_000)
    answer = answer_of(FleetSketch(pools=(replace(POOL, profile=own, concurrency=64),)), question)
    assert answer.answer is not None
    (pool,) = answer.answer.fleet.pools
    assert (pool.profile, pool.concurrency) == (own, 64)


def test_a_pool_that_drowns_has_an_endless_batch_and_still_an_answer(question: Question) -> None:
    found = scored(FleetSketch(pools=(replace(POOL, replicas=1),)), question)
    assert found.answer.answer is not None
    (pool,) = found.answer.answer.pools
    assert pool.utilization > 1
    assert not math.isfinite(pool.ttft)


@pytest.mark.evidence
def test_a_closed_loop_is_bisected_to_littles_law(question: Question) -> None:
    loop = Demand(form="concurrency", concurrency=400, think=5.0)
    answer = answer_of(FLEET, replace(question, demand=loop))
    assert answer.answer is not None
    (pool,) = answer.answer.pools
    assert 6 * pool.batch + answer.demand.rate * 5.0 == pytest.approx(400, rel=0.01)
    crowd = answer_of(FLEET, replace(question, demand=replace(loop, concurrency=100_000)))
    assert crowd.answer is not None
    assert crowd.answer.pools[0].utilization == pytest.approx(1.0, abs=0.05), "a loop slows down with its fleet"


def test_unknown_pairing_takes_the_busiest_and_says_so(question: Question) -> None:
    asked = replace(
        question, workload=None, prompt=((0.5, 900.0), (0.99, 8000.0)), output=((0.5, 200.0), (0.99, 1500.0))
    )
    answer = answer_of(FLEET, replace(asked, demand=Demand(form="rate", rate=20.0)))
    assert answer.demand.pairing in ("same order", "independent", "opposite order")
    assert any("pair is unknown" in warning for warning in answer.warnings)


def test_it_stops_when_asked(question: Question) -> None:
    with pytest.raises(Interrupted):
        scored(FLEET, question, Context(cancelled=lambda: True))


def test_what_cannot_be_is_refused(question: Question) -> None:
    with pytest.raises(InputError, match="dice"):
        scored(replace(FLEET, router="dice"), question)
    with pytest.raises(InputError, match="--arrivals"):
        scored(FLEET, replace(question, arrivals="replay"))
    with pytest.raises(InputError, match="made for less context"):
        scored(FleetSketch(pools=(replace(POOL, context=2**20),)), question)
