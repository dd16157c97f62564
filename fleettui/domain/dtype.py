"""The number formats of weights and of cached numbers."""

from __future__ import annotations

from typing import Literal, get_args

Dtype = Literal["bf16", "fp8"]
DTYPES: tuple[Dtype, ...] = get_args(Dtype)
DTYPE_BYTES: dict[str, int] = {"bf16": 2, "fp8": 1}
CacheDtype = Literal["bf16", "fp8"]
CACHE_DTYPES: tuple[CacheDtype, ...] = get_args(CacheDtype)
CACHE_BYTES: dict[CacheDtype, int] = {"bf16": 2, "fp8": 1}
"""Bytes of one cached number."""
