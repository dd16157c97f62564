"""How much each piece of a prompt says: TextRank, position, TF-IDF and novelty, each from 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from fleettui.domain.compressor_settings import Settings

FloatArray = npt.NDArray[np.float64]
_MOST_TURNS, _ENOUGH = 50, 1e-4
"""Of TextRank: how often ranks are passed on at most, and the change (a sum of shares) below which they stand."""


@dataclass(frozen=True)
class WordTable:
    """How often each word stands in each piece; `counts` has shape (pieces, distinct words)."""

    counts: sparse.csr_array

    @classmethod
    def of(cls, words: Sequence[Sequence[str]]) -> WordTable:
        """Count the words of each piece."""
        flat = [word for own in words for word in own]
        place = {word: number for number, word in enumerate(dict.fromkeys(flat))}
        columns = np.fromiter(map(place.__getitem__, flat), np.int64, len(flat))
        width = max(len(place), 1)
        rows = np.repeat(np.arange(len(words)), [len(own) for own in words])
        keys, counts = np.unique(rows * width + columns, return_counts=True)
        ends = np.searchsorted(keys, np.arange(len(words) + 1) * width)
        shape = (len(words), width)
        return cls(sparse.csr_array((counts.astype(np.float64), keys % width, ends), shape=shape))

    @cached_property
    def rarity(self) -> FloatArray:
        """Inverse document frequencies of the words, pieces being the documents; shape (distinct words,)."""
        pieces, width = self.counts.shape
        within = np.bincount(self.counts.indices, minlength=width)
        return np.asarray(np.log((1.0 + pieces) / (1.0 + within)) + 1.0)

    @cached_property
    def row_of(self) -> npt.NDArray[np.int64]:
        """The piece of each stored count."""
        return np.repeat(np.arange(self.counts.shape[0]), np.diff(self.counts.indptr))

    def summed(self, values: FloatArray) -> FloatArray:
        """Return the sum over each piece of one value per stored count; shape (pieces,)."""
        return np.bincount(self.row_of, weights=values, minlength=self.counts.shape[0]).astype(np.float64)


def scores(table: WordTable, settings: Settings) -> FloatArray:
    """Return the weighted sum of each piece's scores, shape (pieces,)."""
    weights = settings.weights
    return (
        weights.textrank * _of_most(textrank(table, settings.damping))
        + weights.position * position(table.counts.shape[0])
        + weights.tfidf * _of_most(tfidf(table))
        + weights.novelty * novelty(table)
    )


def textrank(table: WordTable, damping: float) -> FloatArray:
    """Return the rank of each piece in the graph whose edges are cosines of TF-IDF vectors (TextRank); sums to 1.

    The pieces × pieces matrix is never formed: a rank is passed on through the words. A piece that shares no word has
    the rank of none.
    """
    pieces = table.counts.shape[0]
    values = table.counts.data * table.rarity[table.counts.indices]
    length = np.sqrt(table.summed(values * values))
    values = values / np.where(length > 0.0, length, 1.0)[table.row_of]
    vectors = sparse.csr_array((values, table.counts.indices, table.counts.indptr), shape=table.counts.shape)
    words = vectors.T.tocsr()
    own = (length > 0.0).astype(np.float64)
    strength = vectors @ (words @ np.ones(pieces)) - own
    passing = np.where(strength > 1e-9, strength, np.inf)
    rank = np.full(pieces, 1.0 / pieces)
    for _ in range(_MOST_TURNS):
        given = rank / passing
        found = (1.0 - damping) / pieces + damping * (vectors @ (words @ given) - own * given)
        change = float(np.abs(found - rank).sum())
        rank = found
        if change < _ENOUGH:
            break
    return np.asarray(np.maximum(rank, 0.0) / rank.sum())


def position(pieces: int) -> FloatArray:
    """Return 1 at both ends, falling evenly to 0 in the middle.

    >>> position(5)
    array([1. , 0.5, 0. , 0.5, 1. ])
    """
    return np.abs(np.linspace(-1.0, 1.0, pieces)) if pieces > 1 else np.ones(pieces)


def tfidf(table: WordTable) -> FloatArray:
    """Return the mean over a piece's words of (1 + log of the count in the prompt) × rarity; 0 without a word."""
    total = np.bincount(table.counts.indices, weights=table.counts.data, minlength=table.counts.shape[1])
    weight = (1.0 + np.log(np.maximum(total, 1.0))) * table.rarity
    words = table.summed(table.counts.data)
    found = table.summed(table.counts.data * weight[table.counts.indices])
    return np.asarray(found / np.maximum(words, 1.0))


def novelty(table: WordTable) -> FloatArray:
    """Return the share of a piece's distinct words that no piece before it has; 0 without a word."""
    first = np.zeros(len(table.counts.indices))
    first[np.unique(table.counts.indices, return_index=True)[1]] = 1.0
    distinct = np.diff(table.counts.indptr)
    return np.asarray(table.summed(first) / np.maximum(distinct, 1))


def _of_most(values: FloatArray) -> FloatArray:
    most = values.max(initial=0.0)
    return values / most if most > 0.0 else values
