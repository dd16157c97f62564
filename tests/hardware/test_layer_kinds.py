"""Which layers keep every token, a window of them, or a state."""

from typing import Any

import pytest

from fleettui.errors import InputError
from fleettui.hardware.config_fields import ConfigFields
from fleettui.hardware.layer_kinds import LayerKinds, layer_kinds


def kinds(layers: int = 12, architecture: str = "MistralForCausalLM", **values: Any) -> LayerKinds:
    return layer_kinds(ConfigFields({"architectures": [architecture], "num_hidden_layers": layers, **values}, "c.json"))


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({}, LayerKinds()),
        ({"sliding_window": None}, LayerKinds()),
        ({"sliding_window": 4096}, LayerKinds(windowed=12, window=4096)),
        ({"sliding_window": 4096, "use_sliding_window": False}, LayerKinds()),
        ({"sliding_window": 1024, "sliding_window_pattern": 6}, LayerKinds(windowed=10, window=1024)),
        ({"sliding_window": 128, "sliding_window_pattern": 2}, LayerKinds(windowed=6, window=128)),
        ({"attention_chunk_size": 8192, "no_rope_layer_interval": 4}, LayerKinds(windowed=9, window=8192)),
        ({"full_attention_interval": 4}, LayerKinds(recurrent=9)),
        (
            {"layer_types": ["sliding_attention", "full_attention"] * 6, "sliding_window": 128},
            LayerKinds(windowed=6, window=128),
        ),
        ({"layer_types": ["chunked_attention"] * 12, "attention_chunk_size": 8}, LayerKinds(windowed=12, window=8)),
        ({"layer_types": ["linear_attention"] * 9 + ["full_attention"] * 3}, LayerKinds(recurrent=9)),
    ],
)
def test_layers_by_list_pattern_and_interval(values: dict[str, Any], found: LayerKinds) -> None:
    assert kinds(**values) == found


def test_qwens_window_counts_only_where_it_is_switched_on() -> None:
    window = {"sliding_window": 4096, "max_window_layers": 10}
    assert kinds(architecture="Qwen2ForCausalLM", **window) == LayerKinds()
    switched = kinds(architecture="Qwen2ForCausalLM", use_sliding_window=True, **window)
    assert switched == LayerKinds(windowed=2, window=4096)


def test_llama_4_lists_the_layers_with_positions() -> None:
    listed = kinds(4, attention_chunk_size=8192, no_rope_layers=[1, 1, 1, 0])
    assert listed == kinds(4, attention_chunk_size=8192, no_rope_layers=[], no_rope_layer_interval=4)
    assert listed == LayerKinds(windowed=3, window=8192)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"layer_types": ["full_attention"] * 3}, "3 layers are listed, num_hidden_layers says 12"),
        ({"num_hidden_layers": 10_001}, "key num_hidden_layers is no usable count"),
        ({"layer_types": ["mamba"] * 12}, r"unknown kind in layer_types \(got 'mamba'\)"),
        ({"layer_types": ["linear_attention"] * 12}, "no layer keeps tokens"),
        ({"full_attention_interval": 13}, "no layer keeps tokens"),
        ({"layer_types": "full_attention"}, "key layer_types is no list of texts"),
        ({"layer_types": [1] * 12}, "key layer_types is no list of texts"),
        ({"layer_types": ["sliding_attention"] * 12}, "key sliding_window is missing"),
        ({"sliding_window": "4096"}, "key sliding_window is no usable count"),
        ({"sliding_window": 0}, "key sliding_window is no usable count"),
        ({"sliding_window": 8, "use_sliding_window": "yes"}, "key use_sliding_window is neither true nor false"),
        ({"full_attention_interval": "4"}, "key full_attention_interval is no usable count"),
        ({"attention_chunk_size": 8, "no_rope_layers": [1]}, "1 layers are listed"),
    ],
)
def test_what_cannot_be_told_is_refused_by_key(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"c.json: {message}"):
        kinds(**values)
