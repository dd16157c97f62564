"""Models from the facts of their Hugging Face config.json: parameters and cache are counted from the shape.

One way for the catalogue and for a user's file: look the architecture up in FAMILIES, count attention and
feed-forward weights, add embeddings, head and norms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fleettui.domain.dtype import Dtype
from fleettui.domain.hardware import Citation, Model
from fleettui.errors import InputError
from fleettui.hardware.config_fields import ConfigFields, read_config
from fleettui.hardware.parameters import (
    Attention,
    FeedForward,
    deepseek_experts,
    dense,
    grouped_attention,
    latent_attention,
    mixtral_experts,
    qwen_experts,
)


@dataclass(frozen=True, slots=True)
class Family:
    """How the weights of one architecture are counted."""

    attention: Callable[[ConfigFields], Attention]
    feed_forward: Callable[[ConfigFields], FeedForward]


FAMILIES: dict[str, Family] = {
    "DeepseekV2ForCausalLM": Family(latent_attention, deepseek_experts),
    "DeepseekV3ForCausalLM": Family(latent_attention, deepseek_experts),
    "LlamaForCausalLM": Family(grouped_attention, dense),
    "MistralForCausalLM": Family(grouped_attention, dense),
    "MixtralForCausalLM": Family(grouped_attention, mixtral_experts),
    "Qwen2ForCausalLM": Family(grouped_attention, dense),
    "Qwen2MoeForCausalLM": Family(grouped_attention, qwen_experts),
    "Qwen3ForCausalLM": Family(grouped_attention, dense),
    "Qwen3MoeForCausalLM": Family(grouped_attention, qwen_experts),
}
FP8_METHODS = ("fp8", "fbgemm_fp8")


def read_model(path: Path) -> Model:
    """Return the model that a config.json, or the folder holding one, describes; its folder gives the name.

    Raises InputError for a file that is missing, no JSON, incomplete, or of an architecture not known here.
    """
    try:
        file = path / "config.json" if path.is_dir() else path
        name = file.resolve().parent.name if file.name == "config.json" else file.stem
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"this is no path: {reason}", where=str(path)) from None
    fields = read_config(file)
    source = Citation(field="config", source=f"{name}/{file.name} as given", confidence="high")
    return model_from_config(fields.values, name=name.lower() or "model", where=fields.where, citation=source)


def model_from_config(values: Mapping[str, object], *, name: str, where: str, citation: Citation) -> Model:
    """Return the model that the keys of a config.json describe; raises InputError naming the key and `where`."""
    fields = ConfigFields(values, where)
    architecture = fields.architecture()
    if architecture not in FAMILIES:
        raise InputError(
            "unknown architecture",
            where=where,
            value=architecture,
            accepted=", ".join(FAMILIES),
            remedy="plan with a model of a known architecture and about the same shape",
        )
    family = FAMILIES[architecture]
    attention, feed_forward = family.attention(fields), family.feed_forward(fields)
    layers, hidden = fields.count("num_hidden_layers"), fields.count("hidden_size")
    embedding = fields.count("vocab_size") * hidden
    tied = fields.flag("tie_word_embeddings", default=False)
    always = layers * attention.parameters + feed_forward.always + (2 * layers + 1) * hidden + embedding
    routed = feed_forward.experts * feed_forward.expert_parameters
    return Model(
        name=name,
        architecture=architecture,
        parameters=float(always + routed + (0 if tied else embedding)),
        active_parameters=float(always + feed_forward.experts_per_token * feed_forward.expert_parameters),
        layers=layers,
        hidden=hidden,
        heads=fields.count("num_attention_heads"),
        kv_heads=attention.kv_heads,
        head_dimension=attention.head_dimension,
        context=fields.count("max_position_embeddings"),
        experts=feed_forward.experts,
        experts_per_token=feed_forward.experts_per_token,
        expert_parameters=float(feed_forward.expert_parameters),
        latent_dimension=attention.latent_dimension,
        native_dtype=_native_dtype(fields),
        citations=(citation, *_derived(attention)),
    )


def _derived(attention: Attention) -> tuple[Citation, ...]:
    counted = Citation(field="parameters", source="counted from the shape in config.json")
    if not attention.latent_dimension:
        return (counted,)
    source = "mean of query-key and value width, which attention FLOPs need; the cache holds the latent instead"
    return counted, Citation(field="head_dimension", source=source)


def _native_dtype(fields: ConfigFields) -> Dtype:
    """Return the precision of the published weights; 16 and 32 bit floats are served as bf16."""
    method = fields.quantization()
    if method is None:
        return "bf16"
    if method in FP8_METHODS:
        return "fp8"
    raise InputError(
        "weights are quantized with a method that is not modelled",
        where=fields.where,
        value=method,
        accepted="no quantization, or " + ", ".join(FP8_METHODS),
        remedy="give the config.json of the model without quantization",
    )
