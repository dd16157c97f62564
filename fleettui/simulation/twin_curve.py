"""The seconds of a step by kernels, in plain Python: what the compiled one is held to."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from fleettui.simulation.curve import Curve


def curved(curve: Curve, decodes: int, context: int, chunks: Sequence[tuple[int, int]]) -> float:
    """Return the seconds of a step of `decodes`, which read `context` tokens, beside chunks (tokens, cached then)."""
    alone = float(curve.batches["base"][decodes]) + float(curve.batches["per_context"][decodes]) * context
    if not chunks:
        return alone
    prompt, attention = sum(tokens for tokens, _ in chunks), 0.0
    for tokens, computed in chunks:
        pairs = tokens * (computed - 0.5 * tokens)
        below = max(bisect_right(curve.prompts["pairs"].tolist(), pairs) - 1, 0)
        point = curve.prompts[below]
        attention += float(point["seconds"] + point["slope"] * (pairs - point["pairs"]))
    tokens = curve.width * decodes
    kernels = alone + (float(curve.linear[tokens + prompt]) - float(curve.linear[tokens]))
    return max(kernels + (curve.floor + attention), curve.least) + curve.extra
