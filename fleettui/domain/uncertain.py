"""What is known within a range of factors, and what is known better than what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

Factors = tuple[float, float]
"""What step times may be of those predicted: (faster, slower), at most and at least 1."""

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
