"""The lengths at which pools may be split: a common grid, and the places where many requests end."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

BREAKPOINTS = (
    *(64, 128, 256, 512, 768, 1_024, 1_536, 2_048, 3_072, 4_096, 6_144, 8_192),
    *(12_288, 16_384, 24_576, 32_768, 49_152, 65_536),
)
"""Where the papers' distributions of total tokens have their points."""

MOST_POINTS = 150
STEP = 16
_JUMP = 0.01
_MOST_OCTAVES = 31

Real = npt.NDArray[np.float64]


def common(shortest: float, longest: float) -> set[int]:
    """Return 64·2^(i/4) rounded to multiples of 16, and the papers' breakpoints, from `shortest` to below `longest`.

    >>> sorted(common(60, 200))
    [64, 80, 96, 112, 128, 160, 176]
    """
    steps = {round(64 * 2 ** (index / 4) / STEP) * STEP for index in range(4 * _MOST_OCTAVES)}
    return {point for point in steps | set(BREAKPOINTS) if shortest <= point < longest}


def jumps(totals: Real, weights: Real) -> list[int]:
    """Return the multiples of 16 across which F rises by 1 % or more, steepest first, below the longest total."""
    cells = np.ceil(totals / STEP).astype(np.int64)
    found, position = np.unique(cells, return_inverse=True)
    rises = np.bincount(position, weights=weights) / weights.sum()
    order = np.lexsort((found, -rises))
    longest = totals.max()
    return [int(found[i]) * STEP for i in order if rises[i] >= _JUMP and found[i] * STEP < longest]


def capped(first: Iterable[int], more: Iterable[int], most: int = MOST_POINTS) -> tuple[int, ...]:
    """Return the sorted points of `first` and as many of `more`, in their order, as fit into `most` points."""
    points = set(sorted(first)[:most])
    for point in more:
        if len(points) >= most:
            break
        points.add(point)
    return tuple(sorted(points))


def split_points(totals: Real, weights: Real) -> tuple[int, ...]:
    """Return at most 149 total lengths, rising, that leave requests on both sides; `totals` and `weights` are (n,)."""
    return capped(common(float(totals.min()), float(totals.max())), jumps(totals, weights), MOST_POINTS - 1)
