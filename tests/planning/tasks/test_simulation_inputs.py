from dataclasses import replace

import pytest

from fleettui.domain.demand import DerivedDemand
from fleettui.domain.fleet import FleetSketch, PoolSketch
from fleettui.domain.hardware import Profile
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import from_plain, to_plain
from fleettui.domain.workload import Workload
from fleettui.errors import InputError, UnknownNameError
from fleettui.hardware import catalog
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.tasks import simulation_inputs
from fleettui.planning.tasks.question_workload import workload_of
from fleettui.planning.tasks.simulation_inputs import KEPT, model_of, profile_of, read, scene_of

POOL = PoolSketch(gpu="h100", tp=8, replicas=6)
LONGEST = 2**24


def source(question: Question, workload: Workload, key: str, *, pairing: str = "joint") -> SceneSource:
    demand = DerivedDemand(rate=100.0, arithmetic="", pairing=pairing)
    return SceneSource.of(question, workload, demand, key)


def test_a_scene_stages_the_planners_own_fleet_as_the_planner_scored_it(question: Question, found: NewPlan) -> None:
    answer = found.answer.answer
    assert answer is not None
    scene = scene_of(source(question, workload_of(question, longest=LONGEST), "own"))
    fleet = FleetSketch(
        pools=(replace(POOL, replicas=answer.fleet.pools[0].replicas),),
    )
    fixed, profiles = scene.stage(fleet)
    assert fixed.candidate.fleet == answer.fleet
    assert fixed.candidate.pools[0].ttft == pytest.approx(answer.pools[0].ttft, rel=1e-6)
    assert fixed.candidate.pools[0].utilization == pytest.approx(answer.pools[0].utilization, rel=1e-6)
    assert fixed.candidate.cost_per_hour == pytest.approx(answer.cost_per_hour)
    assert [profile.name for profile in profiles] == ["h100/llama-3.1-70b/bf16/tp8"]
    assert [pool.arrival_rate for pool in fixed.traffic.pools] == [pytest.approx(100.0)]


def test_the_last_scenes_are_kept_and_another_key_makes_another(question: Question) -> None:
    workload = workload_of(question, longest=LONGEST)
    one = scene_of(source(question, workload, "one"))
    assert scene_of(source(question, workload, "one")) is one
    other = scene_of(source(replace(question, max_utilization=0.5), workload, "two"))
    assert other.question.max_utilization == 0.5
    for place in range(KEPT):
        scene_of(source(question, workload, f"more {place}"))
    assert scene_of(source(question, workload, "one")) is not one


def test_scenes_at_several_rates_read_their_workload_once(monkeypatch: pytest.MonkeyPatch, question: Question) -> None:
    given = source(question, workload_of(question, longest=LONGEST), "rates")
    scene_of(given)
    monkeypatch.delattr(simulation_inputs, "decode")
    at = scene_of(given.at(125.0))
    assert (at.rate, at.case) == (125.0, scene_of(given).case)


def test_the_pairing_is_the_one_that_was_answered(question: Question) -> None:
    asked = replace(
        question, workload=None, prompt=((0.5, 900.0), (0.99, 8000.0)), output=((0.5, 200.0), (0.99, 1500.0))
    )
    workload = workload_of(asked, longest=LONGEST)
    for pairing in ("same order", "independent", "opposite order"):
        assert scene_of(source(asked, workload, pairing, pairing=pairing)).case.pairing == pairing


def test_what_is_read_is_within_the_longest_request(question: Question) -> None:
    workload = workload_of(question, longest=LONGEST)
    cases, context = read(question, workload)
    assert [case.pairing for case in cases] == ["joint"]
    assert context % 256 == 0
    with pytest.raises(InputError, match="longer than the context"):
        read(replace(question, context=1024), workload)
    cases, context = read(replace(question, context=1024, drop_longer=True), workload)
    assert context == 1024
    assert cases[0].dropped > 0


def test_a_pools_hardware_is_at_the_questions_price_and_overhead(question: Question) -> None:
    plain = profile_of(POOL, question)
    given = profile_of(POOL, replace(question, prices=(("h100", 2.1),), engine_overhead=0.02))
    assert (given.price_per_hour, given.tp) == (2.1, 8)
    assert given.step.overhead > plain.step.overhead
    assert from_plain(Profile, to_plain(plain)) == plain
    own = profile_of(POOL, replace(question, front_end=None))
    assert (plain.front_end, own.front_end) == (0.0, catalog.engine("vllm").front_end.request)


def test_hardware_that_is_not_there_or_does_not_hold_the_model_is_refused(question: Question) -> None:
    with pytest.raises(UnknownNameError, match="did you mean h100"):
        profile_of(replace(POOL, gpu="h10"), question)
    with pytest.raises(UnknownNameError, match=r"llama-3\.1-70b"):
        profile_of(replace(POOL, model="llama-3.1-7b"), question)
    with pytest.raises(InputError, match="fit"):
        profile_of(replace(POOL, tp=1), question)


def test_all_pools_serve_one_model() -> None:
    other = replace(POOL, model="qwen3-32b")
    assert model_of((POOL, POOL)) == "llama-3.1-70b"
    with pytest.raises(InputError, match=r"different models \(got 'llama-3.1-70b, qwen3-32b'\)"):
        model_of((POOL, other))


def test_a_pools_cache_is_as_the_pool_has_it(question: Question) -> None:
    plain, small = profile_of(POOL, question), profile_of(replace(POOL, kv_dtype="fp8"), question)
    assert (plain.kv_dtype, small.kv_dtype) == ("bf16", "fp8")
    assert small.kv_blocks // 2 == plain.kv_blocks
