"""Replicas whose GPUs divide the sequences among them instead of the heads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.calibration import StepTerms
from fleettui.domain.demand import Demand
from fleettui.domain.hardware import StepTable
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.attention_dp import attention_parameters, whole_parameters
from fleettui.hardware.graph_bins import padded_step
from fleettui.hardware.kernel_search import Kernels
from fleettui.hardware.memory import cache_budget
from fleettui.hardware.operator_law import OperatorLaw
from fleettui.hardware.own_fit import fitted_step
from fleettui.hardware.profile import build_profile
from fleettui.hardware.step_cost import rescaled
from fleettui.hardware.weights import weights_of
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.plan import run

VLLM = catalog.engine("vllm")
H200 = catalog.gpu("h200")
TP = 8


def law(name: str, tp: int = TP, *, attention_dp: bool = False) -> OperatorLaw:
    return OperatorLaw(Kernels(H200, "sglang"), catalog.model(name), "fp8", tp, attention_dp=attention_dp)


def test_each_gpu_attends_to_its_sequences_as_if_it_were_alone() -> None:
    one, own = law("llama-3.1-70b", tp=1), law("llama-3.1-70b", attention_dp=True)
    counts, context = np.array([1.0, 16.0, 64.0]), 4096.0
    assert own.decode(counts, context) == pytest.approx(one.decode(counts, context))
    assert own.prompt(2048.0) == pytest.approx(one.prompt(2048.0))


@pytest.mark.parametrize(
    ("model", "divided_parts", "layers"),
    [("deepseek-v3", ("experts", "router"), 58 / 61), ("llama-3.1-70b", ("gate and up", "down"), 1.0)],
)
def test_what_is_divided_works_for_the_tokens_of_all(model: str, divided_parts: tuple[str, ...], layers: float) -> None:
    divided, own = law(model), law(model, attention_dp=True)
    for part in divided_parts:
        assert own.linear(32.0)[part] == pytest.approx(divided.linear(32.0 * TP)[part])
    assert own.head(4.0) == pytest.approx(divided.head(4.0 * TP))
    exchanged = divided.linear(32.0 * TP)["all-reduce"] / 2
    assert own.linear(32.0)["all-reduce"] == pytest.approx(layers * exchanged)


def test_dense_layers_and_shared_experts_are_whole_beside_experts_that_are_divided() -> None:
    one, own = law("deepseek-v3", tp=1), law("deepseek-v3", attention_dp=True)
    for part in ("shared experts", "gate and up", "down"):
        assert own.linear(32.0)[part] == pytest.approx(one.linear(32.0)[part])


@pytest.mark.parametrize(("name", "billions"), [("llama-3.1-70b", 12.1), ("deepseek-v3", 11.4)])
def test_each_gpu_holds_what_is_whole_and_a_cache_that_is_not_divided(name: str, billions: float) -> None:
    model = catalog.model(name)
    assert attention_parameters(model) / 1e9 == pytest.approx(billions, rel=0.02)
    weights = weights_of(H200, model, "fp8")
    assert weights.per_gpu(TP, TP) == pytest.approx(weights.held / TP)
    more = weights.per_gpu(TP, 1) - weights.per_gpu(TP, TP)
    assert more == pytest.approx(whole_parameters(model) * (1 - 1 / TP))
    both = [cache_budget(H200, model, dtype="fp8", tp=TP, ways=one, engine=VLLM) for one in (TP, 1)]
    tokens = [both[0].blocks, both[1].blocks * TP]
    assert (tokens[1] > 5 * tokens[0]) == (name == "deepseek-v3"), "a latent is copied to every GPU that divides heads"
    assert both[1].lines[-1].endswith("on each GPU")


def test_a_profile_says_so_and_reads_the_weights_once_by_batch() -> None:
    build = {"dtype": "fp8", "tp": TP, "engine": "sglang", "step_law": "kernels"}
    divided, own = (
        build_profile(H200, catalog.model("deepseek-v3"), attention_dp=one, **build)  # type: ignore[arg-type]
        for one in (False, True)
    )
    assert own.name == "h200/deepseek-v3/fp8/dp8"
    assert (own.division, own.batches, own.gpus_per_replica) == ("dp8", TP, TP)
    assert (divided.batches, divided.attention_dp) == (1, False)
    assert own.replica_key != divided.replica_key
    assert own.batches * own.bytes_per_step > divided.bytes_per_step > own.bytes_per_step
    assert isinstance(own.step, StepTable)
    assert replace(own.step).tokens == divided.step.tokens  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"tp": 1}, "one GPU has no sequences to divide"),
        ({"pp": 2}, "no step of stages whose GPUs"),
        ({"step_law": "roofline"}, "the roofline's line does not know GPUs"),
    ],
)
def test_what_no_step_is_known_of_is_refused(changes: dict[str, object], words: str) -> None:
    asked = {"dtype": "fp8", "tp": TP, "step_law": "kernels", "attention_dp": True, **changes}
    with pytest.raises(InputError, match=words):
        build_profile(H200, catalog.model("llama-3.1-8b"), **asked)  # type: ignore[arg-type]


def test_what_works_for_all_lanes_is_told_apart_and_stays_so_where_steps_are_changed() -> None:
    """Routed experts and their exchange, of the same tokens as all but attention: never more than that."""
    own = build_profile(
        H200, catalog.model("deepseek-v3"), dtype="fp8", tp=TP, engine="sglang", step_law="kernels", attention_dp=True
    ).step
    assert isinstance(own, StepTable)
    part = law("deepseek-v3", attention_dp=True)
    seconds = part.linear(1024.0)
    behind = float(seconds["experts"]) + float(seconds["router"])
    assert float(part.behind(1024.0)) == pytest.approx(behind + float(seconds["all-reduce"]))
    assert 0.0 < own.gathered[-1] < own.linear[-1]
    slower = fitted_step(own, StepTerms(factor=1.5), 1.0)
    capped = rescaled(own, overhead=own.overhead, bandwidth=1.0, compute=0.5)
    wide = padded_step(own, (8, 64, 512))
    for step in (slower, capped, wide):
        assert isinstance(step, StepTable)
        assert len(step.gathered) == len(step.linear)
        assert all(one <= every * (1.0 + 1e-9) for one, every in zip(step.gathered, step.linear, strict=True))
    assert slower.gathered[-1] == pytest.approx(1.5 * own.gathered[-1])  # type: ignore[union-attr]
    assert capped.gathered[-1] > 1.5 * own.gathered[-1]  # type: ignore[union-attr]


@pytest.mark.evidence
def test_a_plan_with_a_latent_cache_needs_fewer_gpus_that_hold_it_once() -> None:
    asked = Question(
        workload="azure-2023-conv",
        demand=Demand(form="rate", rate=40.0),
        slo=Slo(ttft=4.0, tpot=0.1),
        model="deepseek-v3",
        dtype="fp8",
        gpus=("h200",),
        tp=(8,),
        pools=(1,),
        engine="sglang",
        step_law="kernels",
        verify=False,
    )
    heads, own = (run(Context(), question=replace(asked, attention_dp=one)).answer.answer for one in (False, True))
    assert heads is not None
    assert own is not None
    assert (own.gpus, heads.gpus) == (56, 64)
    (pool,) = own.fleet.pools
    assert (pool.division, pool.lanes, pool.gpus) == ("dp8", 8 * pool.replicas, 8 * pool.replicas)
    assert max(figures.mfu for figures in own.pools) < 1.0
