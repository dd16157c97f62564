"""The number formats of weights."""

from __future__ import annotations

from typing import Literal, get_args

Dtype = Literal["bf16", "fp8"]
DTYPES: tuple[Dtype, ...] = get_args(Dtype)
DTYPE_BYTES: dict[str, int] = {"bf16": 2, "fp8": 1}
