"""Small encoders with weights by chance, written as files of the kind that the Hugging Face hub has."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

WIDTH, INNER, WORDS, KINDS = 16, 32, 300, 1
CONFIG = {
    "hidden_size": WIDTH,
    "intermediate_size": INNER,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": WORDS,
    "type_vocab_size": KINDS,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-5,
}


def shapes(positions: int, layers: int) -> dict[str, tuple[int, ...]]:
    """The shape of each tensor, as the hub names them."""
    found: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (WORDS, WIDTH),
        "embeddings.position_embeddings.weight": (positions, WIDTH),
        "embeddings.token_type_embeddings.weight": (KINDS, WIDTH),
    }
    norms = ["embeddings.LayerNorm"]
    nets: dict[str, tuple[int, ...]] = {}
    for layer in range(layers):
        own = f"encoder.layer.{layer}"
        nets |= {f"{own}.attention.self.{part}": (WIDTH, WIDTH) for part in ("query", "key", "value")}
        nets |= {f"{own}.attention.output.dense": (WIDTH, WIDTH), f"{own}.intermediate.dense": (INNER, WIDTH)}
        nets |= {f"{own}.output.dense": (WIDTH, INNER)}
        norms += [f"{own}.attention.output.LayerNorm", f"{own}.output.LayerNorm"]
    for name, shape in nets.items():
        found |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    for name in norms:
        found |= {f"{name}.weight": (WIDTH,), f"{name}.bias": (WIDTH,)}
    return found


def tensors(positions: int, layers: int, seed: int = 1) -> dict[str, np.ndarray]:
    """Weights by chance; those of a normalisation lie around 1."""
    chance = np.random.default_rng(seed)
    return {
        name: (chance.normal(0.0, 0.3, shape) + ("LayerNorm.weight" in name)).astype(np.float32)
        for name, shape in shapes(positions, layers).items()
    }


def write_tensors(path: Path, found: dict[str, np.ndarray], kind: str = "F32") -> None:
    """Write a safetensors file whose numbers are of a `kind`."""
    head: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, values in found.items():
        raw = narrowed(values, kind)
        head[name] = {"dtype": kind, "shape": list(values.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    told = json.dumps(head).encode()
    path.write_bytes(len(told).to_bytes(8, "little") + told + data)


def narrowed(values: np.ndarray, kind: str) -> bytes:
    """Return the bytes of `values` in a precision."""
    if kind == "BF16":
        return (np.ascontiguousarray(values, "<f4").view("<u4") >> 16).astype("<u2").tobytes()
    return values.astype({"F32": "<f4", "F16": "<f2"}[kind]).tobytes()


def write_model(folder: Path, kind: str = "roberta", positions: int = 34, prefix: str = "") -> Path:
    """Write the files of an encoder whose tokenizer has a token a byte, and one at each end; returns the folder."""
    folder.mkdir(exist_ok=True)
    config = CONFIG | {"model_type": kind, "max_position_embeddings": positions, "pad_token_id": 1}
    (folder / "config.json").write_text(json.dumps(config))
    found = {prefix + name: values for name, values in tensors(positions, 2).items()}
    write_tensors(folder / "model.safetensors", found)
    models, before, after, tokenizers = (
        pytest.importorskip(f"tokenizers{part}") for part in (".models", ".pre_tokenizers", ".processors", "")
    )
    letters = {letter: number + 3 for number, letter in enumerate(sorted(before.ByteLevel.alphabet()))}
    made = tokenizers.Tokenizer(models.BPE(vocab={"<s>": 0, "</s>": 2, **letters}, merges=[]))
    made.pre_tokenizer = before.ByteLevel(add_prefix_space=False)
    made.post_processor = after.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    made.save(str(folder / "tokenizer.json"))
    return folder
