"""What a serving engine adds to its kernels."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.hardware import Citation, Model


@dataclass(frozen=True, slots=True, kw_only=True)
class LatentTerms:
    """What latent attention and the layers around it take under `engines` on `gpus` beside those of other models.

    Each layer takes `layer` seconds more. A step with prompt tokens, launched kernel by kernel, takes `prompt_layer`
    seconds a layer at least. Kernels that nobody measured reach `compute_share` of the peak.
    """

    engines: tuple[str, ...]
    gpus: tuple[str, ...]
    layer: float
    prompt_layer: float
    compute_share: float
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineTerms:
    """What an engine adds to its kernels: seconds of a step, of each layer of it, of each logit that it samples from.

    A sequence that runs has a logit for every token of the model's vocabulary: they are scaled, filtered and drawn
    from, beside the kernel that projects to them. A step with prompt tokens, launched kernel by kernel, takes
    `eager_least` seconds a layer at least, or `eager_extra` more. Kernels beside attention take `factor` of what was
    measured of each alone. A layer with experts takes `expert_layer` seconds beside `layer`; `latent` is what is known
    of models with latent attention on the GPU. Shared experts run `shared_after` spread ones, or beside them.
    """

    step: float
    layer: float
    logit: float
    eager_least: float = 0.0
    eager_extra: float = 0.0
    factor: float = 1.0
    expert_layer: float = 0.0
    latent: LatentTerms | None = None
    shared_after: bool = False

    def sampling(self, model: Model) -> float:
        """Return the seconds that a step takes to sample the next token of one sequence of `model`."""
        return self.logit * model.shape.vocabulary

    def every_step(self, model: Model) -> float:
        """Return the seconds that a step of `model` takes whatever it computes."""
        with_experts = model.layers - model.shape.dense_layers if model.experts else 0
        latent = self._latent(model)
        more = 0.0 if latent is None else latent.layer * model.layers
        return self.step + self.layer * model.layers + self.expert_layer * with_experts + more

    def least_prompt(self, model: Model) -> float:
        """Return the seconds that a step of `model` with prompt tokens takes at least."""
        latent = self._latent(model)
        return max(self.eager_least, 0.0 if latent is None else latent.prompt_layer) * model.layers

    def compute_share(self, model: Model) -> float | None:
        """Return the share of the peak that kernels of `model` reach which nobody measured; None: as any others."""
        latent = self._latent(model)
        return None if latent is None else latent.compute_share

    def _latent(self, model: Model) -> LatentTerms | None:
        return self.latent if model.latent_dimension else None
