"""A trace's pairs of lengths as at most 2,000 weighted atoms that keep what queues feel.

Requests are first parted at the grid of total lengths, so no atom mixes requests from both sides of a grid point and
every pool split there keeps the trace's own counts and means. Then the one split (one axis, one threshold) that
removes most squared error of {x/std, 0.2·log x, 0.35·rank} of input and output is made, again and again; the rank is
the share of requests below, in units of 1/√12, its standard deviation, as x is in units of its own. All sums are of
whole numbers (features in steps of 2⁻²⁰), so the result does not depend on the machine's order of summation.

Above 400,000 distinct pairs, those of a cell whose lengths differ by less than 1 % are taken together first: this
bounds time and memory, keeps all means, and takes less than 0.001 % from a length's variance.
"""

from __future__ import annotations

import heapq
import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fleettui.domain.workload import Atom

MOST_ATOMS = 2_000
_LOG_WEIGHT, _RANK_WEIGHT = 0.2, 0.35 * math.sqrt(12)
_FEATURE_STEPS = 2.0**20
_MOST_PAIRS = 400_000
_ALIKE, _EXACT_BELOW = 1.01, 256

Whole = npt.NDArray[np.int64]
Real = npt.NDArray[np.float64]


class Split(NamedTuple):
    """The best cut of a leaf: along which axis (0 prompt, 1 output), below which value, and the error it removes."""

    gain: float
    axis: int
    below: float


class Leaf(NamedTuple):
    """Pairs, as indices sorted along each axis."""

    by_prompt: Whole
    by_output: Whole


class Pairs(NamedTuple):
    """Distinct pairs of a trace, or runs of alike pairs.

    Counts (n,), summed lengths (2, n) and features times counts (6, n) are whole; `lengths` (2, n) are means, and
    `cell` (n,) tells between which grid points the total lies.
    """

    counts: Whole
    sums: Whole
    lengths: Real
    cell: Whole
    features: Whole


def compress(
    prompt: Whole, output: Whole, counts: Whole, grid: tuple[int, ...], most: int = MOST_ATOMS
) -> tuple[Atom, ...]:
    """Return atoms (count, mean prompt, mean output) of `counts[i]` requests of (`prompt[i]`, `output[i]`) tokens.

    There are at most `most` of them (or one a grid cell, where there are more cells), sorted by total length. Counts
    are whole and add up to the trace's; the means are exact, so the trace's are too.
    """
    cell = np.searchsorted(np.array(grid, dtype=np.int64), prompt + output, side="left")
    pairs = _pairs(np.stack((prompt, output)), counts, cell)
    leaves = _grown(pairs, _cells(pairs), most)
    return tuple(sorted((_atom(pairs, leaf) for leaf in leaves), key=lambda atom: (atom[1] + atom[2], *atom)))


def _pairs(lengths: Whole, counts: Whole, cell: Whole) -> Pairs:
    sums = lengths * counts
    if len(counts) > _MOST_PAIRS:
        counts, sums, cell = _joined(lengths, counts, sums, cell)
    means = sums / counts
    rows = [row for values in means for row in _axis_features(values, counts)]
    features = np.stack([np.rint(row * _FEATURE_STEPS).astype(np.int64) * counts for row in rows])
    return Pairs(counts, sums, means, cell, features)


def _joined(lengths: Whole, counts: Whole, sums: Whole, cell: Whole) -> tuple[Whole, Whole, Whole]:
    """Return counts, sums and cells of runs of pairs of one cell whose lengths are alike."""
    prompt, output = _classes(lengths)
    key = (cell << 40) | (prompt << 20) | output
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    return (
        np.add.reduceat(counts[order], starts),
        np.add.reduceat(sums[:, order], starts, axis=1),
        cell[order][starts],
    )


def _classes(lengths: Whole) -> Whole:
    """Return a number for each length that is shared by lengths less than 1 % apart, below 256 by none."""
    steps = np.log(np.maximum(lengths / _EXACT_BELOW, 1.0)) / np.log(_ALIKE)
    return np.where(lengths < _EXACT_BELOW, lengths, _EXACT_BELOW + np.floor(steps).astype(np.int64))


def _axis_features(values: Real, counts: Whole) -> tuple[Real, Real, Real]:
    """Return x/std, 0.2·log x and 0.35·(mid-rank as a share)·√12, each (n,)."""
    total = counts.sum()
    mean = (values @ counts) / total
    deviation = np.sqrt((counts * (values - mean) ** 2).sum() / total)
    distinct, position = np.unique(values, return_inverse=True)
    weights = np.bincount(position, weights=counts)
    rank = (np.cumsum(weights) - weights / 2) / total
    scaled = values / deviation if deviation > 0 else np.zeros(len(values))
    return scaled, _LOG_WEIGHT * np.log(distinct)[position], _RANK_WEIGHT * rank[position]


def _cells(pairs: Pairs) -> list[Leaf]:
    """Return the leaves to start from: the requests between each two grid points, the upper one included."""
    orders = [np.lexsort((axis, pairs.cell)) for axis in pairs.lengths]
    bounds = [np.flatnonzero(np.diff(pairs.cell[order])) + 1 for order in orders]
    parts = [np.split(order, bound) for order, bound in zip(orders, bounds, strict=True)]
    return [Leaf(by_prompt, by_output) for by_prompt, by_output in zip(*parts, strict=True)]


def _grown(pairs: Pairs, leaves: list[Leaf], most: int) -> list[Leaf]:
    """Split the leaf that gains most until there are `most` of them or nothing is left to gain."""
    queue: list[tuple[float, int, Split]] = []
    kept = dict(enumerate(leaves))
    for serial, leaf in kept.items():
        _enqueue(queue, serial, _best_split(pairs, leaf))
    serial = len(kept)
    while queue and len(kept) < most:
        _, parent, split = heapq.heappop(queue)
        for child in _divided(pairs, kept.pop(parent), split):
            kept[serial] = child
            _enqueue(queue, serial, _best_split(pairs, child))
            serial += 1
    return list(kept.values())


def _enqueue(queue: list[tuple[float, int, Split]], serial: int, split: Split | None) -> None:
    if split is not None:
        heapq.heappush(queue, (-split.gain, serial, split))


def _best_split(pairs: Pairs, leaf: Leaf) -> Split | None:
    """Return the cut that removes most squared error, or None where all requests are alike.

    Cutting n requests with sums S into two removes Σ n₁n₂/n·(S₁/n₁ − S₂/n₂)² over the features.
    """
    if len(leaf.by_prompt) < 2:
        return None
    found = (_best_on_axis(pairs, order, axis) for axis, order in enumerate(leaf))
    return max((split for split in found if split is not None), key=lambda split: split.gain, default=None)


def _best_on_axis(pairs: Pairs, order: Whole, axis: int) -> Split | None:
    values = pairs.lengths[axis, order]
    cuts = np.flatnonzero(values[1:] > values[:-1])
    if not len(cuts):
        return None
    counts = np.cumsum(pairs.counts[order])
    sums = np.cumsum(pairs.features[:, order], axis=1)
    total, left = counts[-1], counts[cuts].astype(np.float64)
    right = total - left
    apart = sums[:, cuts] / left - (sums[:, -1:] - sums[:, cuts]) / right
    gains = np.zeros(len(cuts))
    for row in apart * apart:
        gains += row
    gains *= left * right / total
    best = int(np.argmax(gains))
    return Split(float(gains[best]), axis, float(values[cuts[best] + 1]))


def _divided(pairs: Pairs, leaf: Leaf, split: Split) -> tuple[Leaf, Leaf]:
    below = [pairs.lengths[split.axis, order] < split.below for order in leaf]
    return (
        Leaf(leaf.by_prompt[below[0]], leaf.by_output[below[1]]),
        Leaf(leaf.by_prompt[~below[0]], leaf.by_output[~below[1]]),
    )


def _atom(pairs: Pairs, leaf: Leaf) -> Atom:
    number = int(pairs.counts[leaf.by_prompt].sum())
    prompt, output = (int(axis[leaf.by_prompt].sum()) / number for axis in pairs.sums)
    return float(number), prompt, output
