"""One step's time from tabulated kernels: the full form, and the affine one (w, h, P)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fleettui.domain.hardware import StepTable

Floats = NDArray[np.float64]
FEWER = tuple(0.5**power for power in range(12))
"""Parts of the concurrency at which the line stays above the step: down to 1 of 2,048."""


def table_step_time(
    table: StepTable,
    *,
    decodes: ArrayLike,
    context_tokens: ArrayLike,
    prompt_tokens: ArrayLike,
    attention_pairs: ArrayLike,
    prompts: ArrayLike,
) -> Floats:
    """Return the seconds of a step in full, broadcasting; arguments as `step_cost.step_time` has them."""
    count, context, prompted, pairs, chunks = (
        np.asarray(one, np.float64) for one in (decodes, context_tokens, prompt_tokens, attention_pairs, prompts)
    )
    kernels = straight(count + prompted, table.tokens, table.linear) + decode_time(table, count, context)
    each = pairs / np.maximum(chunks, 1.0)
    attention = table.prompt_floor + chunks * straight(each, table.pairs, table.attention)
    beside = np.maximum(kernels + attention, table.prompt_least) + table.prompt_extra
    total: Floats = table.overhead + np.where(prompted > 0, beside, kernels)
    return total


def decode_time(table: StepTable, decodes: Floats, context_tokens: Floats) -> Floats:
    """Return the seconds that the attention, the head and the hosts of decoding sequences take."""
    fixed = straight(decodes, table.sequences, table.fixed)
    return fixed + _whole_slope(table, decodes) * context_tokens / np.maximum(decodes, 1.0)


def table_affine(
    table: StepTable,
    *,
    concurrency: Floats,
    mean_context: Floats,
    mean_pairs_per_prompt_token: Floats,
    chunk: ArrayLike,
    token_budget: ArrayLike,
) -> tuple[Floats, Floats, Floats]:
    """Return (w, h, P) for at most n decodes; arguments as `step_cost.affine` has them.

    x decodes take B(x) beside s(n) a cached token; B holds what the slope is steeper with fewer sequences. Of the lines
    through (n, B(n)) that stay above B(n/2), B(n/4), ... B(1) the steepest rises by g a decode, 0 if need be:
    w = overhead + B(n) − g·n, h = s(n) + g/(mean context). P is the larger of two rises of a step by its prompt tokens,
    a chunk and a full budget, as the first ones find the weights read: on the safe side between.
    """
    shape = np.broadcast(concurrency, mean_context).shape
    fewer = np.reshape(FEWER, (-1, *(1 for _ in shape)))
    counts = np.maximum(concurrency * fewer, np.minimum(concurrency, 1.0))
    slope = _whole_slope(table, concurrency) / concurrency
    base = straight(counts, table.tokens, table.linear) + straight(counts, table.sequences, table.fixed)
    base = base + (_whole_slope(table, counts) - slope * counts) * mean_context
    apart = concurrency - counts
    rises = np.where(apart > 0, (base[0] - base) / np.where(apart > 0, apart, 1.0), np.inf).min(axis=0)
    rise = np.where(np.isfinite(rises), np.maximum(rises, 0.0), 0.0)

    def per_prompt(tokens: Floats) -> Floats:
        """Return what a prompt token adds to a step of n decodes where so many come, in chunks."""
        with_prompts, without = (
            table_step_time(
                table,
                decodes=concurrency,
                context_tokens=concurrency * mean_context,
                prompt_tokens=prompted,
                attention_pairs=prompted * mean_pairs_per_prompt_token,
                prompts=prompted / np.asarray(chunk),
            )
            for prompted in (tokens, np.zeros(()))
        )
        return (with_prompts - without) / tokens

    full = np.maximum(np.asarray(token_budget, np.float64), chunk)
    dearest = np.maximum(per_prompt(np.asarray(chunk, np.float64)), per_prompt(full))
    return table.overhead + base[0] - rise * concurrency, slope + rise / mean_context, dearest


def _whole_slope(table: StepTable, decodes: Floats) -> Floats:
    """Return the seconds by which a step grows when each of its sequences holds one token more."""
    whole = np.asarray(table.slope) * np.asarray(table.sequences)
    return straight(decodes, table.sequences, tuple(whole.tolist()))


def straight(at: Floats, points: tuple[float, ...], values: tuple[float, ...]) -> Floats:
    """Return values between points that lie on straight lines, and go on beyond the last as they ended."""
    x, y = np.asarray(points), np.asarray(values)
    beyond = np.maximum(at - x[-1], 0.0) * (y[-1] - y[-2]) / (x[-1] - x[-2])
    found: Floats = np.interp(at, x, y) + beyond
    return found
