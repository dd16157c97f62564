"""Lengths of a pool's requests, drawn evenly from the workload that the plan was made for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate, chain

from fleettui.domain.fleet import Pool
from fleettui.domain.workload import Atom, LengthDistribution, Workload

DRAWN = 1000
"""Pairs of lengths that stand for a pool's requests."""


def pool_lengths(workload: Workload, pool: Pool) -> tuple[tuple[int, int], ...]:
    """Return DRAWN pairs of (prompt, output) tokens of the requests that a pool serves, shortest first.

    They stand at even steps of the distribution; none where prompts and outputs are known apart alone, or no request
    is as long as the pool's.
    """
    atoms = list(chain.from_iterable(_atoms(one.lengths) for one in workload.slices))
    own = sorted((one for one in atoms if pool.above < round(one[1]) + round(one[2]) <= pool.up_to), key=_total)
    if not own:
        return ()
    ends = list(accumulate(weight for weight, _, _ in own))
    places = (min(bisect_left(ends, (step + 0.5) / DRAWN * ends[-1]), len(own) - 1) for step in range(DRAWN))
    return tuple((round(own[place][1]), round(own[place][2])) for place in places)


def _total(atom: Atom) -> float:
    return atom[1] + atom[2]


def _atoms(lengths: LengthDistribution) -> Iterator[Atom]:
    """Yield the atoms of a distribution; of total lengths one for each step of it."""
    if lengths.kind == "joint":
        yield from lengths.atoms
    elif lengths.kind == "total" and lengths.output_share is not None:
        yield from _of_totals(lengths, lengths.output_share)


def _of_totals(lengths: LengthDistribution, share: float) -> Iterator[Atom]:
    for step in range(DRAWN):
        total = max(2.0, _quantile(lengths, (step + 0.5) / DRAWN))
        output = max(1.0, share * total)
        yield 1.0, max(1.0, total - output), output


def _quantile(lengths: LengthDistribution, share: float) -> float:
    """Return the total length at a share of the requests; between two points it is a straight line's."""
    before, below = 0.0, 0.0
    for point, fraction in lengths.cdf:
        if fraction >= share:
            return before + (point - before) * (share - below) / (fraction - below) if fraction > below else point
        before, below = point, fraction
    return lengths.cdf[-1][0]
