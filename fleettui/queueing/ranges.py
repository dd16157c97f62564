"""A request table cut into ranges of total length: the per-workload table that every profile and size shares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fleettui.queueing.arrays import FloatArray, IntArray
from fleettui.queueing.moments import Moments, RequestTable

RISING = 4
"""The first features rise with the uncached prompt, the others do not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeTable:
    """Ranges (above, up_to] of a request table; arrays of shape (ranges,) unless said otherwise.

    Range i holds the atoms [first[i], last[i]). `features`, shape (6, atoms), are the figures in which a request's own
    delay is linear. `by_prompt` orders the atoms by uncached prompt; `rising`, shape (4, atoms), holds in order the
    features that rise with it. `above_prompt[i, j]` is the share of range i's requests among the atoms from the j-th of
    that order on, shape (ranges, atoms + 1).
    """

    table: RequestTable
    first: IntArray
    last: IntArray
    moments: Moments
    features: FloatArray
    by_prompt: IntArray
    rising: FloatArray
    above_prompt: FloatArray

    @classmethod
    def of(cls, table: RequestTable, above: ArrayLike, up_to: ArrayLike) -> RangeTable:
        """Cut `table` into the ranges with the bounds `above` and `up_to`, arrays of one shape."""
        first = np.searchsorted(table.total, np.atleast_1d(np.asarray(above, float)), side="right")
        last = np.searchsorted(table.total, np.atleast_1d(np.asarray(up_to, float)), side="right")
        moments = table.moments(first, last)
        by_prompt = np.argsort(table.uncached, kind="stable")
        features = _features(table)
        return cls(
            table=table,
            first=first,
            last=last,
            moments=moments,
            features=features,
            by_prompt=by_prompt,
            rising=features[:RISING, by_prompt],
            above_prompt=_above_prompt(table, first, last, by_prompt),
        )

    @property
    def occupied(self) -> np.ndarray:
        """Which ranges hold at least one atom."""
        return np.asarray(self.last > self.first)

    @property
    def longest(self) -> FloatArray:
        """The longest request of each range in tokens, 0 where it is empty."""
        return np.where(self.occupied, self.table.total[np.maximum(self.last - 1, 0)], 0.0)


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
