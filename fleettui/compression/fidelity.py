"""What a compressed prompt still says of the whole one: ROUGE-L recall and the cosine of TF-IDF vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fleettui.compression.compressor import Outcome
from fleettui.compression.scores import WordTable


@dataclass(frozen=True, slots=True, kw_only=True)
class Fidelity:
    """Shares from 0 to 1. A prompt without a word has lost none.

    `rouge_recall` is the longest common subsequence of words over the words of the whole prompt. What is kept stands
    in its old order, so it is that subsequence, and its words are simply counted. `cosine` is between the TF-IDF
    vectors of both, pieces being the documents of the rarities.
    """

    rouge_recall: float
    cosine: float


def fidelity(outcome: Outcome) -> Fidelity:
    """Return how much of the whole prompt an outcome keeps."""
    pieces = outcome.pieces
    if len(outcome.kept) == len(pieces):
        return Fidelity(rouge_recall=1.0, cosine=1.0)
    table = WordTable.of_texts([piece.text for piece in pieces])
    is_kept = np.zeros(len(pieces))
    is_kept[list(outcome.kept)] = 1.0
    whole, left = table.of_words(table.counts), table.of_words(table.counts * is_kept[table.of])
    return Fidelity(
        rouge_recall=float(left.sum() / whole.sum()) if whole.sum() else 1.0,
        cosine=_cosine(whole * table.rarity, left * table.rarity),
    )


def _cosine(one: np.ndarray, other: np.ndarray) -> float:
    length = float(np.linalg.norm(one) * np.linalg.norm(other))
    return min(float(one @ other) / length, 1.0) if length else float(not one.any())
