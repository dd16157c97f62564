"""Moving a prompt's cache from the replica that prefilled it to one that decodes: bytes, links, latency."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fleettui.domain.disagg import CacheSize, Links
from fleettui.domain.dtype import CacheDtype
from fleettui.domain.hardware import Gpu, Model, Profile
from fleettui.errors import InputError
from fleettui.hardware.sequence_cache import layer_bytes

LATENCY = 0.4e-3
"""Seconds of a transfer beside its bytes: the intercept of vLLM 0.11 with Mooncake over eight 400G links (0.37 ms)."""

Floats = NDArray[np.float64]


def cache_size(model: Model, dtype: CacheDtype) -> CacheSize:
    """Return the bytes of a sequence's cache in `dtype`, counted once: what GPUs hold alike is moved once."""
    layer = layer_bytes(model, dtype)
    return CacheSize(
        per_token=model.whole_layers * layer,
        per_windowed_token=model.windowed_layers * layer,
        window=model.window,
        state=model.state_bytes,
    )


def bytes_of(cache: CacheSize, prompt: ArrayLike) -> Floats:
    """Return the bytes of the cache of so many prompt tokens, broadcasting.

    >>> from fleettui.hardware import catalog
    >>> bytes_of(cache_size(catalog.model("llama-3.1-70b"), "bf16"), [1, 1000]).tolist()
    [327680.0, 327680000.0]
    """
    tokens = np.asarray(prompt, np.float64)
    windowed = np.minimum(tokens, cache.window) * cache.per_windowed_token
    found: Floats = tokens * cache.per_token + windowed + cache.state
    return found


def links_between(prefill: Profile, decode: Profile, gpus: dict[str, Gpu], typed: float | None) -> Links:
    """Return the links of replicas of two kinds: `typed` bytes per second each, else those of their GPUs' network.

    Raises InputError where no network of a GPU is known.
    """
    if typed is not None:
        return Links(prefill=typed, decode=typed, latency=LATENCY)
    return Links(
        prefill=_network(gpus[prefill.gpu]) * prefill.gpus_per_replica,
        decode=_network(gpus[decode.gpu]) * decode.gpus_per_replica,
        latency=LATENCY,
    )


def _network(gpu: Gpu) -> float:
    if gpu.scale_out is None:
        raise InputError(
            f"nothing is known of the network between replicas of {gpu.name}",
            where="--link",
            remedy="say what a replica's link moves: --link 50GB/s, or scale_out in a file of that GPU",
        )
    return gpu.scale_out
