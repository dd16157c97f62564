"""The shipped kernel times against those of one H100 and one H200: `python -m tests.evidence.kernel_times`.

`kernel_times.json` has microseconds that PyTorch 2.11 took on 26 November 2026 (cuBLAS, its flash attention), each the
median of five plays of a CUDA graph over operands that do not fit in the cache: of products by rows and columns of the
matrix and tokens, of attention for decodes by heads of the cache, queries to each, sequences and cached tokens, and of
attention for prompts by heads, heads of the cache and tokens. Printed is the shipped time over that. Products in fp8
are shipped with what brings activations into that format, which PyTorch's are without.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fleettui.hardware import catalog
from fleettui.hardware.kernel_search import ENGINES, Kernels
from tests.evidence import common

TIMES = Path(__file__).with_suffix(".json")
WIDTH = 128
FULL, SPLIT = 2**18, 128
"""Cached tokens of all heads, and heads of all sequences, from which attention keeps every part of a GPU at work."""
LONG = 2048
"""Tokens from which a prompt's attention does."""
MOST_ERROR = 0.06


def ratios(kernels: Kernels, times: Mapping[str, Any]) -> Iterator[tuple[str, list[float]]]:
    """Yield what was compared, and each shipped time over that measured."""
    for form, rows in times["matrix_product"].items():
        yield f"products, {form}", [_over(kernels.product("", m, n, k, form), us) for n, k, m, us in rows]
    full = [row for row in times["decode_attention"] if row[0] * row[2] * row[3] >= FULL and row[0] * row[2] >= SPLIT]
    decode = [_over(kernels.decode(b * heads, each, held, WIDTH, 0), us) for heads, each, b, held, us in full]
    yield "decodes", decode
    prompts = [row for row in times["prompt_attention"] if row[2] >= LONG]
    yield "prompts", [_over(kernels.prompt(q, q / kv, length, WIDTH, 0), us) for q, kv, length, us in prompts]


def _over(seconds: Any, microseconds: float) -> float:
    return float(seconds) / (microseconds * 1e-6)


def _row(gpu: str, engine: str, what: str, found: Sequence[float]) -> tuple[str, ...]:
    low, middle, high = np.quantile(found, [0.1, 0.5, 0.9])
    return (gpu, engine, what, str(len(found)), f"{middle:.2f}", f"{low:.2f} to {high:.2f}")


def main() -> int:
    """Print the ratios; return 0 where the products in bf16 agree in the median."""
    rows, agree = [], []
    for gpu, times in json.loads(TIMES.read_text()).items():
        for engine in ENGINES:
            for what, found in ratios(Kernels(catalog.gpu(gpu), engine), times):
                rows.append(_row(gpu, engine, what, found))
                if what == "products, bf16":
                    agree.append(abs(float(np.median(found)) - 1.0))
    common.show("shipped / measured", ("GPU", "engine", "what", "times", "median", "80 %"), rows)
    worst = max(agree)
    return common.verdict(
        ((f"products in bf16: {worst:.0%} off in the median at most, {MOST_ERROR:.0%} allowed", worst <= MOST_ERROR),)
    )


if __name__ == "__main__":
    sys.exit(main())
