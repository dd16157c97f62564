"""An input that is typed as a range, as nobody knows it better: a rate of 80/s to 120/s."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fleettui.errors import InputError

OF_RATE = ("rate", "users", "requests-per-user", "peak-factor", "tokens", "peak-hour")
"""Keys of a question whose values multiply its requests per second."""
HIT = "prefix-hit"
LIKELY_HIT = 0.3
"""A share of prompt tokens that prefix caches of chats find, a low one, where nothing is said of it."""
LENGTHS = {"prompt-length": "prompt", "output-length": "output"}
"""Keys that are factors on the tokens of all requests, by what of them."""
RANGED = (*OF_RATE, HIT, *LENGTHS)
"""Keys of a question that may be typed as a range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedRange:
    """The ends between which what a question's `key` says lies, in SI units.

    What multiplies the rate is as likely by a factor below the middle as by it above: its logarithm is uniform, as one
    who types 50 to 200 thinks of 100 twice, not of 125. A share of hits, which may be 0, is uniform itself. The plan is
    made in the middle, below which half of the cases are; lengths are planned as recorded, which lies in their range.
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
        if self.key in LENGTHS and not self.low <= 1.0 <= self.high:
            raise InputError(
                "the plan is made as recorded, which is not in the range",
                where=f"--{self.key}",
                value=(self.low, self.high),
                accepted="a range around 1: 0.8:1.3",
            )

    @property
    def middle(self) -> float:
        """The value that the plan is made at."""
        return 1.0 if self.key in LENGTHS else self.at(0.5)

    @property
    def changes_requests(self) -> bool:
        """Whether requests are others at each of its values, not only more."""
        return self.key not in OF_RATE

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
