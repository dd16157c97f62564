"""Models from the facts of their Hugging Face config.json: parameters and cache are counted from the shape.

One way for the catalogue and for a user's file: find the language model's keys, look its architecture up in FAMILIES,
count attention and feed-forward weights, add embeddings, head and norms. A vision tower is not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fleettui.domain.hardware import Citation, Model, Shape
from fleettui.errors import InputError
from fleettui.hardware.config_fields import ConfigFields, read_config
from fleettui.hardware.layer_kinds import layer_kinds
from fleettui.hardware.parameters import (
    Attention,
    FeedForward,
    Recurrent,
    deepseek_experts,
    dense,
    gpt_oss_experts,
    grouped_attention,
    latent_attention,
    llama4_experts,
    mixtral_experts,
    qwen_experts,
    recurrent_attention,
)
from fleettui.hardware.quantization import native_cache, native_dtype
from fleettui.hardware.text_config import text_fields


@dataclass(frozen=True, slots=True)
class Family:
    """How the weights of one architecture are counted; `norms` stand in each layer beside those of its heads."""

    attention: Callable[[ConfigFields], Attention]
    feed_forward: Callable[[ConfigFields], FeedForward]
    norms: int = 2


FAMILIES: dict[str, Family] = {
    "DeepseekV2ForCausalLM": Family(latent_attention, deepseek_experts),
    "DeepseekV3ForCausalLM": Family(latent_attention, deepseek_experts),
    "Gemma3ForCausalLM": Family(grouped_attention, dense, norms=4),
    "Glm4MoeForCausalLM": Family(grouped_attention, deepseek_experts),
    "GptOssForCausalLM": Family(grouped_attention, gpt_oss_experts),
    "Llama4ForCausalLM": Family(grouped_attention, llama4_experts),
    "LlamaForCausalLM": Family(grouped_attention, dense),
    "MiniMaxM2ForCausalLM": Family(grouped_attention, mixtral_experts),
    "MistralForCausalLM": Family(grouped_attention, dense),
    "MixtralForCausalLM": Family(grouped_attention, mixtral_experts),
    "Qwen2ForCausalLM": Family(grouped_attention, dense),
    "Qwen2MoeForCausalLM": Family(grouped_attention, qwen_experts),
    "Qwen3ForCausalLM": Family(grouped_attention, dense),
    "Qwen3MoeForCausalLM": Family(grouped_attention, qwen_experts),
    "Qwen3NextForCausalLM": Family(grouped_attention, qwen_experts),
    "Qwen3_5ForCausalLM": Family(grouped_attention, dense),
    "Qwen3_5MoeForCausalLM": Family(grouped_attention, qwen_experts),
}


KV_HEADS = "num_key_value_heads"
GUESSED = "kv_heads"
"""The field whose citation says that it was taken for granted."""
MTP_LAYERS = ("num_nextn_predict_layers", "mtp_num_hidden_layers")
"""What configs call the layers for multi-token prediction that stand behind the others."""


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
    fields = text_fields(ConfigFields(values, where), FAMILIES)
    architecture = fields.architecture()
    family, kinds = FAMILIES[architecture], layer_kinds(fields)
    attention, feed_forward = family.attention(fields), family.feed_forward(fields)
    recurrent = recurrent_attention(fields) if kinds.recurrent else Recurrent()
    layers, hidden = fields.count("num_hidden_layers"), fields.count("hidden_size")
    embedding = fields.count("vocab_size") * hidden
    tied = fields.flag("tie_word_embeddings", default=False)
    mixing = (layers - kinds.recurrent) * attention.parameters + kinds.recurrent * recurrent.parameters
    always = mixing + feed_forward.always + (family.norms * layers + 1) * hidden + embedding
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
        shape=Shape(
            vocabulary=fields.count("vocab_size"),
            query=attention.query,
            dense_layers=feed_forward.dense_layers,
            inner=feed_forward.inner,
            expert_inner=feed_forward.expert_inner,
            shared_inner=feed_forward.shared_inner,
            recurrent_in=recurrent.rows,
            recurrent_out=recurrent.back,
            latent=attention.latent,
        ),
        experts=feed_forward.experts,
        experts_per_token=feed_forward.experts_per_token,
        expert_parameters=float(feed_forward.expert_parameters),
        latent_dimension=attention.latent_dimension,
        windowed_layers=kinds.windowed,
        window=kinds.window,
        recurrent_layers=kinds.recurrent,
        state_bytes=float(kinds.recurrent * recurrent.state_bytes),
        mtp_layers=max(fields.count(key, 0, least=0) for key in MTP_LAYERS),
        native_dtype=native_dtype(fields),
        native_cache=native_cache(fields),
        citations=(citation, *_derived(attention), *_guessed(fields, attention)),
    )


def _guessed(fields: ConfigFields, attention: Attention) -> tuple[Citation, ...]:
    """Return what was taken for granted where the keys do not say it, as transformers does."""
    if attention.latent_dimension or fields.values.get(KV_HEADS) is not None:
        return ()
    taken = f"no {KV_HEADS} in config.json: all {attention.kv_heads} heads are cached; say if fewer"
    return (Citation(field=GUESSED, source=taken, confidence="low"),)


def _derived(attention: Attention) -> tuple[Citation, ...]:
    counted = Citation(field="parameters", source="counted from the shape in config.json")
    if not attention.latent_dimension:
        return (counted,)
    source = "mean of query-key and value width, which attention FLOPs need; the cache holds the latent instead"
    return counted, Citation(field="head_dimension", source=source)
