"""The encoder of a BERT or RoBERTa model from its files, by numpy: tokens become vectors that know their context.

Files are those of the Hugging Face hub: config.json and model.safetensors. After Devlin et al. (arXiv:1810.04805) and
Liu et al. (arXiv:1907.11692): layers of attention and of a feed-forward net, each added to its input and normalised.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.special import erf

from fleettui.compression.tensors import Tensor, TensorFile
from fleettui.domain.compression_procedure import model_name
from fleettui.errors import InputError

Tokens = npt.NDArray[np.int64]
KINDS = ("bert", "roberta", "xlm-roberta")
_FIELDS = ("num_hidden_layers", "num_attention_heads", "max_position_embeddings")


@dataclass(frozen=True)
class Encoder:
    """The first `layers` of a model's `depth`, of `heads` heads, its positions from `first` to `positions`."""

    name: str
    kind: str
    tensors: TensorFile
    layers: int
    depth: int
    heads: int
    positions: int
    first: int
    epsilon: float

    @classmethod
    def of(cls, folder: Path, layers: int | None = None) -> Encoder:
        """Read the model in `folder`, up to `layers` or all; raises InputError for one that cannot be used."""
        path = folder / "config.json"
        try:
            config = json.loads(path.read_text("utf-8"))
            kind, (depth, heads, positions) = config["model_type"], (int(config[name]) for name in _FIELDS)
            offset = 0 if kind == "bert" else int(config.get("pad_token_id", 1)) + 1
            epsilon, activation = float(config.get("layer_norm_eps", 1e-12)), config.get("hidden_act", "gelu")
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(
                "is no model's configuration", where=str(path), value=str(error), accepted=f"one of {', '.join(KINDS)}"
            ) from None
        if kind not in KINDS or activation != "gelu" or min(depth, heads, positions - offset - 2) < 1:
            raise InputError(
                "is no encoder that is known",
                where=str(path),
                value=f"{kind} with {activation}",
                accepted=f"{', '.join(KINDS)} with gelu",
            )
        return cls(
            name=model_name(str(folder.resolve())),
            kind=kind,
            tensors=TensorFile(folder / "model.safetensors"),
            layers=min(layers or depth, depth),
            depth=depth,
            heads=heads,
            positions=positions,
            first=offset,
            epsilon=epsilon,
        )

    @property
    def window(self) -> int:
        """How many tokens are encoded at once, those that the tokenizer puts around them included."""
        return self.positions - self.first

    def embed(self, tokens: Tokens) -> Tensor:
        """Return the vector of each of up to `window` tokens after the last layer, shape (tokens, width)."""
        words, places, kinds = (
            self._tensor(f"embeddings.{name}_embeddings.weight") for name in ("word", "position", "token_type")
        )
        if tokens.max() >= len(words):
            raise InputError(
                "the tokenizer knows tokens that the model does not",
                where=str(self.tensors.path),
                value=int(tokens.max()),
                accepted=f"tokens below {len(words):,}",
            )
        vectors = words[tokens] + places[self.first : self.first + len(tokens)] + kinds[0]
        vectors = self._normal(vectors, "embeddings.LayerNorm")
        for layer in range(self.layers):
            vectors = self._layer(vectors, f"encoder.layer.{layer}")
        return vectors

    def _layer(self, vectors: Tensor, name: str) -> Tensor:
        attended = self._linear(self._attention(vectors, f"{name}.attention.self"), f"{name}.attention.output.dense")
        vectors = self._normal(vectors + attended, f"{name}.attention.output.LayerNorm")
        inner = self._linear(vectors, f"{name}.intermediate.dense")
        inner *= 0.5 * (1.0 + erf(inner / np.float32(math.sqrt(2.0))))
        return self._normal(vectors + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _attention(self, vectors: Tensor, name: str) -> Tensor:
        count, width = vectors.shape
        asking, keys, values = (
            self._linear(vectors, f"{name}.{own}").reshape(count, self.heads, -1).transpose(1, 0, 2)
            for own in ("query", "key", "value")
        )
        scores = asking @ keys.transpose(0, 2, 1) / np.float32(math.sqrt(width // self.heads))
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        return np.asarray((weights @ values).transpose(1, 0, 2).reshape(count, width))

    def _linear(self, vectors: Tensor, name: str) -> Tensor:
        return np.asarray(vectors @ self._tensor(f"{name}.weight").T + self._tensor(f"{name}.bias"))

    def _normal(self, vectors: Tensor, name: str) -> Tensor:
        centred = vectors - vectors.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(self.epsilon))
        scale, shift = self._tensor(f"{name}.weight"), self._tensor(f"{name}.bias")
        return np.asarray(centred / spread * scale + shift)

    def _tensor(self, name: str) -> Tensor:
        """Return a tensor; old files of BERT call the two of a normalisation by Greek letters."""
        old = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
        return self.tensors.read(self._prefix + (name if self._prefix + name in self.tensors else old))

    @cached_property
    def _prefix(self) -> str:
        """What stands before the names of the encoder's tensors, nothing in files of the encoder alone."""
        head = "bert." if self.kind == "bert" else "roberta."
        return head if f"{head}embeddings.word_embeddings.weight" in self.tensors else ""
