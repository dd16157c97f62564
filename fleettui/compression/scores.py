"""How much each piece of a prompt says: TextRank, position, TF-IDF and novelty, each from 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from fleettui.compression.words import words_in
from fleettui.domain.compressor_settings import Settings
from fleettui.simulation.compiled import compiled

FloatArray = npt.NDArray[np.float64]
Places = npt.NDArray[np.int32]
_MOST_TURNS, _ENOUGH = 50, 1e-4
"""Of TextRank: how often ranks are passed on at most, and the change (a sum of shares) below which they stand."""


@dataclass(frozen=True)
class WordTable:
    """How often each word stands in each of so many `pieces`, where it does.

    `counts`, and the pieces `of` them, both of shape (stored,), lie word by word, then piece by piece; those of word j
    from `starts[j]` up to `starts[j + 1]`.
    """

    pieces: int
    counts: FloatArray
    of: Places
    starts: Places

    @classmethod
    def of_texts(cls, texts: Sequence[str]) -> WordTable:
        """Count the words of each text."""
        numbers, rows = words_in(texts)
        low = np.uint64((1 << len(texts).bit_length()) - 1)
        keys = np.sort(numbers & ~low | rows.astype(np.uint64))
        firsts = _changes(keys)
        counts, keys = np.diff(firsts, append=len(keys)), keys[firsts]
        starts = np.append(_changes(keys & ~low), len(keys))
        return cls(len(texts), counts.astype(np.float64), (keys & low).astype(np.int32), starts.astype(np.int32))

    @cached_property
    def within(self) -> Places:
        """In how many pieces each word stands; shape (distinct words,)."""
        return np.diff(self.starts)

    @cached_property
    def rarity(self) -> FloatArray:
        """Inverse document frequencies of the words, pieces being the documents; shape (distinct words,)."""
        return np.asarray(np.log((1.0 + self.pieces) / (1.0 + self.within)) + 1.0)

    def of_words(self, values: FloatArray) -> FloatArray:
        """Return the sum over each word of one value per stored count; shape (distinct words,)."""
        return np.add.reduceat(values, self.starts[:-1]) if len(values) else values

    def of_pieces(self, values: FloatArray) -> FloatArray:
        """Return the sum over each piece of one value per stored count; shape (pieces,)."""
        return np.bincount(self.of, weights=values, minlength=self.pieces).astype(np.float64)


def _changes(keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Return where each run of equal keys begins."""
    return np.flatnonzero(np.append(len(keys) > 0, keys[1:] != keys[:-1]))


def scores(table: WordTable, settings: Settings) -> FloatArray:
    """Return the weighted sum of each piece's scores, shape (pieces,)."""
    weights = settings.weights
    return (
        weights.textrank * _of_most(textrank(table, settings.damping))
        + weights.position * position(table.pieces)
        + weights.tfidf * _of_most(tfidf(table))
        + weights.novelty * novelty(table)
    )


def textrank(table: WordTable, damping: float) -> FloatArray:
    """Return the rank of each piece in the graph whose edges are cosines of TF-IDF vectors (TextRank); sums to 1.

    The pieces × pieces matrix is never formed: a rank is passed on through the words. A piece that shares no word has
    the rank of none.
    """
    values = table.counts * np.repeat(table.rarity, table.within)
    length = np.sqrt(table.of_pieces(values * values))
    values /= np.where(length > 0.0, length, 1.0)[table.of]
    rank, found = np.full(table.pieces, 1.0 / table.pieces), np.empty(table.pieces)
    _pass_on(values, table.of, table.starts, np.ones(table.pieces), found)
    passing = np.where(found > 1e-9, found, np.inf)
    for _ in range(_MOST_TURNS):
        _pass_on(values, table.of, table.starts, rank / passing, found)
        before, rank = rank, (1.0 - damping) / table.pieces + damping * found
        if np.abs(rank - before).sum() < _ENOUGH:
            break
    return np.asarray(np.maximum(rank, 0.0) / rank.sum())


@compiled
def _pass_on(values: FloatArray, of: Places, starts: Places, given: FloatArray, found: FloatArray) -> None:
    """Write into `found` what each piece gets of what all others have `given`, by the words that they share."""
    found[:] = 0.0
    for word in range(len(starts) - 1):
        shared = 0.0
        for place in range(starts[word], starts[word + 1]):
            shared += values[place] * given[of[place]]
        for place in range(starts[word], starts[word + 1]):
            found[of[place]] += values[place] * (shared - values[place] * given[of[place]])


def position(pieces: int) -> FloatArray:
    """Return 1 at both ends, falling evenly to 0 in the middle.

    >>> position(5)
    array([1. , 0.5, 0. , 0.5, 1. ])
    """
    return np.abs(np.linspace(-1.0, 1.0, pieces)) if pieces > 1 else np.ones(pieces)


def tfidf(table: WordTable) -> FloatArray:
    """Return the mean over a piece's words of (1 + log of the count in the prompt) × rarity; 0 without a word."""
    weight = (1.0 + np.log(table.of_words(table.counts))) * table.rarity
    found = table.of_pieces(table.counts * np.repeat(weight, table.within))
    return np.asarray(found / np.maximum(table.of_pieces(table.counts), 1.0))


def novelty(table: WordTable) -> FloatArray:
    """Return the share of a piece's distinct words that no piece before it has; 0 without a word."""
    first = np.bincount(table.of[table.starts[:-1]], minlength=table.pieces)
    distinct = np.bincount(table.of, minlength=table.pieces)
    return np.asarray(first / np.maximum(distinct, 1))


def _of_most(values: FloatArray) -> FloatArray:
    most = values.max(initial=0.0)
    return values / most if most > 0.0 else values
