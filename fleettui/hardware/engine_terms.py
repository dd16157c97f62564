"""What a serving engine adds to its kernels."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.hardware import Model


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineTerms:
    """What an engine adds to its kernels: seconds of a step, of each layer of it, of each logit that it samples from.

    A sequence that runs has a logit for every token of the model's vocabulary: they are scaled, filtered and drawn
    from, beside the kernel that projects to them. A step with prompt tokens, launched kernel by kernel, takes
    `eager_least` seconds a layer at least, or `eager_extra` more. Kernels beside attention take `factor` of what was
    measured of each alone. A layer with experts takes `expert_layer` seconds beside `layer`.
    """

    step: float
    layer: float
    logit: float
    eager_least: float = 0.0
    eager_extra: float = 0.0
    factor: float = 1.0
    expert_layer: float = 0.0

    def sampling(self, model: Model) -> float:
        """Return the seconds that a step takes to sample the next token of one sequence of `model`."""
        return self.logit * model.shape.vocabulary

    def every_step(self, model: Model) -> float:
        """Return the seconds that a step of `model` takes whatever it computes."""
        with_experts = model.layers - model.shape.dense_layers if model.experts else 0
        return self.step + self.layer * model.layers + self.expert_layer * with_experts
