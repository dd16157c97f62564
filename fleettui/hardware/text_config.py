"""Where a config.json keeps its language model: at the top, or under `text_config` beside a vision tower."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from fleettui.errors import InputError
from fleettui.hardware.config_fields import REMEDY, ConfigFields

TEXT = "text_config"
LISTING = "fleettui model list"
"""The command that names the known architectures."""
NEAREST = 3
"""Of these, those that a refusal names."""
_OF_TOWERS = ("audio_config", "vision_config", TEXT)
ARCHITECTURES: Mapping[str, str] = {
    "deepseek_v3": "DeepseekV3ForCausalLM",
    "gemma3_text": "Gemma3ForCausalLM",
    "glm4_moe": "Glm4MoeForCausalLM",
    "gpt_oss": "GptOssForCausalLM",
    "kimi_k2": "DeepseekV3ForCausalLM",
    "llama": "LlamaForCausalLM",
    "llama4_text": "Llama4ForCausalLM",
    "minimax_m2": "MiniMaxM2ForCausalLM",
    "mistral": "MistralForCausalLM",
    "mixtral": "MixtralForCausalLM",
    "qwen2": "Qwen2ForCausalLM",
    "qwen2_moe": "Qwen2MoeForCausalLM",
    "qwen3": "Qwen3ForCausalLM",
    "qwen3_5_moe_text": "Qwen3_5MoeForCausalLM",
    "qwen3_moe": "Qwen3MoeForCausalLM",
    "qwen3_next": "Qwen3NextForCausalLM",
}
"""The architecture of a language model by its model_type, for files whose own architecture is that of a wrapper."""
DEFAULTS: Mapping[str, Mapping[str, object]] = {
    "Gemma3ForCausalLM": {
        "vocab_size": 262_208,
        "max_position_embeddings": 131_072,
        "sliding_window_pattern": 6,
        "tie_word_embeddings": True,
    },
    "Llama4ForCausalLM": {"no_rope_layer_interval": 4},
}
"""Keys that published files leave out, with the values that transformers gives them."""


def text_fields(fields: ConfigFields, known: Iterable[str]) -> ConfigFields:
    """Return the keys of the language model, its own before those of the file; `architectures` names one of `known`.

    The keys of a wrapped model are told with their place. Raises InputError for an architecture that is not known.
    """
    inner = fields.values.get(TEXT)
    if inner is None:
        own, where = dict(fields.values), fields.where
    elif isinstance(inner, dict):
        outer = {key: value for key, value in fields.values.items() if key not in _OF_TOWERS}
        own, where = outer | {key: value for key, value in inner.items() if value is not None}, _place(fields)
    else:
        raise InputError(f"key {TEXT} is no object", where=fields.where, value=inner, remedy=REMEDY)
    architecture = _architecture(fields, inner, tuple(known))
    own["architectures"] = [architecture]
    return ConfigFields({**DEFAULTS.get(architecture, {}), **own}, where)


def _architecture(fields: ConfigFields, inner: Mapping[str, object] | None, known: tuple[str, ...]) -> str:
    if inner is not None:
        by_type = ARCHITECTURES.get(str(inner.get("model_type")))
        if by_type in known:
            return str(by_type)
        if inner.get("architectures"):
            fields = ConfigFields(inner, _place(fields))
    named = fields.architecture()
    if named not in known:
        near = difflib.get_close_matches(named, known, n=NEAREST, cutoff=0.0)
        raise InputError(
            "unknown architecture",
            where=fields.where,
            value=named,
            accepted=f"{', '.join(near)} and others; {LISTING} shows them",
            remedy="plan with a model of a known architecture and about the same shape",
        )
    return named


def _place(fields: ConfigFields) -> str:
    return f"{fields.where} [{TEXT}]"
