"""Two classes at one queue: interactive requests are served before those of class batch, nobody is interrupted.

Symbols: ρ utilization by both classes, ρ₁ by the interactive one, f the share of class batch, so that ρ₁ = (1 − f)ρ;
μ the rate at which a full queue is served. Lengths do not depend on the class.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fleettui.queueing.arrays import FloatArray


@dataclass(frozen=True, slots=True)
class Classes:
    """A share `batch_share` of the requests is of class batch; whether waits are those of `batch` or of the others."""

    batch_share: float
    batch: bool = False

    def pace(self, utilization: ArrayLike) -> FloatArray:
        """Return by how much faster the tail of the class's wait falls than μ(1 − ρ), that of first come, first served.

        As many wait at all as without classes. Interactive ones that do wait for an exponential time of mean
        1/(μ(1 − ρ₁)) in M/M/c: Cobham's mean (1954; Kella and Yechiali 1985 for c servers) and the exact tail. For
        class batch Cobham's mean is 1/(μ(1 − ρ₁)(1 − ρ)), but the tail is longer than an exponential one: a wait is a
        busy period of interactive requests that begins with all work found, a mixture of exponentials of which none
        falls more slowly than μ(1 − m)(1 − ρ₁/m), m = max(ρ, √ρ₁). That is f·μ(1 − ρ) where ρ² > ρ₁. We take it for
        the whole tail, an upper bound at every time.

        >>> float(Classes(0.5).pace(0.8).round(9)), float(Classes(0.5, batch=True).pace(0.8).round(9))
        (3.0, 0.5)
        """
        rho = np.asarray(utilization, float)
        first = (1.0 - self.batch_share) * rho
        m = np.maximum(np.maximum(rho, np.sqrt(first)), 1e-300)
        falls = (1.0 - m) * (1.0 - first / m) if self.batch else 1.0 - first
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(rho < 1.0, falls / (1.0 - rho), 1.0)
