"""Every kind of length distribution as weighted (prompt, output) atoms, ready for exact sums.

Joint lengths are atoms already. Of total lengths the output share is fixed. Of prompt and output known apart the
pairing is unknown: the same order (longest with longest), none, and the opposite order bracket what it may be.
"""

from __future__ import annotations

from itertools import chain

import numpy as np
import numpy.typing as npt

from fleettui.domain.workload import Atom, CdfPoint, LengthDistribution
from fleettui.workloads.grid import capped, common, split_points

MOST_ATOMS = 2_000
_MARGINAL_BLOCKS = 1_000
_INDEPENDENT_BLOCKS = 44
_FLOOR_GUARD = 1e-9

Pairings = tuple[tuple[str, tuple[Atom, ...]], ...]
Whole = npt.NDArray[np.int64]
Real = npt.NDArray[np.float64]


def pairings(lengths: LengthDistribution) -> Pairings:
    """Return (how prompt and output are paired, at most 2,000 atoms) for each pairing that `lengths` allows."""
    if lengths.kind == "joint":
        return (("joint", lengths.atoms),)
    if lengths.kind == "total":
        assert lengths.output_share is not None, "a total distribution has an output share"
        return (("fixed output share", _from_total(lengths.cdf, lengths.output_share)),)
    prompt, output = _blocks(lengths.prompt_cdf, _MARGINAL_BLOCKS), _blocks(lengths.output_cdf, _MARGINAL_BLOCKS)
    return (
        ("same order", _in_order(prompt, output)),
        ("independent", _independent(lengths)),
        ("opposite order", _in_order(prompt, (output[0][::-1], output[1][::-1]))),
    )


def split_grid(atoms: tuple[Atom, ...], cdf: tuple[CdfPoint, ...] = ()) -> tuple[int, ...]:
    """Return at most 150 total lengths, rising, at which a pool may be split with requests on both sides.

    With the distribution's own `cdf` its points come first: at these a joint distribution is exact. Without it the
    steep places are looked for in the atoms.
    """
    table = np.array(atoms)
    totals, weights = table[:, 1] + table[:, 2], table[:, 0]
    if not cdf:
        return split_points(totals, weights)
    shortest, longest = float(totals.min()), float(totals.max())
    rises = zip(cdf, np.diff([fraction for _, fraction in cdf], prepend=0.0).tolist(), strict=True)
    inside = [(-rise, int(point)) for (point, fraction), rise in rises if shortest <= point < longest and fraction < 1]
    return capped((), chain((point for _, point in sorted(inside)), sorted(common(shortest, longest))))


def integer_lengths(cdf: tuple[CdfPoint, ...]) -> tuple[Whole, Real]:
    """Return (tokens, share) of every whole length: uniform over the integers of each interval of `cdf`.

    Both are (n,) with n at most the longest length; lengths without mass are left out. Points between two integers
    share out the mass of the integer that they fall into.
    """
    points = np.array(((0.0, 0.0), *cdf))
    edges = np.arange(int(np.ceil(points[-1, 0])) + 1, dtype=np.float64)
    fractions = np.interp(edges, points[:, 0], points[:, 1])
    shares = np.diff(fractions) / fractions[-1]
    held = np.flatnonzero(shares > 0)
    return held + 1, shares[held]


def _from_total(cdf: tuple[CdfPoint, ...], output_share: float) -> tuple[Atom, ...]:
    """Return atoms of successive whole lengths L, prompt max(1, floor((1 − share)·L)), output max(1, L − prompt)."""
    tokens, shares = integer_lengths(cdf)
    prompt = np.maximum(1.0, np.floor((1 - output_share) * tokens + _FLOOR_GUARD))
    output = np.maximum(1.0, tokens - prompt)
    own = (int(point) for point, _ in cdf)
    grid = capped(common(float(tokens[0]), float(tokens[-1])), (point for point in own if point < tokens[-1]))
    cell = np.searchsorted(np.array(grid, dtype=np.int64), tokens, side="left")
    starts = _starts(shares, MOST_ATOMS - len(grid) - 1, cell)
    weights = np.add.reduceat(shares, starts)
    means = (np.add.reduceat(shares * length, starts) / weights for length in (prompt, output))
    return _atoms(weights, *means)


def _blocks(cdf: tuple[CdfPoint, ...], most: int) -> tuple[Real, Real]:
    """Return (share, mean length) of at most `most` runs of successive whole lengths."""
    tokens, shares = integer_lengths(cdf)
    starts = _starts(shares, most - 1, np.zeros(len(tokens), dtype=np.int64))
    weights = np.add.reduceat(shares, starts)
    return weights, np.add.reduceat(shares * tokens, starts) / weights


def _starts(shares: Real, most: int, cell: Whole) -> Whole:
    """Return where each run of lengths starts: about `most` runs, none across two cells.

    Runs hold equal sums of share^⅓, the density of points that loses least squared error (Panter and Dite, 1951).
    """
    density = np.cumsum(np.cbrt(shares))
    run = np.minimum((density - density[0] / 2) / density[-1] * most, most - 1).astype(np.int64)
    new = (np.diff(run, prepend=-1) != 0) | (np.diff(cell, prepend=-1) != 0)
    return np.flatnonzero(new)


def _in_order(prompt: tuple[Real, Real], output: tuple[Real, Real]) -> tuple[Atom, ...]:
    """Return atoms that pair the two as they stand: the first share of one with the first share of the other."""
    ends = [np.cumsum(shares) / shares.sum() for shares, _ in (prompt, output)]
    edges = np.unique(np.concatenate(ends))
    edges[-1] = 1.0
    weights = np.diff(edges, prepend=0.0)
    middles = edges - weights / 2
    wide = weights > 1e-15
    lengths = (
        values[np.minimum(np.searchsorted(end, middles[wide]), len(values) - 1)]
        for end, (_, values) in zip(ends, (prompt, output), strict=True)
    )
    return _atoms(weights[wide], *lengths)


def _independent(lengths: LengthDistribution) -> tuple[Atom, ...]:
    prompt = _blocks(lengths.prompt_cdf, _INDEPENDENT_BLOCKS)
    output = _blocks(lengths.output_cdf, _INDEPENDENT_BLOCKS)
    weights = np.outer(prompt[0], output[0]).ravel()
    return _atoms(weights, np.repeat(prompt[1], len(output[1])), np.tile(output[1], len(prompt[1])))


def _atoms(weights: Real, prompt: Real, output: Real) -> tuple[Atom, ...]:
    return tuple(zip(weights.tolist(), prompt.tolist(), output.tolist(), strict=True))
