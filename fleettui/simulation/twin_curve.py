"""The seconds of a step in plain Python, affine or by kernels: what the compiled one is held to."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from fleettui.simulation.curve import Curve
from fleettui.simulation.layout import Engine

Chunks = Sequence[tuple[int, int]]
"""Of each chunk of a prompt its tokens, and those that are cached with it."""


def step_time(engine: Engine, decodes: int, read: int, chunks: Chunks, pace: float) -> float:
    """Return the seconds of a step of `decodes`, which read `read` tokens, beside chunks, `pace` times as long."""
    base, per_context = _alone(engine, decodes)
    if not chunks:
        return base * pace + per_context * pace * read
    if engine.curve is not None:
        return _curved(engine.curve, base + per_context * read, decodes, chunks) * pace
    context = read + sum(computed for _, computed in chunks)
    return (base + per_context * context + engine.per_prompt * sum(tokens for tokens, _ in chunks)) * pace


def _alone(engine: Engine, decodes: int) -> tuple[float, float]:
    """Return the seconds of a step of so many decodes alone, and those of each token that they read."""
    if engine.curve is None:
        return engine.base, engine.per_context
    row = engine.curve.batches[decodes]
    return float(row["base"]), float(row["per_context"])


def _curved(curve: Curve, alone: float, decodes: int, chunks: Chunks) -> float:
    """Return the seconds of a step by kernels that takes so many without its chunks."""
    prompt, attention = sum(tokens for tokens, _ in chunks), 0.0
    for tokens, computed in chunks:
        pairs = tokens * (computed - 0.5 * tokens)
        below = max(bisect_right(curve.prompts["pairs"].tolist(), pairs) - 1, 0)
        point = curve.prompts[below]
        attention += float(point["seconds"] + point["slope"] * (pairs - point["pairs"]))
    tokens = curve.width * decodes
    kernels = alone + (float(curve.linear[tokens + prompt]) - float(curve.batches[decodes]["linear"]))
    if curve.lanes > 1:  # what steps with prompts take at least, and more, counts once for all lanes
        return kernels + (curve.floor + attention)
    return max(kernels + (curve.floor + attention), curve.least) + curve.extra
