"""The unit in which a column of figures of one quantity is told, which suits all of them."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.reports.units import DAY

SIZES: dict[str, tuple[tuple[float, str, float], ...]] = {
    "seconds": ((0, "us", 1e-6), (1e-3, "ms", 1e-3), (1, "s", 1), (600, "min", 60), (7200, "h", 3600), (2e5, "d", DAY)),
    "rate": ((0, "/s", 1),),
    "dollars per hour": ((0, "$/h", 1), (1e5, "K$/h", 1e3)),
    "dollars per year": ((0, "$/yr", 1), (1e4, "K$/yr", 1e3), (1e7, "M$/yr", 1e6)),
    "share": ((0, "%", 0.01),),
    "watts": ((0, "W", 1), (1e3, "kW", 1e3), (1e6, "MW", 1e6)),
    "tokens per joule": ((0, "tok/J", 1),),
}
"""By quantity: from which largest value of a column on it is told in this unit, and the unit's size."""
LEAST_TOLD, MOST_TOLD = 0.01, 1e5
"""A column whose least is less of its unit is told in the next smaller one, unless its most would be more of that."""


def column_unit(quantity: str, sizes: Sequence[float]) -> tuple[str, float]:
    """Return the unit and its size in which a column of figures of these sizes is told; no word and 1 without one.

    It suits the largest, or is smaller, so that one that is far larger than the others does not hide them.

    >>> column_unit("seconds", [0.0]), column_unit("seconds", [900.0]), column_unit("seconds", [0.53, 900.0])
    (('ms', 0.001), ('min', 60), ('s', 1))
    """
    largest = max(sizes, default=0.0) or 1e-3  # zeros alone are small, not tiny
    smallest = min(filter(None, sizes), default=largest)
    suits = [(unit, size) for least, unit, size in SIZES.get(quantity, ((0, "", 1),)) if largest >= least]
    while len(suits) > 1 and smallest < LEAST_TOLD * suits[-1][1] and largest < MOST_TOLD * suits[-2][1]:
        suits.pop()
    return suits[-1]
