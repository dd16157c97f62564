"""The config.json of a small dense model whose weights are quantized, as it lies on a user's disk."""

from __future__ import annotations

import json
from pathlib import Path


def quantized(folder: Path, quantization: dict[str, object]) -> Path:
    """Write the file of an 8B Llama with `quantization` as its quantization_config, and return its path."""
    values = {
        "architectures": ["LlamaForCausalLM"],
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "max_position_embeddings": 8192,
        "num_attention_heads": 32,
        "num_hidden_layers": 32,
        "num_key_value_heads": 8,
        "vocab_size": 128_256,
        "quantization_config": quantization,
    }
    file = folder / "config.json"
    file.write_text(json.dumps(values), "utf-8")
    return file
