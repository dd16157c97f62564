"""What is known within a range of factors, and what is known better than what."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import NormalDist
from typing import TypeVar

Factors = tuple[float, float]
"""What step times may be of those predicted: (faster, slower), at most and at least 1."""

WAITS: Factors = (0.6, 1.8)
"""What waits behind other requests may be of those that the steps make at either end of their factors.

With it 85 % and more of the capacities that TTFT limits lie in their range, in public runs of which the configuration,
the model or the GPU was left out or two runs are known: `python -m tests.evidence.held_out` prints the shares.
"""

WIDER = 1.25
"""By what factor a spread at least exceeds one that is known much better: those of measured kinds differ by less."""


def factors_within(error: float) -> Factors:
    """Return what step times may be of those predicted, where these are within a share of the measured, below 1.

    >>> factors_within(0.25)
    (0.8, 1.3333333333333333)
    """
    return 1.0 / (1.0 + error), 1.0 / (1.0 - error)


def spread_of(factors: Factors) -> float:
    """Return by what factor the slowest steps are longer than the fastest: the less, the better they are known."""
    faster, slower = factors
    return slower / faster


def error_of(factors: Factors) -> float:
    """Return the larger of what steps may take less and more, as a share of what is predicted."""
    faster, slower = factors
    return round(max(1.0 - faster, slower - 1.0), 9)


WITHIN = 0.9
"""Share of the cases that lies between the two factors, as many beyond each."""
NORMAL = NormalDist()
END = NORMAL.inv_cdf((1.0 + WITHIN) / 2.0)
"""The standard normal's quantile that is the end of the factors: step times are lognormal to each side of those
predicted, which are their median.
"""


def factor_at(factors: Factors, towards: float) -> float:
    """Return what step times are of those predicted so far towards an end: -1 the faster, 0 predicted, 1 the slower.

    >>> [round(factor_at((0.8, 1.5), towards), 3) for towards in (-1.0, 0.0, 1.0, 2.0)]
    [0.8, 1.0, 1.5, 2.25]
    """
    faster, slower = factors
    return float(slower**towards if towards > 0 else faster**-towards)


def share_left(narrow: Factors, wide: Factors, towards: float) -> float:
    """Return which share of what is open by the `wide` factors is left by the `narrow` ones, towards an end, at most 1.

    >>> round(share_left((0.9, 1.1), (0.8, 1.21), 1.0), 3), share_left((0.5, 1.5), (0.8, 1.21), -1.0)
    (0.5, 1.0)
    """
    end = int(towards > 0)
    left, whole = (abs(math.log(factors[end])) for factors in (narrow, wide))
    return 1.0 if left >= whole else left / whole


def slower_than(share: float) -> float:
    """Return how far towards an end step times are that are longer than in this share of the cases, between 0 and 1.

    >>> slower_than(0.5), round(slower_than(0.95), 9)
    (0.0, 1.0)
    """
    return NORMAL.inv_cdf(share) / END


def share_below(towards: float) -> float:
    """Return in what share of the cases step times are at most so far towards an end: the inverse.

    >>> share_below(0.0), round(share_below(1.0), 9)
    (0.5, 0.95)
    """
    return NORMAL.cdf(towards * END)


class Uncertain:
    """What has step times that are known within a `band` of factors, or else within `model_error` either way."""

    __slots__ = ()
    model_error: float
    band: Factors | None

    @property
    def step_factors(self) -> Factors:
        """What its step times may be of those predicted."""
        return (1.0 - self.model_error, 1.0 + self.model_error) if self.band is None else self.band

    @property
    def spread(self) -> float:
        """By what factor its slowest steps are longer than its fastest."""
        return spread_of(self.step_factors)

    def known_better_than(self, other: Uncertain) -> bool:
        """Return whether its step times are known much better than those of `other`."""
        return self.spread * WIDER <= other.spread


Known = TypeVar("Known", bound=Uncertain)


def least_known(some: Iterable[Known]) -> Known:
    """Return the one of the widest spread, the first of several."""
    return max(some, key=lambda one: one.spread)
