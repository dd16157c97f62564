"""BERTScore: how well the tokens of two texts match by the vectors that a language model has of them.

After Zhang et al. (arXiv:1904.09675), without weights by rarity: recall is the mean over the tokens of the whole text
of the largest cosine with a token of what is left, precision the mean the other way round, F1 between them. The model's
windows hold some 510 tokens: where the authors' program cuts a text off behind the first, a text is read here window
by window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fleettui.compression.encoder import Encoder, Tokens
from fleettui.compression.tensors import Tensor
from fleettui.compression.tokens import tokenizer_of, valid_text
from fleettui.errors import InputError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FILES = ("config.json", "model.safetensors", "tokenizer.json")
ACCEPTED = f"a folder with {', '.join(FILES)}, or a model in the hub's cache: roberta-large"
LAYERS = {("roberta", 24): 17, ("roberta", 12): 10, ("bert", 24): 18, ("bert", 12): 9, ("xlm-roberta", 24): 17}
"""Of a kind of that depth the layer whose vectors are taken, as the authors chose; of others that at 0.7 of it."""
_AROUND = 2
"""Tokens that the tokenizer puts around a text: one before, one behind."""


@dataclass(frozen=True)
class BertScore:
    """Scores by one model."""

    encoder: Encoder
    tokenizer: Tokenizer

    @classmethod
    def of(cls, folder: Path) -> BertScore:
        """Read the model in `folder`; raises InputError where a file is missing or cannot be used."""
        if not folder.is_dir():
            raise InputError("is neither a folder nor a model in the hub's cache", where=str(folder), accepted=ACCEPTED)
        missing = [name for name in FILES if not (folder / name).is_file()]
        if missing:
            raise InputError(
                "lacks files of a model",
                where=str(folder),
                value=", ".join(missing),
                accepted=ACCEPTED,
            )
        whole = Encoder.of(folder)
        layers = LAYERS.get((whole.kind, whole.depth), max(1, round(0.7 * whole.depth)))
        found = cls(encoder=Encoder.of(folder, layers), tokenizer=tokenizer_of(folder / FILES[2]))
        if len(found.tokenizer.encode("").ids) != _AROUND:
            raise InputError(
                "is no tokenizer of such a model", where=str(folder / FILES[2]), accepted="one with a token at each end"
            )
        return found

    @property
    def name(self) -> str:
        """What the score is of, in a few words."""
        return f"layer {self.encoder.layers} of {self.encoder.name}"

    def f1(self, whole: str, left: str, told: Callable[[], None]) -> float:
        """Return the score of what is `left` of a `whole` text, at most 1; `told` is called now and then.

        Where either text has no token the score is 0, where neither has one it is 1.
        """
        one, other = ([*self._vectors(text, told)] for text in (whole, left))
        if not one or not other:
            return float(not one and not other)
        best = np.full(sum(map(len, other)), -1.0, np.float32)
        found, all_left = 0.0, np.concatenate(other)
        for block in one:
            told()
            cosines = block @ all_left.T
            best = np.maximum(best, cosines.max(axis=0))
            found += float(cosines.max(axis=1).sum(dtype=np.float64))
        recall, precision = found / sum(map(len, one)), float(best.mean(dtype=np.float64))
        return min(2.0 * recall * precision / max(recall + precision, 1e-12), 1.0)

    def _vectors(self, text: str, told: Callable[[], None]) -> Iterator[Tensor]:
        """Yield vectors of length 1 of the tokens of `text`, window by window."""
        before, behind = self.tokenizer.encode("").ids
        tokens: Tokens = np.asarray(self.tokenizer.encode(valid_text(text), add_special_tokens=False).ids, np.int64)
        step = self.encoder.window - _AROUND
        for start in range(0, len(tokens), step):
            told()
            own = np.concatenate([[before], tokens[start : start + step], [behind]])
            vectors = self.encoder.embed(own)[1:-1]
            yield vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-12))
