"""Each sentence is true of the plan it explains."""

import re
from dataclasses import replace

import pytest

from fleettui.domain.engine_settings import EngineSettings
from fleettui.domain.fleet import Pool
from fleettui.domain.fleet_words import fleet_words
from fleettui.domain.scenario import Objective
from fleettui.domain.slo import Slo
from fleettui.optimize import explain
from fleettui.optimize.plan import find_plan
from tests.optimize.samples import atoms, plan, profile, question

FAST, SLOW = profile("fast"), profile("slow", speed=0.5, price=0.9)

BESIDE = ", 90% of memory; prefixes kept, no hits counted"


def test_the_alternatives_are_those_of_the_candidates() -> None:
    found = plan(question(ttft=0.8), 30.0, atoms(5), [FAST, SLOW])
    assert found.answer is not None
    kinds = {pool.gpu for pool in found.answer.fleet.pools}
    other = next(one for one in found.candidates if kinds.isdisjoint(pool.gpu for pool in one.fleet.pools))
    sentence = next(one for one in found.why if one.startswith("next without"))
    assert f"${other.cost_per_hour:.2f}/h" in sentence


@pytest.mark.parametrize("objective", ["cost", "gpus", "power"])
def test_the_next_without_is_the_best_of_its_kind_though_none_of_it_is_kept(objective: Objective) -> None:
    many = [profile("fast", tp=tp, price=1.0 + tp / 100) for tp in (1, 2, 3, 4, 5, 6)]
    asked, grid = question(ttft=5.0, objective=objective), tuple(range(200, 6000, 200))
    dear = profile("slow", speed=0.25, price=9.0)
    found = plan(asked, 30.0, atoms(5), [*many, dear], grid)
    alone = plan(asked, 30.0, atoms(5), [dear], grid).answer
    assert alone is not None
    kept = [one for one in found.candidates if all(pool.gpu == "slow" for pool in one.fleet.pools)]
    assert len(kept) < len(found.candidates) - 200
    sentence = next(one for one in found.why if one.startswith("next without fast, by formula"))
    assert f"{fleet_words(alone.fleet)}, " in sentence
    assert f"${alone.cost_per_hour:.2f}/h" in sentence


def test_one_replica_fewer_is_what_it_says() -> None:
    found = plan(question(ttft=0.8, pools=(1,)), 30.0, atoms(5), [FAST])
    assert found.answer is not None
    busy, replicas = found.answer.pools[0].utilization, found.answer.fleet.pools[0].replicas
    said = re.search(r"one replica fewer would be ([\d.]+) busy", found.why[0])
    assert said is not None
    assert abs(float(said[1]) - busy * replicas / (replicas - 1)) < 0.006


def test_the_time_slice_that_asks_most_of_a_pool_is_named() -> None:
    parts = [(10.0, atoms(5)), (30.0, atoms(5)), (20.0, atoms(5))]
    found = find_plan(question(ttft=0.8, pools=(1,)), slices=parts, profiles=[FAST], grid=(), context=16_384)
    assert found.why[0].startswith("pool all in time slice 2 of 3, limited by ")
    assert "slice" not in plan(question(ttft=0.8, pools=(1,)), 30.0, atoms(5), [FAST]).why[0]


def test_a_long_chunk_that_breaks_no_limit_is_no_warning() -> None:
    """Seen: a smaller --token-budget was advised, and 2,048, 1,024 and 512 tokens cost $71, $77 and $100 an hour."""
    asked = question(ttft=2.0, pools=(1,))
    found = plan(replace(asked, slo=Slo(ttft=2.0, tpot=0.06)), 5.0, atoms(5), [FAST])
    assert found.answer is not None
    assert found.answer.pools[0].longest_step > 0.06
    assert found.warnings == ()


def test_how_the_engine_is_set_is_said_where_the_question_leaves_it_open() -> None:
    asked = question(ttft=0.8, pools=(1,))
    assert f"vllm as it comes: 2,048 tokens a step, 256 sequences{BESIDE}" in plan(asked, 30.0, atoms(5), [FAST]).why
    large = replace(FAST, settings=EngineSettings(max_num_seqs=1024, token_budget=8192))
    found = plan(asked, 30.0, atoms(5), [large])
    assert found.answer is not None
    (pool,) = found.answer.fleet.pools
    assert (pool.max_num_seqs, pool.token_budget) == (1024, 8192)
    assert f"vllm as it comes: 8,192 tokens a step, 1,024 sequences{BESIDE}" in found.why
    part = plan(replace(asked, token_budget=4096), 30.0, atoms(5), [large])
    assert f"vllm as it comes: 1,024 sequences{BESIDE}; as given: 4,096 tokens a step" in part.why
    mixed = plan(replace(asked, prompt_steps="mixed"), 30.0, atoms(5), [large])
    own = f"vllm as it comes: 8,192 tokens a step, 1,024 sequences{BESIDE}"
    assert f"{own}; as given: prompts among decodes" in mixed.why
    said = plan(replace(asked, max_num_seqs=64, token_budget=512), 30.0, atoms(5), [large])
    assert said.answer is not None
    assert (said.answer.fleet.pools[0].max_num_seqs, said.answer.fleet.pools[0].token_budget) == (64, 512)
    assert f"vllm as it comes: {BESIDE[2:]}; as given: 512 tokens a step, 64 sequences" in said.why


def test_the_level_that_the_engine_is_set_at_is_named_and_what_is_given_beside_it() -> None:
    asked = question(ttft=0.8, pools=(1,), tuning="tuned")
    assert (
        f"vllm tuned as its guide says: 2,048 tokens a step, 256 sequences{BESIDE}"
        in plan(asked, 30.0, atoms(5), [FAST]).why
    )
    both = replace(asked, max_num_seqs=64, token_budget=512, tuning="benchmark")
    told = f"vllm as benchmark submissions set it: {BESIDE[2:]}; as given: 512 tokens a step, 64 sequences"
    assert told in plan(both, 30.0, atoms(5), [FAST]).why


def test_what_submissions_build_in_is_said_where_it_counts() -> None:
    asked = question(ttft=0.8, pools=(1,), engine="trtllm", tuning="benchmark", step_law="kernels")
    told = (
        "trtllm as benchmark submissions set it has norms and activations within products, sums over GPUs beside them, "
        "and takes the likeliest token, on GPUs with fp8 units"
    )
    assert told in plan(asked, 30.0, atoms(5), [FAST]).why
    for other in (replace(asked, tuning="tuned"), replace(asked, step_law="roofline"), replace(asked, engine="vllm")):
        assert not any("likeliest" in one for one in plan(other, 30.0, atoms(5), [FAST]).why)


def test_settings_of_a_pools_own_are_not_said_to_be_the_engines() -> None:
    asked = question(ttft=0.8, pools=(1,))
    found = plan(asked, 30.0, atoms(5), [FAST])
    assert found.answer is not None
    (pool,) = found.answer.fleet.pools

    def said(*pools: Pool) -> list[str]:
        assert found.answer is not None
        given = replace(found.answer, fleet=replace(found.answer.fleet, pools=pools), pools=())
        return [one for one in explain.of_fleet(given, asked, [FAST] * len(pools)) if "as it comes" in one]

    own = replace(pool, token_budget=4096)
    long = replace(own, above=pool.up_to, up_to=2 * pool.up_to, context=2 * pool.up_to)
    assert said(pool) == said(pool, long) == [f"vllm as it comes: 2,048 tokens a step, 256 sequences{BESIDE}"]
    assert said(own) == said(own, long) == []


def test_the_front_end_is_said_with_its_value_and_limits_are_held_with_it() -> None:
    asked, slow = question(ttft=0.8, pools=(1,)), replace(FAST, front_end=0.63)
    without, found = (plan(asked, 300.0, atoms(5), [one]) for one in (FAST, slow))
    assert without.answer is not None
    assert found.answer is not None
    assert not any("front end" in one for one in without.why)
    said = "TTFT includes 630 ms of vllm's front end by default (--front-end)"
    assert said in found.why
    assert found.answer.pools[0].ttft <= 0.8
    assert found.answer.gpus > without.answer.gpus
    given = plan(replace(asked, front_end=0.63), 300.0, atoms(5), [slow])
    assert "TTFT includes 630 ms of front end, as given" in given.why
    never = plan(asked, 30.0, atoms(5), [replace(FAST, front_end=0.7)])
    assert never.verdict == "infeasible"
    assert "no number of GPUs helps" in never.why[0]


def test_an_api_process_that_is_nearly_always_busy_is_named() -> None:
    asked = question(ttft=5.0, pools=(1,), engine="trtllm")
    found = {token: plan(asked, 30.0, atoms(5), [replace(FAST, api_token=token)]) for token in (0.0, 1e-5, 1e-3)}
    figures = [one.answer.pools[0] for one in found.values() if one.answer is not None]
    tokens = 30.0 * sum(weight * output for weight, _, output in atoms(5)) / sum(weight for weight, _, _ in atoms(5))
    replicas = [one.answer.fleet.pools[0].replicas for one in found.values() if one.answer is not None]
    assert [one.api_use for one in figures] == pytest.approx(
        [0.0, tokens * 1e-5 / replicas[1], tokens * 1e-3 / replicas[2]]
    )
    assert [one.limited_by == "API process" for one in figures] == [False, False, True]
    assert figures[2].api_use == figures[2].utilization <= 0.85
    assert replicas[2] > replicas[0] == replicas[1]
    busy = f"pool all: trtllm's API process {figures[2].api_use:.2f} busy: --api-token has yours"
    assert [any(busy in warning for warning in one.warnings) for one in found.values()] == [False, False, True]


def test_a_cache_that_is_not_bf16_is_said_with_whose_choice_it_is() -> None:
    asked, small = question(ttft=0.8, pools=(1,)), replace(FAST, kv_dtype="fp8")
    plain, own, given = (
        plan(one, 30.0, atoms(5), [profile]).why
        for one, profile in ((asked, FAST), (asked, small), (replace(asked, kv_dtype="fp8"), small))
    )
    assert not any("KV cache" in one for one in plain)
    assert "the KV cache is in fp8, as model or engine have it; --kv-dtype bf16 gives the other" in own
    assert "the KV cache is in fp8, as given" in given
