"""An input that is typed as a range, as nobody knows it better: a rate of 80/s to 120/s."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fleettui.errors import InputError

OF_RATE = ("rate", "users", "requests-per-user", "peak-factor", "tokens", "peak-hour")
"""Keys of a question whose values multiply its requests per second."""
HIT = "prefix-hit"
RANGED = (*OF_RATE, HIT)
"""Keys of a question that may be typed as a range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedRange:
    """The ends between which what a question's `key` says lies, in SI units.

    What multiplies the rate is as likely by a factor below the middle as by it above: its logarithm is uniform, as one
    who types 50 to 200 thinks of 100 twice, not of 125. A share of hits, which may be 0, is uniform itself. The plan is
    made in the middle, below which half of the cases are.
    """

    key: str
    low: float
    high: float

    def __post_init__(self) -> None:
        if self.key not in RANGED:
            raise InputError("this input has no range", value=self.key, accepted=", ".join(RANGED))
        least = 0.0 if self.key == HIT else math.nextafter(0.0, 1.0)
        if not least <= self.low < self.high < math.inf:
            raise InputError("the range is empty", where=f"--{self.key}", value=(self.low, self.high))

    @property
    def middle(self) -> float:
        """The value that the plan is made at."""
        return self.at(0.5)

    def at(self, share: float) -> float:
        """Return the value that lies above the input in this share of the cases.

        >>> [TypedRange(key=key, low=0.25, high=1.0).at(0.5) for key in ("rate", "prefix-hit")]
        [0.5, 0.625]
        """
        if self.key == HIT:
            return self.low + (self.high - self.low) * share
        return float(self.low * (self.high / self.low) ** share)

    @property
    def law(self) -> str:
        """How its values are distributed, in words."""
        return "uniform" if self.key == HIT else "uniform in its logarithm"
