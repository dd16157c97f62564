"""What a serving engine adds to its kernels."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineTerms:
    """What an engine adds to its kernels: seconds of a step, of each layer of it, of each sequence that runs.

    A step with prompt tokens, launched kernel by kernel, takes `eager_least` seconds a layer at least, or `eager_extra`
    more. Kernels beside attention take `factor` of what was measured of each alone.
    """

    step: float
    layer: float
    sequence: float
    eager_least: float = 0.0
    eager_extra: float = 0.0
    factor: float = 1.0
