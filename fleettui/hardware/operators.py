"""What each operator of a layer does on one GPU, and the least time that the datasheet allows for it.

Shapes are numbers or arrays that broadcast: `tokens` of a step, `units` of attention (sequences, or prompts, times
heads), widths in numbers. An operator works for its arithmetic at the peak or its bytes at the bandwidth, whichever is
longer; measured kernels are kept as multiples of that time (`kernel_tables.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fleettui.domain.dtype import Units
from fleettui.domain.hardware import Gpu
from fleettui.hardware.formats import FORMATS, peak
from fleettui.hardware.roofline import BANDWIDTH_SHARE, COMPUTE_SHARE

Floats = NDArray[np.float64]

LATENT_KEY, LATENT_VALUE = 576, 512
"""Numbers of a cached token that latent attention scores, and weighs: DeepSeek-V2 and V3 (arXiv 2412.19437)."""
LATENT_PROMPT_KEY, LATENT_PROMPT_VALUE = 192, 128
"""The same of a prompt's token by head, where keys and values are written out."""


@dataclass(frozen=True, slots=True)
class Work:
    """What an operator does on one GPU: floating point operations in `units`, bytes moved; arrays of one shape."""

    flops: Floats
    moved: Floats
    units: Units = "bf16"

    def least(self, gpu: Gpu) -> Floats:
        """Return the seconds that the datasheet allows: no kernel is faster."""
        return self._time(gpu, 1.0, 1.0)

    def estimated(self, gpu: Gpu, compute_share: float | None = None) -> Floats:
        """Return the seconds at the shares of the datasheet that kernels reach where none was measured."""
        return self._time(gpu, COMPUTE_SHARE if compute_share is None else compute_share, BANDWIDTH_SHARE)

    def _time(self, gpu: Gpu, compute: float, bandwidth: float) -> Floats:
        return np.maximum(self.flops / (compute * peak(gpu, self.units)), self.moved / (bandwidth * gpu.bandwidth))


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpertShape:
    """Routed experts: `count` of them, `inner` numbers wide; a token of `hidden` numbers uses `used`.

    They are spread over `ranks` groups of GPUs, and each divided among `divided` GPUs.
    """

    hidden: int
    inner: int
    used: int
    count: int
    divided: int
    ranks: int = 1

    @property
    def whole(self) -> tuple[int, int]:
        """The numbers of a token, and those that an expert is wide."""
        return self.hidden, self.inner

    @property
    def spread(self) -> ExpertShape:
        """The same experts whole, spread over the GPUs among which each was divided."""
        return replace(self, divided=1, ranks=self.divided * self.ranks)

    @property
    def text(self) -> str:
        """The shape in words."""
        gpus = self.divided * self.ranks
        return f"{self.count} experts of {self.inner} by {self.hidden}, {self.used} used, over {gpus} GPUs"


def matrix_product(tokens: ArrayLike, rows: ArrayLike, columns: ArrayLike, form: str) -> Work:
    """Return the work of y = W·x for `tokens` vectors x of `columns` numbers, W of `rows` by `columns`."""
    m, n, k = (np.asarray(one, np.float64) for one in (tokens, rows, columns))
    held = FORMATS[form]
    return Work(2.0 * m * n * k, held.activation * m * k + held.weight * n * k + 2.0 * m * n, held.units)


def decode_attention(
    units: ArrayLike, grouped: ArrayLike, context: ArrayLike, *, width: int, cache_bytes: int, window: int = 0
) -> Work:
    """Return the work of sequences that emit a token each, reading `context` tokens of their cache.

    `units` are sequences times KV heads, `grouped` query heads share one KV head, a head is `width` numbers wide. A
    `window` above 0 is all that is read.
    """
    w, g, held = (np.asarray(one, np.float64) for one in (units, grouped, context))
    read = np.minimum(held, window) if window else held
    return Work(4.0 * w * g * read * width, w * (2.0 * read * width * cache_bytes + 4.0 * g * width))


def prompt_attention(
    units: ArrayLike, grouped: ArrayLike, length: ArrayLike, *, width: int, form: str = "bf16", window: int = 0
) -> Work:
    """Return the work of causal attention over prompts of `length` tokens; `units` are prompts times query heads."""
    w, g, tokens = (np.asarray(one, np.float64) for one in (units, grouped, length))
    pairs = tokens * tokens / 2.0
    if window:
        pairs = np.where(tokens > window, tokens * window - window**2 / 2.0, pairs)
    return Work(4.0 * w * pairs * width, 2.0 * w * tokens * width * (2.0 + 2.0 / g), FORMATS[form].units)


def latent_decode(heads: ArrayLike, sequences: ArrayLike, context: ArrayLike, *, cache_bytes: int) -> Work:
    """Return the work of latent attention for sequences that emit a token each: a latent is read once for all heads."""
    h, b, read = (np.asarray(one, np.float64) for one in (heads, sequences, context))
    both = LATENT_KEY + LATENT_VALUE
    return Work(2.0 * b * read * h * both, b * (LATENT_KEY * read * cache_bytes + 2.0 * h * both))


def latent_prompt(units: ArrayLike, length: ArrayLike) -> Work:
    """Return the work of latent attention over prompts of `length` tokens; `units` are prompts times heads."""
    w, tokens = (np.asarray(one, np.float64) for one in (units, length))
    both = LATENT_PROMPT_KEY + LATENT_PROMPT_VALUE
    return Work(w * tokens**2 * both, 4.0 * w * tokens * both)


def experts(tokens: ArrayLike, shape: ExpertShape, form: str, touched: ArrayLike | None = None) -> Work:
    """Return the work of a layer's routed experts for `tokens`: gate, up and down projections.

    x tokens touch 1 − (1 − used/count)^x of the experts, or as many of a rank as are `touched`.
    """
    x, held = np.asarray(tokens, np.float64), FORMATS[form]
    if touched is None:
        touched = shape.count / shape.ranks * (1.0 - (1.0 - shape.used / shape.count) ** x)
    weights = 3.0 * shape.hidden * shape.inner / shape.divided
    flops = 2.0 * x * shape.used / shape.ranks * weights
    return Work(
        flops,
        np.asarray(touched, np.float64) * weights * held.weight + 2.0 * held.activation * x * shape.hidden,
        held.units,
    )


def ring_time(numbers: ArrayLike, gpus: int, link_bandwidth: float) -> Floats:
    """Return the seconds that `gpus` need to add up `numbers` bf16 numbers each over links of so many B/s."""
    return np.asarray(2.0 * (gpus - 1) / gpus * np.asarray(numbers, np.float64) * 2.0 / link_bandwidth)
