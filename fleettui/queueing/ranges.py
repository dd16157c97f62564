"""A request table cut into ranges of total length: the per-workload table that every profile and size shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fleettui.queueing.arrays import FloatArray, IntArray
from fleettui.queueing.moments import Moments, RequestTable

RISING = 4
"""The first features rise with the uncached prompt, the others do not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeTable:
    """Ranges of the atoms of a request table; arrays of shape (ranges,) unless said otherwise.

    Range i holds the atoms [first[i], last[i]). `features`, shape (6, atoms), are the figures in which a request's own
    delay is linear. `rising`, shape (4, atoms), holds the features that rise with the uncached prompt in its order.
    `above_prompt[i, j]` is the share of range i's requests among the atoms from the j-th of that order on, shape
    (ranges, atoms + 1); None where every range has atoms of its own.
    """

    table: RequestTable
    first: IntArray
    last: IntArray
    moments: Moments
    features: FloatArray
    rising: FloatArray
    above_prompt: FloatArray | None

    @classmethod
    def of(cls, table: RequestTable, above: ArrayLike, up_to: ArrayLike) -> RangeTable:
        """Cut `table`, which is in order of total length, into the ranges (above, up_to], arrays of one shape."""
        first, last = (np.searchsorted(table.total, np.atleast_1d(ends), side="right") for ends in (above, up_to))
        by_prompt = np.argsort(table.uncached, kind="stable")
        features = _features(table)
        return cls(
            table=table,
            first=first,
            last=last,
            moments=table.moments(first, last),
            features=features,
            rising=features[:RISING, by_prompt],
            above_prompt=_above_prompt(table, first, last, by_prompt),
        )

    @classmethod
    def of_parts(cls, parts: Sequence[FloatArray], *, chunk: int, prefix_hit: float) -> RangeTable:
        """Make each range of atoms of its own, rows (share of all requests, prompt, output); none may be empty."""
        table = RequestTable.as_they_stand(np.concatenate(parts), chunk=chunk, prefix_hit=prefix_hit)
        last = np.cumsum([len(part) for part in parts])
        first = np.concatenate([[0], last[:-1]])
        features = _features(table)
        return cls(
            table=table,
            first=first,
            last=last,
            moments=table.moments(first, last),
            features=features,
            rising=features[:RISING],
            above_prompt=None,
        )

    @property
    def occupied(self) -> np.ndarray:
        """Which ranges hold at least one atom."""
        return np.asarray(self.last > self.first)

    @property
    def longest(self) -> FloatArray:
        """The longest request of each range in tokens, 0 where it is empty."""
        total = self.table.total
        return np.array([total[low:high].max(initial=0.0) for low, high in zip(self.first, self.last, strict=True)])


def _features(table: RequestTable) -> FloatArray:
    """Return prefill steps, uncached tokens, 1, prefill context, later tokens, later tokens × own mean context."""
    later = table.output - 1.0
    own = later * table.context / table.steps
    return np.stack([table.prefill_steps, table.uncached, np.ones_like(later), table.prefill_context, later, own])


def _above_prompt(table: RequestTable, first: IntArray, last: IntArray, by_prompt: IntArray) -> FloatArray:
    weight = table.weight[by_prompt]
    inside = (by_prompt >= first[:, None]) & (by_prompt < last[:, None])
    sums = np.zeros((len(first), len(weight) + 1))
    np.cumsum(np.where(inside, weight, 0.0)[:, ::-1], axis=1, out=sums[:, 1:])
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums[:, ::-1] / sums[:, -1:])
