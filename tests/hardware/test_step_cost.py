"""The full step and its affine form: equal at the ends, affine on the safe side between."""

from functools import partial

import numpy as np
import pytest

from fleettui.domain.hardware import StepCost
from fleettui.hardware import catalog
from fleettui.hardware import step_cost as steps
from fleettui.hardware.roofline import step_cost
from fleettui.hardware.step_cost import step_time, touched_share, weight_read_time

CELLS = [
    ("h100", "llama-3.1-8b", 1),
    ("h100", "llama-3.1-70b", 8),
    ("a10g", "llama-3.1-8b", 4),
    ("h200", "qwen3-235b-a22b", 8),
    ("b200", "deepseek-v3", 8),
]
MEAN_CONTEXT = 1500.0
affine = partial(steps.affine, chunk=1000, token_budget=2048)


def cost_of(gpu: str, model: str, tp: int) -> StepCost:
    return step_cost(catalog.gpu(gpu), catalog.model(model), dtype="bf16", tp=tp, engine_overhead=3e-3)


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("concurrency", [1, 16, 256, 2000])
def test_affine_is_on_the_safe_side_up_to_its_concurrency(cell: tuple[str, str, int], concurrency: int) -> None:
    cost = cost_of(*cell)
    w, h, _ = affine(cost, concurrency=concurrency, mean_context=MEAN_CONTEXT, mean_pairs_per_prompt_token=0)
    decodes = np.arange(concurrency + 1)
    full = step_time(cost, decodes=decodes, context_tokens=decodes * MEAN_CONTEXT)
    assert np.all(w + h * decodes * MEAN_CONTEXT >= full * (1 - 1e-12))
    assert w + h * concurrency * MEAN_CONTEXT == pytest.approx(full[-1], rel=1e-12)


@pytest.mark.parametrize("cell", CELLS[:3])
def test_affine_is_exact_at_rest_for_dense_models(cell: tuple[str, str, int]) -> None:
    cost = cost_of(*cell)
    w, _, _ = affine(cost, concurrency=512, mean_context=MEAN_CONTEXT, mean_pairs_per_prompt_token=0)
    assert w == pytest.approx(float(step_time(cost, decodes=0, context_tokens=0)), rel=1e-12)


def test_a_batch_beyond_the_ridge_pays_for_its_arithmetic() -> None:
    cost = cost_of("h100", "llama-3.1-8b", 1)
    _, few, _ = affine(cost, concurrency=16, mean_context=500, mean_pairs_per_prompt_token=0)
    _, many, _ = affine(cost, concurrency=2000, mean_context=500, mean_pairs_per_prompt_token=0)
    assert few == pytest.approx(cost.context_time)
    assert many > few * 1.05


def test_prompt_attention_is_folded_into_the_prompt_term() -> None:
    cost = cost_of("h100", "llama-3.1-70b", 8)
    length = 4096
    w, _, p = affine(cost, concurrency=8, mean_context=1, mean_pairs_per_prompt_token=length / 2)
    pairs = length * length / 2
    full = step_time(cost, decodes=0, context_tokens=0, prompt_tokens=length, attention_pairs=pairs)
    assert w + p * length == pytest.approx(float(full) + cost.weight_time)
    assert p == pytest.approx(cost.linear_time + cost.attention_time * 2048)


def test_experts_touched_grow_with_the_tokens() -> None:
    cost = cost_of("b200", "deepseek-v3", 8)
    one, many = weight_read_time(cost, [1, 10_000])
    assert one == pytest.approx(cost.weight_time + cost.expert_time * 8 / 256)
    assert many == pytest.approx(cost.weight_time + cost.expert_time)
    assert touched_share(cost, 10_000) == pytest.approx(1.0)
    assert touched_share(cost, 0) == pytest.approx(cost.weight_time / (cost.weight_time + cost.expert_time))


def test_arrays_broadcast() -> None:
    cost = cost_of("h100", "llama-3.1-70b", 8)
    w, h, p = affine(
        cost,
        concurrency=np.array([[8.0], [64.0]]),
        mean_context=np.array([100.0, 200.0, 300.0]),
        mean_pairs_per_prompt_token=np.zeros(3),
    )
    assert (w.shape, h.shape, p.shape) == ((2, 1), (2, 3), (3,))
    assert step_time(cost, decodes=np.arange(4), context_tokens=np.zeros((5, 1))).shape == (5, 4)


@pytest.mark.parametrize(("concurrency", "context"), [(0, 100), (8, 0), (8, -1)])
def test_an_empty_pool_is_a_bug(concurrency: int, context: int) -> None:
    cost = cost_of("h100", "llama-3.1-70b", 8)
    with pytest.raises(AssertionError, match="above zero"):
        affine(cost, concurrency=concurrency, mean_context=context, mean_pairs_per_prompt_token=0)
