"""Wilson's interval for a share that was counted."""

from __future__ import annotations

import math

QUANTILE = 1.959963984540054
"""Of the normal distribution, for 95 %."""


def wilson(found: int, tried: int) -> tuple[float, float]:
    """Return the ends of the 95 % interval of a share of which `found` in `tried` are known (Wilson 1927).

    >>> [round(end, 3) for end in wilson(225, 300)]
    [0.698, 0.796]
    """
    assert 0 <= found <= tried > 0, f"no share: {found} of {tried}"
    share, square = found / tried, QUANTILE**2
    middle = (share + square / (2 * tried)) / (1 + square / tried)
    reach = QUANTILE / (1 + square / tried) * math.sqrt(share * (1 - share) / tried + square / (4 * tried**2))
    return max(middle - reach, 0.0) if found else 0.0, min(middle + reach, 1.0) if found < tried else 1.0
