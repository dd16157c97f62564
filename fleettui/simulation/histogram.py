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
FINER = 45
"""The last bits of a float: what they tell apart is less than a cell, 1/128 of the value at most."""


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
    counts, bits = np.zeros(len(edges), np.int64), np.ascontiguousarray(seconds).view(np.int64)
    least, most = int(bits.min()) >> FINER, int(bits.max()) >> FINER
    lows = (np.arange(least, most + 1) << FINER).view(np.float64)
    _count(seconds, bits, (np.searchsorted(edges, lows, side="right") - 1, least), edges, counts)
    filled = np.flatnonzero(counts)
    return Histogram(metric=metric, cells=tuple(zip((filled + first).tolist(), counts[filled].tolist(), strict=True)))


@compiled
def _count(seconds: Any, bits: Any, cells: Any, edges: Any, counts: Any) -> None:
    """Add each value, of these bits, to the count of its cell: that of the least with its first bits, or the next.

    `cells` are those of all first bits, from the least on, and these; `edges` are Python's powers.
    """
    of_first, least = cells
    for place in range(len(seconds)):
        cell = of_first[(bits[place] >> FINER) - least]
        cell += int(seconds[place] >= edges[cell + 1])
        counts[cell] += 1


def digest(*arrays: ArrayLike) -> str:
    """Return the SHA-256 of arrays of floats or whole numbers, the same on every machine, as 64 hex digits."""
    sha = hashlib.sha256()
    for array in arrays:
        fixed = np.ascontiguousarray(_little_endian(np.asarray(array)))
        sha.update(f"{fixed.dtype.kind}{fixed.shape}".encode())
        sha.update(fixed.data)
    return sha.hexdigest()


def _little_endian(array: NDArray[Any]) -> NDArray[Any]:
    """Return `array` in 8 bytes a number, lowest first; raises AssertionError for what is no number."""
    assert array.dtype.kind in "fiu", f"{array.dtype} has no digest"
    return array.astype("<f8" if array.dtype.kind == "f" else "<i8", copy=False)
