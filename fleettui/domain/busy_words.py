"""How busy something is beside how busy it may be, in digits that tell the two apart."""

from __future__ import annotations

FEWEST, MOST = 2, 5
"""Digits behind the point."""


def above(busy: float, limit: float) -> tuple[str, str]:
    """Return what is busier than its limit, and the limit, with as many digits as tell them apart.

    >>> above(0.92, 0.85), above(0.8534, 0.85), above(0.85, 0.85)
    (('0.92', '0.85'), ('0.853', '0.850'), ('0.85', '0.85'))
    """
    told = ((f"{busy:.{digits}f}", f"{limit:.{digits}f}") for digits in range(FEWEST, MOST + 1))
    return next((pair for pair in told if pair[0] != pair[1]), (f"{busy:.{FEWEST}f}", f"{limit:.{FEWEST}f}"))


def over_limit(busy: float, limit: float) -> str:
    """Return the same as it stands in a reason: 0.92 busy (limit 0.85)."""
    told, most = above(busy, limit)
    return f"{told} busy (limit {most})"


def overloaded(pool: str, busy: float, limit: float) -> str:
    """Return the same of a pool that is refused for it."""
    told, most = above(busy, limit)
    return f"pool {pool} would be {told} busy, above {most}"
