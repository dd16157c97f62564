"""The affine form of tabulated steps: exact at its concurrency, on the safe side at smaller batches and chunks."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fleettui.domain.hardware import StepTable
from fleettui.hardware.step_cost import affine, step_time, touched_share
from fleettui.hardware.table_cost import TableLines, straight
from fleettui.queueing.latency import floor_of
from fleettui.queueing.moments import RequestTable
from fleettui.queueing.ranges import RangeTable
from fleettui.queueing.service import Service
from tests.evidence.formula import simulated
from tests.evidence.pools import Setup, staged
from tests.hardware.test_step_table import CELLS, TABLES

CONTEXT = 1500.0


def line(table: StepTable, **changes: Any) -> tuple[Any, Any, Any]:
    """Return (w, h, P) of 64 decodes at most, prompts of 1,000 tokens, steps of 8,192."""
    asked = {"concurrency": 64.0, "mean_context": CONTEXT, "mean_pairs_per_prompt_token": 500.0}
    return affine(table, **({**asked, "chunk": 1000.0, "token_budget": 8192.0} | changes))


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell[1]}-{cell[0]}")
@pytest.mark.parametrize("concurrency", [1, 16, 256, 2000])
def test_affine_is_exact_at_its_concurrency_and_above_fewer_decodes(cell: Any, concurrency: int) -> None:
    w, h, _ = line(TABLES[cell], concurrency=float(concurrency))
    decodes = np.unique(np.geomspace(1, concurrency, 40).round())
    full = step_time(TABLES[cell], decodes=decodes, context_tokens=decodes * CONTEXT)
    told = w + h * decodes * CONTEXT
    assert told[-1] == pytest.approx(full[-1], rel=1e-9)
    assert np.all(told >= full * 0.85)  # between: kernels step up behind a tile
    assert np.all(told <= full * (2.6 if TABLES[cell].expert_share else 1.7))
    halves = concurrency * 0.5 ** np.arange(int(np.log2(concurrency)) + 1)
    assert np.all(
        w + h * halves * CONTEXT
        >= step_time(TABLES[cell], decodes=halves, context_tokens=halves * CONTEXT) * (1 - 1e-9)
    )


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell[1]}-{cell[0]}")
@pytest.mark.parametrize("flow", [1000.0, 4000.0, 8000.0])
def test_prompt_tokens_cost_what_those_of_a_full_batch_do(cell: Any, flow: float) -> None:
    w, h, p = line(TABLES[cell], flow=flow)
    full = step_time(
        TABLES[cell],
        decodes=64,
        context_tokens=64 * CONTEXT,
        prompt_tokens=flow,
        attention_pairs=flow * 500,
        prompts=flow / 1000,
    )
    assert w + h * 64 * CONTEXT + p * flow == pytest.approx(float(full), rel=1e-9)


def test_a_step_has_a_chunk_at_least_and_its_budget_at_most() -> None:
    table = TABLES[CELLS[0]]
    assert line(table, flow=10.0) == line(table, flow=1000.0)
    assert line(table, flow=1e6) == line(table, flow=8192.0 - 64.0)


def test_arrays_broadcast() -> None:
    w, h, p = line(
        TABLES[CELLS[0]], concurrency=np.array([[8.0], [64.0]]), mean_context=np.array([100.0, 200.0, 300.0])
    )
    assert w.shape == h.shape == p.shape == (2, 3)
    assert float(w[1, 2]) == float(line(TABLES[CELLS[0]], mean_context=300.0)[0])


def test_an_empty_pool_is_a_bug() -> None:
    with pytest.raises(AssertionError, match="above zero"):
        line(TABLES[CELLS[0]], concurrency=0.0)


def test_values_go_on_as_they_ended() -> None:
    assert straight(np.array([0.0, 1.5, 4.0]), (1.0, 2.0), (10.0, 20.0)).tolist() == [10.0, 15.0, 40.0]


def test_experts_touched_grow_with_the_tokens() -> None:
    dense, sparse = TABLES[CELLS[0]], TABLES[CELLS[4]]
    assert touched_share(dense, [1, 100]).tolist() == [1.0, 1.0]
    one, many = touched_share(sparse, [1, 10_000])
    assert one < 0.06
    assert many == pytest.approx(1.0)


def by_kernels(workload: str, gpu: str, model: str, utilization: float, engine: str = "vllm") -> Setup:
    """Return four replicas in fp8 whose steps are made of measured kernels."""
    return Setup(
        workload=workload,
        gpu=gpu,
        model=model,
        dtype="fp8",
        replicas=4,
        utilization=utilization,
        step_law="kernels",
        engine=engine,
        token_budget=16_384 if engine == "trtllm" else None,
    )


@pytest.mark.parametrize(
    ("workload", "gpu", "model"),
    [
        ("azure-2023-conv", "h100", "llama-3.1-70b"),
        ("azure-2023-conv", "h200", "qwen3-235b-a22b"),
        ("azure-2023-conv", "h200", "deepseek-v3"),
    ],
)
def test_formulas_and_simulation_agree_on_tabulated_steps(workload: str, gpu: str, model: str) -> None:
    setup = by_kernels(workload, gpu, model, 0.7)
    pool = staged(setup)
    seen = simulated(setup, runs=4, requests=10_000)
    assert pool.figures.utilization == pytest.approx(seen.utilization, rel=0.03)
    assert pool.figures.batch == pytest.approx(seen.batch, rel=0.03)


@pytest.mark.parametrize("utilization", [0.3, 0.7])
def test_formulas_and_simulation_agree_on_prompts_that_run_alone(utilization: float) -> None:
    own = by_kernels("azure-2023-conv", "h100", "llama-3.1-70b", utilization, "sglang")
    pool = staged(own)
    assert pool.fleet.pools[0].settings.alone
    seen = simulated(own, runs=4, requests=40_000)
    assert pool.figures.utilization == pytest.approx(seen.utilization, rel=0.03)
    assert pool.figures.batch == pytest.approx(seen.batch, rel=0.06)


@pytest.mark.parametrize(("gpu", "model"), [("h100", "llama-3.1-70b"), ("h200", "qwen3-235b-a22b")])
def test_formulas_and_simulation_agree_on_whole_prompts(gpu: str, model: str) -> None:
    own = by_kernels("azure-2023-conv", gpu, model, 0.7, "trtllm")
    pool = staged(own)
    assert pool.fleet.pools[0].settings.whole
    seen = simulated(own, runs=4, requests=10_000)
    assert pool.figures.utilization == pytest.approx(seen.utilization, rel=0.03)
    assert pool.figures.batch == pytest.approx(seen.batch, rel=0.03)


@pytest.mark.parametrize("gpu", ["h200", "b200"])
@pytest.mark.parametrize("utilization", [0.4, 0.7])
def test_formulas_and_simulation_agree_where_prompts_have_a_least_time(gpu: str, utilization: float) -> None:
    """The batch is steep there: 1 % of the step is up to 4 % of it."""
    own = by_kernels("azure-2023-conv", gpu, "deepseek-v3", utilization, "trtllm")
    pool = staged(own)
    seen = simulated(own, runs=2, requests=10_000)
    assert pool.figures.utilization == pytest.approx(seen.utilization, rel=0.03)
    assert pool.figures.batch == pytest.approx(seen.batch, rel=0.1)


@pytest.mark.parametrize("engine", ["trtllm", "sglang"])
def test_long_prompts_do_not_take_the_least_time_over_and_over(engine: str) -> None:
    """Some have ten times the mean's tokens; the least time of a step is theirs once a step, not once a mean prompt."""
    own = replace(by_kernels("lmsys-paper", "h200", "deepseek-v3", 0.4, engine), token_budget=None)
    own = replace(own, prompt_steps="mixed") if engine == "trtllm" else own
    assert 0.8 < staged(own).figures.ttft / simulated(own, runs=2, requests=10_000).ttft < 1.25


def test_prompts_that_run_alone_pay_for_their_steps_in_whole() -> None:
    table = TABLES[CELLS[0]]
    asked = {"concurrency": 64.0, "mean_context": CONTEXT, "mean_pairs_per_prompt_token": 500.0, "flow": 4000.0}
    *_, beside = line(table, **asked)
    *_, alone = line(table, **asked, alone=True)
    whole = step_time(table, decodes=0, context_tokens=0, prompt_tokens=4000, attention_pairs=2e6, prompts=4)
    assert float(alone) == pytest.approx(float(whole) / 4000)
    assert float(alone) > float(beside)


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell[1]}-{cell[0]}")
def test_a_long_prompt_alone_takes_its_own_step_and_not_that_of_mean_ones(cell: Any) -> None:
    """Prompts of 500, 1,500 and 7,500 tokens: of the longest its own attention and step are known."""
    lengths = np.array([500.0, 1500.0, 7500.0])
    atoms = [(weight, float(n), 1.0) for weight, n in zip((4.0, 4.0, 1.0), lengths, strict=True)]
    requests = RequestTable.of(atoms, chunk=8192)
    ranges = RangeTable.of(requests, [0], [10_000])
    one = np.ones(1)
    service = Service(
        base=one, per_context=one, per_prompt=one, concurrency=64.0 * one, token_budget=8192.0 * one,
        front_end=0.0 * one, api_token=0.0 * one, steps=TableLines(TABLES[cell]),
    )  # fmt: skip
    found = floor_of(ranges.moments, service)[0] @ ranges.features
    steps = step_time(
        TABLES[cell], decodes=0, context_tokens=0, prompt_tokens=lengths, attention_pairs=lengths**2 / 2.0
    )
    assert found[-1] == pytest.approx(steps[-1], rel=0.04)
    assert (found >= 0.75 * steps).all()
    assert (found <= 1.4 * steps).all()
