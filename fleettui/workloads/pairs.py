"""Counts of the distinct (prompt, output) pairs of a trace, gathered chunk by chunk."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fleettui.workloads.formats.base import Tokens

_PENDING = 1 << 20
_OUTPUT_BITS = 31

Whole = npt.NDArray[np.int64]


class PairCounts:
    """How often each pair of lengths occurs; memory grows with the distinct pairs, not with the requests."""

    def __init__(self) -> None:
        self._keys: Whole = np.empty(0, dtype=np.int64)
        self._counts: Whole = np.empty(0, dtype=np.int64)
        self._pending: list[Whole] = []
        self._waiting = 0

    def add(self, prompt: Tokens, output: Tokens) -> None:
        """Count requests of `prompt[i]` and `output[i]` tokens."""
        self._pending.append((prompt.astype(np.int64) << _OUTPUT_BITS) | output)
        self._waiting += len(prompt)
        if self._waiting >= max(_PENDING, len(self._keys) // 2):
            self._settle()

    def merge(self, other: PairCounts) -> None:
        """Add everything that `other` has counted."""
        other._settle()
        self._settle()
        self._combine(other._keys, other._counts)

    def table(self) -> tuple[Whole, Whole, Whole]:
        """Return (prompt, output, count) of the distinct pairs, sorted by prompt, then output."""
        self._settle()
        return self._keys >> _OUTPUT_BITS, self._keys & ((1 << _OUTPUT_BITS) - 1), self._counts

    def _settle(self) -> None:
        if self._pending:
            keys, counts = np.unique(np.concatenate(self._pending), return_counts=True)
            self._pending, self._waiting = [], 0
            self._combine(keys, counts)

    def _combine(self, keys: Whole, counts: Whole) -> None:
        merged = np.concatenate((self._keys, keys))
        order = np.argsort(merged, kind="stable")
        merged = merged[order]
        starts = np.flatnonzero(np.diff(merged, prepend=-1))
        weights = np.concatenate((self._counts, counts))[order]
        self._keys = merged[starts]
        self._counts = np.add.reduceat(weights, starts) if len(starts) else weights
