"""Replicas divided in both domains: the law, memory and engine of each layout, between those that flags say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.hardware import Profile, StepTable
from fleettui.domain.layout import layout
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.attention_dp import whole_parameters
from fleettui.hardware.kernel_search import Kernels
from fleettui.hardware.operator_law import LANE_SUMS, OperatorLaw
from fleettui.hardware.profile import build_profile
from fleettui.hardware.weights import weights_of
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.plan import run
from fleettui.planning.tasks.serving_profiles import profiles_of
from fleettui.simulation.layout import Engine

H200, MODEL = catalog.gpu("h200"), catalog.model("deepseek-v3")
ASKED = Question(
    workload="azure-2023-conv",
    slo=Slo(ttft=4.0, tpot=0.1),
    model=MODEL.name,
    dtype="fp8",
    gpus=("h200",),
    engine="sglang",
    step_law="kernels",
    pools=(1,),
    verify=False,
    demand=Demand(form="rate", rate=60.0),
)


def law(text: str) -> OperatorLaw:
    said = layout(text)
    return OperatorLaw(
        Kernels(H200, "sglang"),
        MODEL,
        "fp8",
        said.gpus,
        expert_parallel=said.feed_forward_ep > 1,
        attention_dp=said.attention_dp > 1,
        layout=said,
    )


def profile(text: str) -> Profile:
    return profiles_of(replace(ASKED, layout=text), MODEL)[0]


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("tp8/tp8", {}),
        ("tp8/ep8", {"expert_parallel": True}),
        ("dp8/tp8", {"attention_dp": True}),
        ("dp8/ep8", {"expert_parallel": True, "attention_dp": True}),
    ],
)
def test_a_layout_that_flags_say_is_theirs_to_the_bit(text: str, flags: dict[str, bool]) -> None:
    assert profile(text) == profiles_of(replace(ASKED, tp=(8,), **flags), MODEL)[0]  # type: ignore[arg-type]
    own = OperatorLaw(Kernels(H200, "sglang"), MODEL, "fp8", 8, **flags)  # type: ignore[arg-type]
    tokens = np.array([1.0, 40.0, 3000.0])
    found = law(text)
    assert all(np.array_equal(own.linear(tokens)[name], found.linear(tokens)[name]) for name in own.linear(tokens))
    assert np.array_equal(own.decode(tokens, 2000.0), found.decode(tokens, 2000.0))


def test_a_lane_attends_as_a_replica_of_its_gpus_and_sums_up_among_them() -> None:
    lane, alone = law("tp2dp4/tp8"), OperatorLaw(Kernels(H200, "sglang"), MODEL, "fp8", 2)
    counts = np.array([1.0, 16.0, 64.0])
    assert lane.decode(counts, 4096.0) == pytest.approx(alone.decode(counts, 4096.0))
    assert lane.prompt(2048.0) == pytest.approx(alone.prompt(2048.0))
    own, whole = lane.linear(counts), alone.linear(counts)
    assert own["query, key, value"] == pytest.approx(whole["query, key, value"])
    dense, layers = MODEL.shape.dense_layers, MODEL.layers
    assert own[LANE_SUMS] == pytest.approx(whole["all-reduce"] / 2 * (layers + dense) / layers)
    every = law("tp8/tp8").linear(4 * counts)["all-reduce"] / 2
    assert own["all-reduce"] == pytest.approx(every * (layers - dense) / layers)
    for name in ("gate and up", "down", "shared experts"):
        assert own[name] == pytest.approx(whole[name])
    assert own["experts"] == pytest.approx(law("tp8/tp8").linear(4 * counts)["experts"])
    assert lane.behind(counts) == pytest.approx(own["experts"] + own["router"] + own["all-reduce"])


def test_groups_hold_experts_as_kernels_were_measured_with_both() -> None:
    tokens = np.array([64.0, 2048.0])
    times = [law(one).linear(tokens)["experts"] for one in ("tp8/tp8", "tp8/tp4ep2", "tp8/tp2ep4", "tp8/ep8")]
    assert len({tuple(one.tolist()) for one in times}) == 4


@pytest.mark.parametrize(("text", "ways"), [("tp8/tp8", 8), ("tp4dp2/tp8", 4), ("tp2dp4/ep8", 2), ("dp8/tp2ep4", 1)])
def test_each_gpu_holds_its_part_of_attention_in_a_lane_and_of_all_else_in_the_replica(text: str, ways: int) -> None:
    held = weights_of(H200, MODEL, "fp8")
    whole = whole_parameters(MODEL) if ways < 8 else 0.0
    expected = (held.held - whole) / 8 + whole / ways
    assert held.per_gpu(8, ways) == pytest.approx(expected)
    found = profile(text)
    usable = next(line for line in found.memory if "weights" in line)
    assert f"{expected / 1e9:.2f} GB weights" in usable
    assert found.gpus_per_replica == 8
    assert found.divided.attention_tp == ways
    assert found.batches == 8 // ways


def test_lanes_of_more_gpus_have_more_blocks_each_and_the_replica_fewer() -> None:
    found = [profile(one) for one in ("tp4dp2/tp8", "tp2dp4/tp8", "dp8/tp8")]
    assert [one.kv_blocks for one in found] == sorted((one.kv_blocks for one in found), reverse=True)
    replica = [one.kv_blocks * one.batches for one in found]
    assert replica == sorted(replica)


def test_names_tell_layouts_from_each_other() -> None:
    names = [profile(one).name for one in ("tp8/tp8", "dp8/tp8", "tp2dp4/tp8", "tp2dp4/ep8", "tp8/tp2ep4")]
    ours = "h200/deepseek-v3/fp8"
    assert names == [f"{ours}/{one}" for one in ("tp8", "dp8", "tp2dp4/tp8", "tp2dp4/ep8", "tp8/tp2ep4")]


def test_the_engine_steps_as_many_lanes_together_as_the_layout_has() -> None:
    found = profile("tp2dp4/tp8")
    assert isinstance(found.step, StepTable)
    assert len(found.step.gathered) == len(found.step.linear)
    best = run(Context(), question=replace(ASKED, layout="tp2dp4/tp8")).answer.answer
    assert best is not None
    pool = best.fleet.pools[0]
    assert pool.replica == found.name
    engine = Engine.of(pool, "paged", hardware=found)
    assert (engine.together, engine.lanes, engine.replicas) == (4, 1, 4 * pool.replicas)


def test_what_a_model_does_not_divide_by_is_refused_before_the_search() -> None:
    with pytest.raises(InputError, match=r"llama-3\.1-70b has no routed experts"):
        profiles_of(replace(ASKED, layout="tp2dp4/ep8", model="llama-3.1-70b"), catalog.model("llama-3.1-70b"))
    with pytest.raises(InputError, match="roofline's line does not know"):
        build_profile(H200, MODEL, dtype="fp8", tp=8, attention_dp=True, layout="tp2dp4/tp8")
