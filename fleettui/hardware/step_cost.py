"""One step's time by its law: its parts summed in full, and the affine form (w, h, P) that formulas and engines use."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fleettui.domain.hardware import StepCost, StepTable
from fleettui.hardware.table_cost import table_affine, table_step_time

Floats = NDArray[np.float64]


def weight_read_time(cost: StepCost, tokens: ArrayLike) -> Floats:
    """Return the seconds that a step of `tokens` tokens reads weights, broadcasting over `tokens`.

    Each token picks its experts independently, so x tokens touch 1 − (1 − share)^x of them. Multiplied by 0.8 of the
    replica's bandwidth this is also the bytes that such a step reads.
    """
    count = np.asarray(tokens, dtype=np.float64)
    return cost.weight_time + cost.expert_time * (1.0 - (1.0 - cost.expert_share) ** count)


def touched_share(step: StepCost | StepTable, tokens: ArrayLike) -> Floats:
    """Return the share of all weights that a step of `tokens` tokens reads, broadcasting over `tokens`."""
    if isinstance(step, StepCost):
        return weight_read_time(step, tokens) / (step.weight_time + step.expert_time)
    count = np.asarray(tokens, dtype=np.float64)
    return 1.0 - (1.0 - step.read_share) * (1.0 - step.expert_share) ** count


def step_time(
    cost: StepCost | StepTable,
    *,
    decodes: ArrayLike,
    context_tokens: ArrayLike,
    prompt_tokens: ArrayLike = 0,
    attention_pairs: ArrayLike = 0,
    prompts: ArrayLike = 1,
) -> Floats:
    """Return the seconds of a step in full, broadcasting over its arguments.

    `decodes` sequences emit a token each and read `context_tokens` cached tokens together; `prompt_tokens` are
    processed beside them, forming `attention_pairs` (query, key) pairs in so many chunks of `prompts`. By the roofline
    weights are read while the matrices work, so the longer of the two counts; cache, attention and links come on top.
    """
    if isinstance(cost, StepTable):
        return table_step_time(
            cost,
            decodes=decodes,
            context_tokens=context_tokens,
            prompt_tokens=prompt_tokens,
            attention_pairs=attention_pairs,
            prompts=prompts,
        )
    decoding = np.asarray(decodes, dtype=np.float64)
    tokens = decoding + np.asarray(prompt_tokens, dtype=np.float64)
    linear = np.maximum(weight_read_time(cost, tokens), cost.linear_time * tokens)
    cache = cost.context_time * np.asarray(context_tokens, dtype=np.float64)
    attention = cost.attention_time * np.asarray(attention_pairs, dtype=np.float64)
    total: Floats = cost.overhead + linear + decoding * (cost.all_reduce_time + cost.sequence_time) + cache + attention
    return total


def affine(
    cost: StepCost | StepTable,
    *,
    concurrency: ArrayLike,
    mean_context: ArrayLike,
    mean_pairs_per_prompt_token: ArrayLike,
    chunk: ArrayLike,
    token_budget: ArrayLike,
    flow: ArrayLike = 0.0,
    alone: bool = False,
) -> tuple[Floats, Floats, Floats]:
    """Return (w, h, P): step time ≈ w + h·(context tokens) + P·(prompt tokens), broadcasting, for at most n decodes.

    `chunk` are the prompt tokens that a request has in a step on average, `flow` those of all requests where n
    sequences run, `token_budget` those that a step may have; they count for tabulated kernels alone, whose line is told
    in `table_cost.py`. By the roofline w = overhead + weights(n). One decode adds g, the chord of max(weights(n),
    linear·x) over 0 ≤ x ≤ n, and its all-reduce; g is folded into h at the pool's mean context per sequence. The
    maximum is convex, so the chord is exact at both ends and on the safe side between. P holds the attention of a
    prompt token, which on average meets `mean_pairs_per_prompt_token` keys (cached prefix + half of the uncached rest).
    """
    count = np.asarray(concurrency, dtype=np.float64)
    context = np.asarray(mean_context, dtype=np.float64)
    if not (np.all(count > 0) and np.all(context > 0)):
        raise AssertionError(f"concurrency and mean context must be above zero: {count}, {context}")
    pairs = np.asarray(mean_pairs_per_prompt_token, dtype=np.float64)
    if isinstance(cost, StepTable):
        return table_affine(
            cost,
            concurrency=count,
            mean_context=context,
            mean_pairs_per_prompt_token=pairs,
            chunk=chunk,
            token_budget=token_budget,
            flow=flow,
            alone=alone,
        )
    weights = weight_read_time(cost, count)
    per_decode = np.maximum(0.0, count * cost.linear_time - weights) / count + cost.all_reduce_time + cost.sequence_time
    return (
        cost.overhead + weights,
        cost.context_time + per_decode / context,
        cost.linear_time + cost.attention_time * pairs,
    )


def rescaled(step: StepCost | StepTable, *, overhead: float, bandwidth: float, compute: float) -> StepCost | StepTable:
    """Return the step of a GPU that reaches `bandwidth` and `compute` times what was thought, under another overhead.

    Of tabulated kernels, what a step of one token takes is memory's, and what further tokens add arithmetic's.
    """
    if isinstance(step, StepCost):
        return replace(
            step,
            overhead=overhead,
            weight_time=step.weight_time / bandwidth,
            expert_time=step.expert_time / bandwidth,
            context_time=step.context_time / bandwidth,
            sequence_time=step.sequence_time / bandwidth,
            linear_time=step.linear_time / compute,
            attention_time=step.attention_time / compute,
        )

    def slower(times: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(times[0] / bandwidth + (one - times[0]) / compute for one in times)

    return replace(
        step,
        overhead=overhead,
        linear=slower(step.linear),
        gathered=slower(step.gathered),
        alone=slower(step.alone),
        fixed=tuple(one / bandwidth for one in step.fixed),
        slope=tuple(one / bandwidth for one in step.slope),
        attention=tuple(one / compute for one in step.attention),
    )
