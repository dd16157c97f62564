"""Shares that are told to be at least or at most so much: rounded away from what would promise more than is."""

from __future__ import annotations

import math

from fleettui.reports import units

DUST = 1e-9
"""What a number may be off by that was divided and is whole."""


def at_least(value: float) -> str:
    """Return a share as `percent` does where it is told to be at least so much: rounded down.

    >>> at_least(0.118), at_least(0.0048), at_least(0.99996), at_least(0.29)
    ('11%', '0.4%', '99.9%', '29%')
    """
    step = _step(value)
    return units.percent(math.floor(value / step + DUST) * step)


def at_most(value: float) -> str:
    """Return a share as `percent` does where it is told to be at most so much: rounded up.

    >>> at_most(0.112), at_most(0.0042), at_most(0.85), at_most(0.9991)
    ('12%', '0.5%', '85%', '100%')
    """
    step = _step(value)
    return units.percent(math.ceil(value / step - DUST) * step)


def _step(value: float) -> float:
    """Return what a share that is a percentage is rounded to."""
    return 0.001 if abs(value) < 0.01 or 0.995 <= value < 1.0 else 0.01
