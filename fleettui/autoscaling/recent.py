"""What a policy remembers: sums and means over the last seconds, and the highest of recent values."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field


@dataclass(slots=True)
class Recent:
    """Values with the moments at which they were noted, those of the last `seconds`."""

    seconds: float
    moments: deque[float] = field(default_factory=deque)
    values: deque[float] = field(default_factory=deque)

    def note(self, moment: float, value: float) -> None:
        """Remember a value, and forget those that are too old."""
        moments, values, oldest = self.moments, self.values, moment - self.seconds
        moments.append(moment)
        values.append(value)
        while moments[0] <= oldest:
            moments.popleft()
            values.popleft()

    @property
    def total(self) -> float:
        """The sum of the values."""
        return sum(self.values)

    @property
    def mean(self) -> float:
        """Their mean; there is one at least."""
        return self.total / len(self.values)

    @property
    def highest(self) -> float:
        """The highest of them; there is one at least."""
        return max(self.values)
