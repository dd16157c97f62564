"""The number formats of weights and of cached numbers, and the units that multiply."""

from __future__ import annotations

from typing import Literal, get_args

Dtype = Literal["bf16", "fp8", "fp8-block", "int8", "nvfp4", "int4", "mxfp4"]
"""How weights are held: `fp8` as the model's are published, by tensor or by block; integers are the weights' alone."""
DTYPES: tuple[Dtype, ...] = get_args(Dtype)
CacheDtype = Literal["bf16", "fp8"]
CACHE_DTYPES: tuple[CacheDtype, ...] = get_args(CacheDtype)
CACHE_BYTES: dict[CacheDtype, int] = {"bf16": 2, "fp8": 1}
"""Bytes of one cached number."""
Units = Literal["bf16", "fp8", "fp4", "int8"]
"""What multiplies matrices, by the numbers that it takes."""
