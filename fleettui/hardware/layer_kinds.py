"""Which layers of a model keep every token, which a window of them, and which a state of one size."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.errors import InputError
from fleettui.hardware.config_fields import ConfigFields

MOST_LAYERS = 10_000
FULL, RECURRENT = "full_attention", "linear_attention"
WINDOWED = {"sliding_attention": "sliding_window", "chunked_attention": "attention_chunk_size"}
"""The kinds of layers that keep a window of tokens, and the key that holds its size."""
_SWITCHED = ("Qwen2ForCausalLM", "Qwen2MoeForCausalLM", "Qwen3ForCausalLM", "Qwen3MoeForCausalLM")
"""Architectures whose window counts only where `use_sliding_window` says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerKinds:
    """How many layers keep at most `window` tokens, and how many a state whatever the length; the others keep all."""

    windowed: int = 0
    window: int = 0
    recurrent: int = 0


def layer_kinds(fields: ConfigFields) -> LayerKinds:
    """Return the layers of a model by what they keep; raises InputError, naming the key, where that cannot be told."""
    layers = fields.count("num_hidden_layers", most=MOST_LAYERS)
    kinds = fields.texts("layer_types") or _patterned(fields, layers)
    if len(kinds) != layers:
        what = f"{len(kinds)} layers are listed, num_hidden_layers says {layers}"
        raise InputError(what, where=fields.where)
    known = (FULL, RECURRENT, *WINDOWED)
    if unknown := [kind for kind in kinds if kind not in known]:
        accepted = ", ".join(known)
        raise InputError("unknown kind in layer_types", where=fields.where, value=unknown[0], accepted=accepted)
    if kinds.count(RECURRENT) == layers:
        raise InputError("no layer keeps tokens: models without any cache are not modelled", where=fields.where)
    windowed = {kind: kinds.count(kind) for kind in WINDOWED if kind in kinds}
    return LayerKinds(
        windowed=sum(windowed.values()),
        window=max((fields.count(WINDOWED[kind]) for kind in windowed), default=0),
        recurrent=kinds.count(RECURRENT),
    )


def _patterned(fields: ConfigFields, layers: int) -> tuple[str, ...]:
    """Return the kind of each layer where the file states a pattern instead of a list."""
    if interval := fields.count("full_attention_interval", 0, least=0):
        return _every(interval, RECURRENT, layers)
    if fields.values.get("attention_chunk_size") is not None:
        return _without_positions(fields, layers)
    if fields.values.get("sliding_window") is None or not _switched_on(fields):
        return (FULL,) * layers
    fields.count("sliding_window")
    if pattern := fields.count("sliding_window_pattern", 0, least=0):
        return _every(pattern, "sliding_attention", layers)
    first = fields.count("max_window_layers", 0, least=0) if fields.architecture() in _SWITCHED else 0
    return tuple("sliding_attention" if layer >= first else FULL for layer in range(layers))


def _without_positions(fields: ConfigFields, layers: int) -> tuple[str, ...]:
    """Return the kinds of Llama 4: layers without rotary positions see everything, the others their chunk."""
    rotary = fields.counts("no_rope_layers")  # 1 where a layer has positions, despite the key's name
    if rotary:
        return tuple("chunked_attention" if has else FULL for has in rotary)
    return _every(fields.count("no_rope_layer_interval"), "chunked_attention", layers)


def _every(interval: int, other: str, layers: int) -> tuple[str, ...]:
    return tuple(FULL if (layer + 1) % interval == 0 else other for layer in range(layers))


def _switched_on(fields: ConfigFields) -> bool:
    return fields.flag("use_sliding_window", default=fields.architecture() not in _SWITCHED)
