"""A histogram's buckets, and a curve through them that has their shares and the histogram's own mean."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count, pairwise

import numpy as np
import numpy.typing as npt

from fleettui.domain.workload import CdfPoint
from fleettui.errors import InputError

CELLS = 16
"""Parts of a bucket, between which its mass is moved until the mean is right."""
STEEPEST = 1e9
"""The tilt at which all of a bucket's mass lies at one end of it."""
_FLOOR = 1e-9
_CLOSE = 1e-9

Real = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Buckets:
    """The histogram `name`: values in each bucket up to one of `edges`, in one more above the last, and their sum."""

    name: str
    edges: tuple[float, ...]
    counts: tuple[float, ...]
    sum: float

    @classmethod
    def of(cls, name: str, counted: Mapping[tuple[str, float | None], float]) -> Buckets | None:
        """Return the histogram called `name` of cumulated samples, by sample name and upper edge; None without one.

        Raises InputError for one that lacks its sum or its last bucket, or whose counts fall, and for a mean that such
        buckets cannot have.
        """
        rising = sorted((edge, n) for (sample, edge), n in counted.items() if sample == f"{name}_bucket" and edge)
        total = counted.get((f"{name}_sum", None))
        if not rising:
            return None
        counts = tuple(float(one) for one in np.diff([n for _, n in rising], prepend=0.0))
        if total is None or rising[-1][0] != math.inf or len(rising) < 2 or min(counts) < 0:
            raise InputError(
                f"the histogram {name} is not whole",
                accepted="rising counts of buckets, the last for le=+Inf, and their sum",
                remedy="scrape the server again",
            )
        found = cls(name=name, edges=tuple(edge for edge, _ in rising[:-1]), counts=counts, sum=float(total))
        found._check_mean()
        return found

    @property
    def count(self) -> float:
        """How many values there are."""
        return math.fsum(self.counts)

    @property
    def mean(self) -> float:
        """Their mean; there must be one."""
        return self.sum / self.count

    @property
    def longest(self) -> float:
        """What no value is above: the upper edge of the last bucket that has one, or what bounds those above all edges.

        vLLM's edges of lengths are 1, 2, 5, 10 and so on up to its longest context, so that lies below the next of
        these; it is a later one where the sum says that values reach further.
        """
        if not self.counts[-1]:
            return max(edge for edge, n in zip(self.edges, self.counts, strict=False) if n)
        least = (self.sum - self._sum_above(self.edges)) / self.counts[-1]
        steps = (factor * 10.0**power for power in count() for factor in (1, 2, 5))
        return next(step for step in steps if step > self.edges[-1] and step >= least)

    def band(self, share: float) -> tuple[float, float | None]:
        """Return the edges of the bucket that holds the value at `share` of the count; None above the last edge."""
        index = int(np.searchsorted(np.cumsum(self.counts), share * self.count * (1 - _CLOSE)))
        return (0.0, *self.edges)[index], (*self.edges, None)[index]

    def _check_mean(self) -> None:
        least, most = self._sum_above((0.0, *self.edges)), self._sum_above((*self.edges, math.inf))
        if not least * (1 - _CLOSE) <= self.sum <= most * (1 + _CLOSE):
            raise InputError(
                f"the sum and the buckets of {self.name} do not belong together",
                value=self.sum,
                accepted=f"a sum from {least:.6g} to {most:.6g}",
                remedy="scrape the server again",
            )

    def _sum_above(self, values: tuple[float, ...]) -> float:
        return math.fsum(n * value for n, value in zip(self.counts, values, strict=False) if n)


class Curve:
    """F of the values of `buckets`, of which there must be some; of `whole` numbers above zero, or of any.

    The shape is a monotone cubic through F over log(1 + value / first edge). Inside each bucket it is tilted, by one
    factor for all, until the mean is that of the histogram. Lengths of no token count as one.
    """

    def __init__(self, buckets: Buckets, *, whole: bool) -> None:
        from scipy.interpolate import PchipInterpolator

        unit, top = buckets.edges[0], buckets.longest
        edges = np.array([0.0, *(edge for edge in buckets.edges if edge < top), top])
        scaled = np.log1p(edges / unit)
        self._shares = np.array(buckets.counts[: len(edges) - 1]) / buckets.count
        inside = [
            _ends(low, high, unit * np.expm1(np.linspace(*ends, CELLS + 1)), whole=whole)
            for (low, high), ends in zip(pairwise(edges), pairwise(scaled), strict=True)
        ]
        self._ends = np.concatenate([[0.0], *inside])
        self._bucket = np.repeat(np.arange(len(inside)), [len(ends) for ends in inside])
        self._middle = (self._ends[:-1] + self._ends[1:] + whole) / 2
        known = PchipInterpolator(scaled, np.concatenate(([0.0], np.cumsum(self._shares))))
        self._base = np.maximum(np.diff(known(np.log1p(self._ends / unit))), 0.0) + _FLOOR
        self._place = (self._middle - edges[self._bucket]) / np.diff(edges)[self._bucket]
        self._mass = self._tilted(self._tilt(buckets.mean))

    def points(self) -> tuple[CdfPoint, ...]:
        """Return (value, F) at the ends of the cells that bound some mass."""
        last = int(np.flatnonzero(self._mass)[-1])
        fractions = np.append(np.minimum(np.cumsum(self._mass), 1.0)[:last], 1.0)
        needed = (self._mass > 0) | (np.append(self._mass[1:], 0.0) > 0)
        return tuple(
            (float(end), float(fraction))
            for end, fraction, need in zip(self._ends[1:], fractions, needed, strict=False)
            if need
        )

    def at(self, share: float) -> float:
        """Return the value at `share` of the count."""
        points = ((0.0, 0.0), *self.points())
        return float(np.interp(share, [fraction for _, fraction in points], [value for value, _ in points]))

    def _tilt(self, mean: float) -> float:
        """Return the tilt at which the mean is `mean`, or as near as cells allow."""
        from scipy.optimize import brentq

        def above(tilt: float) -> float:
            return float(self._tilted(tilt) @ self._middle) - mean

        if above(-STEEPEST) >= 0 or above(STEEPEST) <= 0:
            return -STEEPEST if above(-STEEPEST) >= 0 else STEEPEST
        return float(brentq(above, -STEEPEST, STEEPEST, xtol=1e-14, maxiter=1000))

    def _tilted(self, tilt: float) -> Real:
        powers = tilt * self._place
        most = np.full(len(self._shares), -np.inf)
        np.maximum.at(most, self._bucket, powers)
        weights = self._base * np.exp(powers - most[self._bucket])
        factors = self._shares / np.bincount(self._bucket, weights)
        return np.asarray(weights * factors[self._bucket])


def _ends(low: float, high: float, even: Real, *, whole: bool) -> Real:
    """Return the upper ends of a bucket's cells; of whole numbers the first and the last stand alone."""
    if not whole:
        return even[1:]
    return np.unique(np.clip([low + 1, *np.round(even[1:-1]), high - 1, high], low + 1, high))
