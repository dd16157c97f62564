"""What is known within a range of factors, and what is known better than what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

Factors = tuple[float, float]
"""What step times may be of those predicted: (faster, slower), at most and at least 1."""

WIDER = 1.25
"""By what factor a spread at least exceeds one that is known much better: those of measured kinds differ by less."""


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
        """By what factor its slowest steps are longer than its fastest: the less, the better it is known."""
        faster, slower = self.step_factors
        return slower / faster

    def known_better_than(self, other: Uncertain) -> bool:
        """Return whether its step times are known much better than those of `other`."""
        return self.spread * WIDER <= other.spread


Known = TypeVar("Known", bound=Uncertain)


def least_known(some: Iterable[Known]) -> Known:
    """Return the one of the widest spread, the first of several."""
    return max(some, key=lambda one: one.spread)
