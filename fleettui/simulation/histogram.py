"""Latencies in little room: cells of 1 %, and the digest of the exact values."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fleettui.domain.simulation import CELL_RATIO, Histogram
from fleettui.simulation.compiled import compiled

SHORTEST = 1e-6
"""Seconds below which values are not told apart."""


def histogram(metric: str, values: ArrayLike) -> Histogram:
    """Return the cells of `values`, seconds, shape (requests,); values below SHORTEST count as SHORTEST.

    Raises AssertionError for a value that is not finite.

    >>> histogram("ttft", [1.0, 1.005, 1.02]).cells
    ((0, 2), (1, 1))
    """
    seconds = np.maximum(np.asarray(values, np.float64), SHORTEST)
    if not len(seconds):
        return Histogram(metric=metric, cells=())
    assert np.isfinite(seconds).all(), f"{metric}: a latency that is not finite has no cell"
    first, last = (math.floor(math.log(one) / math.log(CELL_RATIO)) for one in (seconds.min(), seconds.max()))
    first -= 1
    edges = np.array([CELL_RATIO**cell for cell in range(first, last + 3)])
    counts = np.zeros(len(edges), np.int64)
    _count(seconds, first, math.log(CELL_RATIO), edges, counts)
    filled = np.flatnonzero(counts)
    return Histogram(metric=metric, cells=tuple(zip((filled + first).tolist(), counts[filled].tolist(), strict=True)))


@compiled
def _count(seconds: Any, first: int, width: float, edges: Any, counts: Any) -> None:
    """Add each value to the count of its cell, from cell `first` on; what is next to an edge is held to the edge.

    The `edges` are Python's powers: the logarithm's cell is a guess, which may be off by one.
    """
    for value in seconds:
        cell = math.floor(math.log(value) / width) - first
        cell -= int(value < edges[cell])
        cell += int(value >= edges[cell + 1])
        counts[cell] += 1


def digest(*arrays: ArrayLike) -> str:
    """Return the SHA-256 of arrays of floats or whole numbers, the same on every machine, as 64 hex digits."""
    sha = hashlib.sha256()
    for array in arrays:
        fixed = _little_endian(np.asarray(array))
        sha.update(f"{fixed.dtype.kind}{fixed.shape}".encode())
        sha.update(fixed.tobytes())
    return sha.hexdigest()


def _little_endian(array: NDArray[Any]) -> NDArray[Any]:
    """Return `array` in 8 bytes a number, lowest first; raises AssertionError for what is no number."""
    assert array.dtype.kind in "fiu", f"{array.dtype} has no digest"
    return array.astype("<f8" if array.dtype.kind == "f" else "<i8")
