"""Two classes at one queue: interactive requests are served before those of class batch, nobody is interrupted.

Symbols: ρ utilization by both classes, ρ₁ by the interactive one, f the share of class batch, x the mean service of an
interactive request over that of all, so that ρ₁ = (1 − f)xρ; μ the rate at which a full queue is served. Where lengths
do not depend on the class, x = 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from fleettui.queueing.arrays import FloatArray, IntArray
from fleettui.queueing.moments import Moments


@dataclass(frozen=True, slots=True)
class Classes:
    """A share `batch_share` of the requests is of class batch, of all rows or each; whether waits are those of `batch`
    or of the others.
    """

    batch_share: FloatArray | float
    batch: bool = False

    def pick(self, index: IntArray) -> Classes:
        """Return the classes of the rows `index`."""
        return replace(self, batch_share=self.batch_share[index]) if isinstance(self.batch_share, np.ndarray) else self

    def pace(self, utilization: ArrayLike, longer: ArrayLike = 1.0) -> FloatArray:
        """Return by how much faster the tail of the class's wait falls than μ(1 − ρ), that of first come, first served.

        `longer` is x. As many wait at all as without classes. Interactive ones that do wait for an exponential time of
        mean 1/(μ(1 − ρ₁)) in M/M/c: Cobham's mean (1954; Kella and Yechiali 1985 for c servers) and the exact tail. For
        class batch Cobham's mean is 1/(μ(1 − ρ₁)(1 − ρ)), but the tail is longer than an exponential one: a wait is a
        busy period of interactive requests that begins with all work found, a mixture of exponentials of which none
        falls more slowly than μ(1 − m)(1 − ρ₁/m)/x, m = max(1 − x(1 − ρ), √ρ₁). That is f·μ(1 − ρ) where x = 1 and
        ρ² > ρ₁. We take it for the whole tail, an upper bound at every time.

        >>> float(Classes(0.5).pace(0.8).round(9)), float(Classes(0.5, batch=True).pace(0.8).round(9))
        (3.0, 0.5)
        >>> float(Classes(0.5, batch=True).pace(0.8, 0.5).round(9))
        0.777777778
        """
        rho, x = np.asarray(utilization, float), np.asarray(longer, float)
        first = np.minimum((1.0 - self.batch_share) * x, 1.0) * rho
        m = np.maximum(np.maximum(rho + (1.0 - x) * (1.0 - rho), np.sqrt(first)), 1e-300)
        falls = (1.0 - m) * (1.0 - first / m) / x if self.batch else 1.0 - first
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(rho < 1.0, falls / (1.0 - rho), 1.0)


@dataclass(frozen=True, slots=True)
class ByClass:
    """What rows of pools serve where a router sends those of class batch to the last pool whatever their lengths.

    `served` are the means over all requests that a row serves, of both classes; `batch` the row of its load's table
    that has the lengths of class batch. Arrays of shape (rows,).
    """

    served: Moments
    batch: IntArray

    def pick(self, index: IntArray) -> ByClass:
        """Return the same of the rows `index`."""
        return ByClass(self.served.pick(index), self.batch[index])
