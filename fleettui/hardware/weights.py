"""A model's weights in a number format: what is held how, the bytes of it, and the units that multiply.

What checkpoints leave as it was counts in bf16: the embedding and the projection to the vocabulary where integers or
four bits are chosen, and all but the routed experts in mxfp4. In fp8 all weights count as such; published ones leave
the two ends in bf16, which are 3 % of Llama-3.1-70B.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fleettui.domain.dtype import Dtype, Units
from fleettui.domain.hardware import Gpu, Model
from fleettui.hardware.attention_dp import whole_parameters
from fleettui.hardware.formats import FORMATS, peak

BLOCK_SCALED = (
    "DeepseekV2ForCausalLM",
    "DeepseekV3ForCausalLM",
    "MiniMaxM2ForCausalLM",
    "Qwen3MoeForCausalLM",
    "Qwen3NextForCausalLM",
    "Qwen3_5MoeForCausalLM",
)
"""Architectures whose published fp8 weights have a scale by block of 128 by 128."""
FORMS: Mapping[Dtype, tuple[str, str, str]] = {
    "bf16": ("bf16", "bf16", "bf16"),
    "fp8": ("fp8", "fp8", "fp8"),
    "fp8-block": ("fp8_block", "fp8_block", "fp8_block"),
    "int8": ("int8_wo", "int8_wo", "bf16"),
    "nvfp4": ("nvfp4", "nvfp4", "bf16"),
    "mxfp4": ("bf16", "w4a16_mxfp4", "bf16"),
    "int4": ("int4_wo", "int4_wo", "bf16"),
}
"""The formats, by the names of kernels, of layers, of routed experts and of the two ends."""
WITH_FP4_UNITS = {"w4a16_mxfp4": "w4a8_mxfp4_mxfp8"}
"""The kernels that take the place of others on a GPU that has fp4 units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """A model's weights as a GPU serves them: the formats of its layers, its routed experts and its two ends."""

    model: Model
    layers: str
    experts: str
    ends: str

    @property
    def held(self) -> float:
        """Bytes of all weights, as memory holds them."""
        ends = self.model.parameters - all_read(self.model) + _projection(self.model)
        return self._layers() + self.routed + ends * FORMATS[self.ends].weight

    @property
    def always(self) -> float:
        """Bytes that every step reads: all but the routed experts and the embedding."""
        return self._layers() + _projection(self.model) * FORMATS[self.ends].weight

    @property
    def routed(self) -> float:
        """Bytes of all routed experts."""
        return self.model.experts * self.model.expert_parameters * FORMATS[self.experts].weight

    def per_gpu(self, tp: int, ways: int) -> float:
        """Return the bytes that each of `tp` GPUs holds: its part, of what a lane has whole one of `ways` parts."""
        own = self._whole if ways < tp else 0.0
        return (self.held - own) / tp + own / ways

    def read_per_gpu(self, tp: int, ways: int) -> float:
        """Return the bytes that a step reads on each of `tp` GPUs where it touches every expert."""
        own = self._whole if ways < tp else 0.0
        return (self.always + self.routed - own) / tp + own / ways

    @property
    def _whole(self) -> float:
        """Bytes of what each lane that attends to its own sequences has whole."""
        return whole_parameters(self.model) * FORMATS[self.layers].weight

    @property
    def active(self) -> Mapping[Units, float]:
        """The parameters that one token passes through, by the units that multiply them."""
        found: dict[Units, float] = {}
        for form, parameters in (
            (self.layers, always_read(self.model) - _projection(self.model)),
            (self.experts, self.model.experts_per_token * self.model.expert_parameters),
            (self.ends, _projection(self.model)),
        ):
            if parameters:
                units = FORMATS[form].units
                found[units] = found.get(units, 0.0) + parameters
        return found

    def fastest(self, gpu: Gpu) -> Units:
        """Return the fastest units that multiply any of them: no use of them all exceeds their peak."""
        return max(self.active, key=lambda units: peak(gpu, units))

    def _layers(self) -> float:
        return (always_read(self.model) - _projection(self.model)) * FORMATS[self.layers].weight


def weights_of(gpu: Gpu, model: Model, dtype: Dtype) -> Weights:
    """Return the weights of `model` in `dtype` as `gpu` serves them."""
    published = "fp8-block" if dtype == "fp8" and model.architecture in BLOCK_SCALED else dtype
    layers, experts, ends = FORMS[published]
    if gpu.peak_fp4 is not None:
        experts = WITH_FP4_UNITS.get(experts, experts)
    return Weights(model=model, layers=layers, experts=experts, ends=ends)


def always_read(model: Model) -> float:
    """Return the parameters that every step reads: the active ones without the routed experts."""
    return model.active_parameters - model.experts_per_token * model.expert_parameters


def all_read(model: Model) -> float:
    """Return the parameters that a step reads when it touches every routed expert."""
    return always_read(model) + model.experts * model.expert_parameters


def _projection(model: Model) -> float:
    """Return the parameters of the projection to the vocabulary; those of an embedding that is not tied to it too."""
    return float(model.shape.vocabulary * model.hidden)
