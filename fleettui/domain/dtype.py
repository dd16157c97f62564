"""The number formats of weights."""

from __future__ import annotations

from typing import Literal

Dtype = Literal["bf16", "fp8"]
DTYPES: tuple[Dtype, ...] = ("bf16", "fp8")
DTYPE_BYTES: dict[str, int] = {"bf16": 2, "fp8": 1}
