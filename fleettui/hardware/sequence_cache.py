"""What a sequence keeps on a replica: so many bytes a token, and so many whatever its length.

Layers with a window keep min(tokens, window) tokens. Engines and formulas count bytes by the token, so such a model has
two forms, neither of which is ever too small: every token counts in every layer, or the windows count as full and only
the other layers by the token. Layers without a cache keep a state in both. An engine that keeps every token in every
layer has the first alone, of which it reads no more than the windows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from fleettui.domain.dtype import CACHE_BYTES, CacheDtype
from fleettui.domain.hardware import Model


@dataclass(frozen=True, slots=True, kw_only=True)
class SequenceCache:
    """Bytes of one sequence's cache over all layers, counted once: `per_token`, and `windows` and `state` beside.

    Cached numbers are in `dtype`, a state is as the model has it. Layers with a window read it in full where they are
    `bounded`, whatever the context; else every token.
    """

    per_token: float
    windows: float = 0.0
    state: float = 0.0
    dtype: CacheDtype = "bf16"
    bounded: bool = False

    def per_token_per_gpu(self, model: Model, tp: int) -> float:
        """Return the bytes of one token on each of `tp` GPUs."""
        return self.per_token / cache_split(model, tp)

    def fixed_per_gpu(self, model: Model, tp: int) -> float:
        """Return the bytes that a sequence of any length takes on each of `tp` GPUs; a state has heads enough."""
        return self.windows / cache_split(model, tp) + self.state / tp


def sequence_bytes(model: Model, tokens: int, dtype: CacheDtype = "bf16") -> float:
    """Return the bytes that a sequence of `tokens` tokens keeps, counted once.

    >>> from fleettui.hardware import catalog
    >>> gemma = catalog.model("gemma-3-27b")
    >>> sequence_bytes(gemma, 2048) - sequence_bytes(gemma, 1024) == 1024 * 10 * 8192
    True
    """
    held = model.whole_layers * tokens + model.windowed_layers * min(tokens, model.window)
    return held * layer_bytes(model, dtype) + model.state_bytes


def counted_in_full(model: Model, dtype: CacheDtype = "bf16") -> SequenceCache:
    """Return the form in which every layer with a cache keeps every token."""
    return SequenceCache(per_token=cache_bytes(model, dtype), state=model.state_bytes, dtype=dtype)


def forms(model: Model, dtype: CacheDtype = "bf16", *, keeps_all: bool = False) -> tuple[SequenceCache, ...]:
    """Return the forms of a model whose cached numbers are in `dtype`, the one in full first.

    An engine that `keeps_all` tokens in every layer has that one alone.
    """
    whole = counted_in_full(model, dtype)
    if not model.windowed_layers or not model.whole_layers:
        return (whole,)
    if keeps_all:
        return (replace(whole, bounded=True),)
    layer = layer_bytes(model, dtype)
    windows = model.windowed_layers * model.window * layer
    return whole, replace(whole, per_token=model.whole_layers * layer, windows=windows, bounded=True)


def layer_bytes(model: Model, dtype: CacheDtype = "bf16") -> float:
    """Return the bytes that one token takes in one layer with a cache, counted once; scales take next to nothing."""
    numbers = model.latent_dimension or 2 * model.kv_heads * model.head_dimension
    return float(numbers * CACHE_BYTES[dtype])


def cache_bytes(model: Model, dtype: CacheDtype = "bf16") -> float:
    """Return the bytes that one token's cache holds in all layers that have one, counted once."""
    return layer_bytes(model, dtype) * model.cached_layers


def cache_split(model: Model, tp: int) -> int:
    """Return into how many parts `tp` GPUs divide the cache; what heads do not allow to divide is replicated.

    Eight GPUs share four heads as four pairs that hold the same. A latent has no heads and is never divided.
    """
    return 1 if model.latent_dimension else math.gcd(tp, model.kv_heads)
