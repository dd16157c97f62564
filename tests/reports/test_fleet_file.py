import dataclasses
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleettui.domain.fleet import FleetSketch, PoolProfile, PoolSketch
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.serialization import to_plain
from fleettui.errors import InputError
from fleettui.reports import fleet_file
from fleettui.reports.plan_json import plan_json
from tests.model_file import quantized

POOL = "gpu: h100, tp: 4, replicas: 2"
TWO = """\
router: length
admission: reserved
pools:
  - name: short
    gpu: H100
    model: Qwen3-32B
    dtype: fp8
    tp: 4
    replicas: 4
    up_to: 4,096
  - gpu: a100
    tp: 8
    replicas: 2
    context: 16Ki
    token_budget: 4k
    profile: {base_step_time: 6.5ms, time_per_context_token: 4e-8, time_per_prompt_token: 0, kv_blocks: 60000}
"""


def test_a_fleet_as_people_write_it() -> None:
    profile = PoolProfile(base_step_time=0.0065, time_per_context_token=4e-8, time_per_prompt_token=0, kv_blocks=60_000)
    assert fleet_file.read(TWO, "f.yaml") == FleetSketch(
        admission="reserved",
        pools=(
            PoolSketch(name="short", gpu="h100", model="qwen3-32b", dtype="fp8", tp=4, replicas=4, up_to=4096),
            PoolSketch(gpu="a100", tp=8, replicas=2, context=16_384, token_budget=4000, profile=profile),
        ),
    )


def test_a_given_profile_may_say_that_its_steps_are_by_kernels() -> None:
    text = TWO.replace("kv_blocks: 60000", "kv_blocks: 60000, by_kernels: true")
    sketches = [fleet_file.read(one, "f.yaml").pools[1].profile for one in (TWO, text)]
    assert [one.by_kernels for one in sketches if one is not None] == [False, True]


def test_the_front_end_of_a_given_profile_may_be_left_out() -> None:
    text = TWO.replace("kv_blocks: 60000", "kv_blocks: 60000, front_end: 24ms")
    sketches = [fleet_file.read(one, "f.yaml").pools[1].profile for one in (TWO, text)]
    assert [one.front_end for one in sketches if one is not None] == [0.0, 0.024]


def test_the_least_that_must_be_said() -> None:
    (pool,) = fleet_file.read(f"pools: [{{{POOL}}}]", "f").pools
    assert pool == PoolSketch(gpu="h100", tp=4, replicas=2)
    assert fleet_file.read(f"pools: [{{{POOL}, context: null, name: }}]", "f").pools == (pool,)


def test_a_pool_says_its_stages_and_its_api_process() -> None:
    own = PoolProfile(
        base_step_time=0.02, time_per_context_token=4e-8, time_per_prompt_token=5e-5, kv_blocks=50_000, api_token=9e-5
    )
    sketch = FleetSketch(pools=(PoolSketch(gpu="h100", tp=8, pp=2, replicas=1, profile=own),))
    assert fleet_file.read(json.dumps(to_plain(sketch)), "f").pools == sketch.pools
    with pytest.raises(InputError, match="pp: unknown word"):
        fleet_file.read(f"pools: [{{{POOL}, pp: 3}}]", "f")


def test_a_plan_a_candidate_and_a_fleet_as_data_are_one_fleet(answer: Answer, best: Candidate) -> None:
    texts = [
        json.dumps(plan_json(dataclasses.replace(answer, answer=best)), indent=2),
        json.dumps(to_plain(best)),
        json.dumps({"fleet": to_plain(best.fleet)}),
        json.dumps(to_plain(best.fleet)),
    ]
    for text in texts:
        found = fleet_file.read(text, "plan.json")
        assert to_plain(found) == to_plain(best.fleet)


def test_an_infeasible_plan_has_no_fleet(infeasible: Answer) -> None:
    with pytest.raises(InputError, match="this plan has no answer"):
        fleet_file.read(json.dumps(plan_json(infeasible)), "plan.json")


@given(st.floats(min_value=1e-9, max_value=10.0), st.integers(1, 10**8))
def test_numbers_are_read_to_the_last_digit(step: float, blocks: int) -> None:
    profile = PoolProfile(
        base_step_time=step, time_per_context_token=step, time_per_prompt_token=step, kv_blocks=blocks
    )
    pool = PoolSketch(gpu="h100", tp=1, replicas=1, profile=profile)
    assert fleet_file.read(json.dumps(to_plain(FleetSketch(pools=(pool,)))), "f").pools == (pool,)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "f.yaml: the file is empty"),
        ("pools: [", "this is no YAML"),
        ('{"pools": [}', "f.yaml line 1: this is no JSON"),
        ("- a\n", "f.yaml line 1: this is no mapping of keys"),
        ("words", "f.yaml line 1: this is no mapping of keys"),
        ("router: length\n", "f.yaml: a fleet needs a list of pools"),
        ("pools: []\n", "f.yaml line 1, pools: a fleet needs a list of pools"),
        ("pools: {a: b}\n", "f.yaml line 1, pools: a fleet needs a list of pools"),
        (f"pools: [{', '.join(['{' + POOL + '}'] * 17)}]", "1 to 16 pools"),
        ("pools: [a]\n", "f.yaml line 1, pool 1: this is no mapping of keys"),
        ("fleet: x\n", "f.yaml line 1: this is no mapping of keys"),
        (f"fleet: {{pools: [{{{POOL}}}]}}\nrouter: length\n", "f.yaml line 2: unknown key (got 'router')"),
        (f"poools: [{{{POOL}}}]", "did you mean pools?"),
        (f"model: qwen3-32b\npools: [{{{POOL}}}]", "say it in each pool, beside its gpu"),
        ("pools:\n- gpu: h100\n  tp: 4\n  role: prefill\n", "fleettui disagg PLAN searches pools that do one"),
        ("pools:\n- gpu: h100\n  tp: 4\n  replica: 3\n", "f.yaml line 4, pool 1: unknown key (got 'replica')"),
        ("pools: [{tp: 4, replicas: 2}]", "f.yaml line 1, pool 1: gpu is missing"),
        ("pools: [{gpu: h100, replicas: 2}]", "pool 1: tp is missing"),
        ("pools: [{name: chat, gpu: h100, tp: 4}]", "pool chat: replicas is missing"),
        (
            "pools: [{gpu: h100, tp: 4, replicas: 0}]",
            "f.yaml line 1, pool 1, replicas: count must be above zero (got '0')",
        ),
        ("pools: [{gpu: h100, tp: 4, replicas: -1}]", "replicas: count must be above zero"),
        ("pools: [{gpu: h100, tp: 4, replicas: 1.5}]", "replicas: count must be a whole number"),
        ("pools: [{gpu: h100, tp: 4, replicas: yes}]", "replicas: this is no count (got 'yes')"),
        ('{"pools": [{"gpu": "h100", "tp": 4, "replicas": true}]}', "f.yaml, pool 1, replicas: this is no count"),
        ("pools: [{gpu: h100, tp: 4, replicas: 1e12}]", "replicas: count is above 100000"),
        ("pools: [{gpu: h100, tp: 3, replicas: 1}]", "tp: unknown word (got '3')"),
        ("pools: [{gpu: [h100], tp: 4, replicas: 1}]", "gpu: this is one value, no list and no mapping"),
        (f"pools: [{{{POOL}, token_budget: 0}}]", "token_budget: number of tokens must be above zero"),
        (f"pools: [{{{POOL}, context: .nan}}]", "context: this is no number of tokens"),
        (f"pools: [{{{POOL}, dtype: int3}}]", "dtype: unknown word (got 'int3')"),
        (f"pools: [{{{POOL}, name: {'x' * 17}}}]", "name: this is no name"),
        (f"pools: [{{{POOL}, profile: fast}}]", "pool 1, profile: this is no mapping of keys"),
        (f"pools: [{{{POOL}, profile: {{kv_blocks: 9}}}}]", "pool 1, profile: base_step_time is missing"),
        (
            f"pools: [{{{POOL}, profile: {{base_step_time: 1ms, time_per_context_token: 0, "
            "time_per_prompt_token: 0, kv_blocks: 0}}]",
            "pool 1, profile, kv_blocks: count must be above zero",
        ),
        (f"pools: [{{{POOL}}}]\nrouter: fastest\n", "f.yaml line 2, router: unknown router"),
        (f"pools: [{{{POOL}}}]\nadmission: free\n", "f.yaml line 2, admission: unknown admission"),
        (f"pools: [{{{POOL}}}]\ngamma: 0.5\n", "f.yaml line 2, gamma: gamma must not be below 1"),
        (f"pools: [{{{POOL}}}]\ncompressible: 2\n", "compressible: share is above 1"),
        (f"pools: [{{{POOL}, above: 9}}]", "pool 1, above: shorter requests have no pool"),
        (f"pools: [{{{POOL}, up_to: 9}}, {{{POOL}, above: 8}}]", "pool 1 and pool 2: the pools' lengths do not join"),
        (f"pools: [{{{POOL}}}, {{{POOL}, above: 9}}]", "pool 1 and pool 2: where the pools divide is not said"),
        (f"pools: [{{{POOL}, context: 9}}, {{{POOL}, above: 8}}]", "the pools' lengths do not join"),
        (f"pools: [{{{POOL}, up_to: 9}}, {{{POOL}, up_to: 8}}]", "pool 1 and pool 2: the longer requests come first"),
        (f"pools: [{{{POOL}}}, {{{POOL}}}]", "pool 1 and pool 2: where the pools divide is not said"),
        (f"pools: [{{{POOL}, up_to: 9}}, {{{POOL}, above: 9, up_to: 9}}]", "pool 2: above is not below up_to"),
        (f"pools: [{{{POOL}, up_to: 9, context: 8}}]", "pool 1: up_to is longer than the pool's context"),
        (f"pools: [{{{POOL}, name: a, up_to: 9}}, {{{POOL}, name: a}}]", "two pools have one name (got 'a')"),
        (f"pools: [{{{POOL}, gpu: a100}}]", "this key stands twice (got 'gpu')"),
    ],
)
def test_bad_fleets_are_refused_with_file_pool_and_field(text: str, what: str) -> None:
    with pytest.raises(InputError) as caught:
        fleet_file.read(text, "f.yaml")
    assert what in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 3


@pytest.mark.parametrize(
    ("text", "what", "remedy"),
    [
        ('{"format": "length-distribution/1", "name": "chat"}', "is a workload", "fleettui simulate fleet.yaml f.json"),
        ("workload: azure-2023-conv", "is a question", "fleettui plan -f f.json"),
        ("workloads: [{name: chat}]", "is a question", "fleettui plan -f f.json"),
    ],
)
def test_another_file_is_refused_with_what_it_is(text: str, what: str, remedy: str) -> None:
    with pytest.raises(InputError, match=what) as refused:
        fleet_file.read(text, "folder/f.json")
    assert remedy in str(refused.value.remedy)


def test_a_question_beside_a_fleet_is_read_with_its_lines() -> None:
    text = "fleet:\n  pools: [{gpu: h100, tp: 8, replicas: 6}]\nquestion:\n  rate: 20/s\n  seed: 3\n"
    assert fleet_file.read(text, "a.yaml").pools[0].replicas == 6
    found = fleet_file.read_question(text, "a.yaml")
    assert {name: given.text for name, given in found.items()} == {"rate": "20/s", "seed": "3"}
    assert found["seed"].where == "a.yaml line 5, seed"
    assert fleet_file.read_question("pools: []", "a.yaml") == {}
    with pytest.raises(InputError, match="the fleet decides this") as refusal:
        fleet_file.read_question(text + "  tp: 4\n", "a.yaml")
    assert refusal.value.where == "a.yaml line 6, tp"


def test_a_pool_says_the_format_of_its_cache_where_it_is_not_bf16(best: Candidate) -> None:
    (pool,) = fleet_file.read(f"pools: [{{{POOL}, kv_dtype: fp8}}]", "f").pools
    assert pool == PoolSketch(gpu="h100", tp=4, replicas=2, kv_dtype="fp8")
    fleet = dataclasses.replace(
        best.fleet, pools=tuple(dataclasses.replace(one, kv_dtype="fp8") for one in best.fleet.pools)
    )
    assert {one.kv_dtype for one in fleet_file.read(fleet_file.write(fleet, {}), "f").pools} == {"fp8"}
    assert "kv_dtype" not in fleet_file.write(best.fleet, {})
    with pytest.raises(InputError, match="unknown word"):
        fleet_file.read(f"pools: [{{{POOL}, kv_dtype: int4}}]", "f")


def test_a_pool_that_says_no_number_format_has_that_of_its_models_weights() -> None:
    for said, dtype in (("", "bf16"), (", model: gpt-oss-20b", "mxfp4"), (", model: gpt-oss-20b, dtype: fp8", "fp8")):
        assert fleet_file.read(f"pools: [{{{POOL}{said}}}]", "f").pools[0].dtype == dtype


def test_a_pool_says_that_its_experts_are_spread(best: Candidate) -> None:
    (pool,) = fleet_file.read(f"pools: [{{{POOL}, model: gpt-oss-20b, expert_parallel: true}}]", "f").pools
    assert pool.expert_parallel
    assert "expert_parallel" not in fleet_file.write(best.fleet, {})


def test_a_pool_has_the_cache_that_its_models_file_asks_for(tmp_path: Path) -> None:
    file = quantized(tmp_path, {"quant_method": "modelopt", "quant_algo": "FP8", "kv_cache_quant_algo": "FP8"})
    for said, cache in (("", "fp8"), (", kv_dtype: bf16", "bf16")):
        (pool,) = fleet_file.read(f"pools: [{{{POOL}, model: {file}{said}}}]", "f").pools
        assert (pool.dtype, pool.kv_dtype) == ("fp8", cache)


def test_a_pool_says_its_layout_and_nothing_else_beside_it() -> None:
    pools = "pools: [{gpu: h200, model: deepseek-v3, tp: 8, replicas: 2, layout: tp2dp4/ep8%s}]"
    pool = fleet_file.read(pools % "", "fleet.yaml").pools[0]
    assert (pool.layout, pool.attention_dp, pool.expert_parallel, pool.batches) == ("tp2dp4/ep8", True, True, 4)
    flags = fleet_file.read(pools.replace("tp2dp4/ep8", "dp8/tp8") % "", "fleet.yaml").pools[0]
    assert (flags.layout, flags.attention_dp, flags.expert_parallel) == ("", True, False)
    again = fleet_file.read(pools % ", attention_dp: true, expert_parallel: true", "fleet.yaml").pools[0]
    assert again == pool
    with pytest.raises(InputError, match="the layout tp2dp4/ep8 says another attention_dp") as refused:
        fleet_file.read(pools % ", attention_dp: false", "fleet.yaml")
    assert "attention_dp" in str(refused.value.where)
    with pytest.raises(InputError, match="another tp"):
        fleet_file.read((pools % "").replace("tp: 8", "tp: 4"), "fleet.yaml")
