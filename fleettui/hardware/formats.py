"""How kernels hold numbers, and how fast a GPU multiplies them."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.dtype import Units
from fleettui.domain.hardware import Gpu


@dataclass(frozen=True, slots=True)
class Format:
    """How a kernel holds its numbers: bytes of a weight and of an activation, and the units that multiply them."""

    weight: float
    activation: float
    units: Units


FORMATS: dict[str, Format] = {
    "bf16": Format(2, 2, "bf16"),
    "fp8": Format(1, 1, "fp8"),
    "fp8_block": Format(1, 1, "fp8"),
    "int8_sq": Format(1, 1, "int8"),
    "int8_wo": Format(1, 2, "bf16"),
    "int4_wo": Format(0.53, 2, "bf16"),
    "nvfp4": Format(0.5625, 0.5625, "fp4"),
    "w4a16_mxfp4": Format(0.53, 2, "bf16"),
    "w4a8_mxfp4_mxfp8": Format(0.53, 1, "fp8"),
    "w4afp8": Format(0.53, 1, "fp8"),
}
"""The formats of measured kernels, as ai-dynamo/aiconfigurator names them; four bits carry their scales."""
WIDER: dict[Units, tuple[Units, ...]] = {"fp4": ("fp4", "fp8"), "fp8": ("fp8",), "int8": ("int8", "fp8"), "bf16": ()}
"""The units that take numbers of a kind, the nearest first; those of bf16 take any."""


def peak(gpu: Gpu, units: Units) -> float:
    """Return the peak (FLOP/s) of `units`; a GPU without them computes in the next wider ones."""
    return next((found for one in WIDER[units] if (found := gpu.peak(one)) is not None), gpu.peak_bf16)
