"""The roofline: what one engine step of a model costs on a replica, from peaks and shapes alone.

Effective rates are shares of the datasheet's, as ai-dynamo/aiconfigurator observes them (0.8 of the bandwidth, 3 µs a
layer) and as public GEMM measurements have them (0.6 of the dense peak for prompts of a thousand tokens and more).
"""

from __future__ import annotations

from fleettui.domain.dtype import Dtype
from fleettui.domain.hardware import Gpu, Model, StepCost
from fleettui.hardware.fit import check_fit
from fleettui.hardware.formats import peak
from fleettui.hardware.sequence_cache import SequenceCache, counted_in_full
from fleettui.hardware.weights import weights_of

BANDWIDTH_SHARE = 0.80
COMPUTE_SHARE = 0.60
LAYER_OVERHEAD = 3e-6
"""Seconds that each layer of a step takes beside its work."""
ALL_REDUCES_PER_LAYER = 2
ACTIVATION_BYTES = 2
"""Bytes of a number that GPUs add up among them: bf16 whatever the weights are."""
ALL_REDUCE_LATENCY = 16e-6
"""Seconds until a small all-reduce in a node is done; public measurements have 15 to 40 µs at up to 1 MB."""
GROUPED_QUERY_PENALTY = 1.10


def step_cost(
    gpu: Gpu, model: Model, *, dtype: Dtype, tp: int, engine_overhead: float, cache: SequenceCache | None = None
) -> StepCost:
    """Return the seconds that make up a step of `model` on `tp` GPUs; `step_cost.py` puts them together.

    `cache` is the form in which a sequence's cache counts, in full unless another is said; a state is read and written.

    `linear_time` leaves the link time of prompt tokens out: 0.6 of the peak covers it. Measured matrix products reach
    23 µs a token (Llama-70B, 8 H100, bf16) where 0.6 gives 29.5 µs, and the difference pays for the links.
    `all_reduce_time` is therefore that of decoded tokens alone. Attention runs in bf16 whatever weights and cache are.
    Raises DoesNotFit where the GPU has no units for `dtype` or `tp` does not divide the heads.
    """
    check_fit(gpu, model, dtype=dtype, tp=tp)
    bandwidth = BANDWIDTH_SHARE * gpu.bandwidth
    overhead = engine_overhead + model.layers * LAYER_OVERHEAD
    if tp > 1:
        overhead += ALL_REDUCES_PER_LAYER * model.layers * ALL_REDUCE_LATENCY
    weights = weights_of(gpu, model, dtype)
    kept = cache or counted_in_full(model)
    return StepCost(
        overhead=overhead,
        weight_time=weights.always / tp / bandwidth,
        expert_time=weights.routed / tp / bandwidth,
        expert_share=model.experts_per_token / model.experts if model.experts else 0.0,
        linear_time=sum(
            2.0 * parameters / (COMPUTE_SHARE * peak(gpu, units) * tp) for units, parameters in weights.active.items()
        ),
        all_reduce_time=link_bytes(model, tp) / gpu.link_bandwidth,
        context_time=kept.per_token_per_gpu(model, tp) / bandwidth * cache_penalty(model),
        attention_time=attention_flops(model) / (COMPUTE_SHARE * gpu.peak_bf16 * tp),
        sequence_time=(kept.fixed_per_gpu(model, tp) + kept.state / tp) / bandwidth * cache_penalty(model),
    )


def flops_per_token(model: Model) -> float:
    """Return the linear FLOPs of one token: a multiplication and an addition for each active parameter."""
    return 2.0 * model.active_parameters


def attention_flops(model: Model) -> float:
    """Return the FLOPs of one (query, key) pair over all heads and layers: scores and weighted values.

    Layers with a window count as the others do, which is the safe side for prompts beyond it.
    """
    return 4.0 * model.heads * model.head_dimension * model.cached_layers


def link_bytes(model: Model, tp: int) -> float:
    """Return the bytes that one decoded token sends over each GPU's link in a step, by ring all-reduce."""
    return 2 * (tp - 1) / tp * model.hidden * ACTIVATION_BYTES * ALL_REDUCES_PER_LAYER * model.layers


def cache_penalty(model: Model) -> float:
    """Return the factor on cache reads: grouped queries reach about a tenth less of the bandwidth."""
    grouped = not model.latent_dimension and model.kv_heads < model.heads
    return GROUPED_QUERY_PENALTY if grouped else 1.0
