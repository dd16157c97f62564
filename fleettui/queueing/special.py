"""Special functions of the formulas by NumPy alone: SciPy's take a sixth of a second to load in every worker.

What counts below and above a point comes to is an integral over the side of it on which the density only falls, whose
logarithm is concave there. It is worked out by the double exponential rule (Takahasi & Mori, Double Exponential
Formulas for Numerical Integration, 1974), up to where nothing is left of the density, to about 1e-13.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from fleettui.queueing.arrays import FloatArray

_STEP, _LAST = 0.08, 3.12
"""Of the double exponential rule's points, and the last of them: beyond it a weight is below 1e-15."""
_PLACES = np.arange(-_LAST, _LAST + _STEP / 2.0, _STEP)
_NODES = 1.0 / (1.0 + np.exp(-np.pi * np.sinh(_PLACES)))
_WEIGHTS = _STEP * np.pi * np.cosh(_PLACES) * _NODES * (1.0 - _NODES)
_FORGOTTEN = 40.0
"""Where the density has fallen by this power of e, nothing is left of it."""
_NEARER = 4
"""Rounds in which that place is found for a beta distribution."""
_SETTLED = 6
"""Steps in which Lambert's function is found from ln(1 + x)."""
_erfc = np.frompyfunc(math.erfc, 1, 1)
_lgamma = np.frompyfunc(math.lgamma, 1, 1)


def log_gamma(x: FloatArray) -> FloatArray:
    """Return ln Γ(x) of positive numbers.

    >>> round(float(log_gamma(np.array([5.0]))[0]), 6)  # ln 24
    3.178054
    """
    return np.asarray(_lgamma(x), float)


def normal_below(x: FloatArray) -> FloatArray:
    """Return the share of a standard normal distribution below x."""
    return np.asarray(_erfc(x * -math.sqrt(0.5)), float) / 2.0


def normal_quantile(share: float) -> float:
    """Return below what a share of a standard normal distribution is.

    >>> round(normal_quantile(0.99), 6)
    2.326348
    """
    return NormalDist().inv_cdf(share)


def logistic(x: FloatArray) -> FloatArray:
    """Return 1/(1 + e^−x).

    >>> logistic(np.array([-1000.0, 0.0, 1000.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    small = np.exp(-np.abs(x))
    return np.asarray(np.where(x < 0.0, small, 1.0) / (1.0 + small))


def lambert(x: FloatArray) -> FloatArray:
    """Return Lambert's function, the w with w·e^w = x, of x ≥ 0, by Halley's method.

    >>> float(lambert(np.array([math.e]))[0])
    1.0
    """
    w = np.log1p(x)
    for _ in range(_SETTLED):
        power = np.exp(w)
        off = w * power - x
        w = w - off / (power * (w + 1.0) - (w + 2.0) * off / (2.0 * w + 2.0))
    return w


def poisson_parts(count: FloatArray, mean: FloatArray, probability: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return P(N < count) and P(N ≥ count) of Poisson's N, for any positive count, whole or not.

    They are Euler's incomplete gamma functions Q(c, m), ∫ t^(c−1) e^(−t) dt / Γ(c) from m on, and P(c, m), up to m.
    `probability` is that of the count itself, e^(−m) m^c / Γ(c + 1).

    >>> below, reached = poisson_parts(np.array([1.0, 2.0]), np.array([1.0, 0.0]), np.array([math.exp(-1.0), 0.0]))
    >>> below.round(6).tolist(), reached.round(6).tolist()
    ([0.367879, 1.0], [0.632121, 0.0])
    """
    few = count < 1.0  # whose density has a pole at 0: that of one more has none
    more, chance = np.where(few, count + 1.0, count), np.where(few, probability * mean / (count + 1.0), probability)
    c, m = (np.where(mean > 0.0, one, 1.0)[..., None] for one in (more, mean))
    power, up = c - 1.0, m >= c - 1.0
    side = np.where(up, 1.0, -1.0)
    slope, bend = side * (1.0 - power / m), power / m**2
    # ln(1 + y) ≤ y − y²/(2 + 4y/3), so that upwards the density falls as far at d/(1 + 2d/3m) as downwards at d
    longer = np.where(up, 2.0 / (3.0 * m), 0.0)
    square, linear = bend + 2.0 * slope * longer, 2.0 * (slope - _FORGOTTEN * longer)
    reach = (np.sqrt(linear**2 + 8.0 * _FORGOTTEN * square) - linear) / (2.0 * square)
    reach = np.where(up, reach, np.minimum(reach, m))
    part = chance * more / m[..., 0] * _beyond(lambda d: side * d - power * np.log1p(side * d / m), reach)
    above, itself = up[..., 0], np.where(few, probability, 0.0)
    below, reached = np.where(above, part, 1.0 - part) - itself, np.where(above, 1.0 - part, part) + itself
    return np.where(mean > 0.0, below, 1.0), np.where(mean > 0.0, reached, 0.0)


def beta_below(x: FloatArray, a: FloatArray, b: FloatArray, density: FloatArray) -> FloatArray:
    """Return the share of a beta distribution below x, of parameters from 1 on, whose density at x is known.

    >>> one = np.ones(1)
    >>> round(float(beta_below(one / 4.0, one, one, one)[0]), 12)
    0.25
    """
    x, a, b, rest = (one[..., None] for one in (x, a - 1.0, b - 1.0, 1.0 - x))
    slope = b / rest - a / x
    side = np.where(slope >= 0.0, 1.0, -1.0)
    near, far = (np.where(side > 0.0, *ends) for ends in ((b / rest**2, a / x**2), (a / x**2, b / rest**2)))
    reach, behind = (np.where(side > 0.0, *ends) for ends in ((rest, x), (x, rest)))
    for _ in range(_NEARER):
        bend = near + far / (1.0 + reach / behind * 2.0 / 3.0)
        with np.errstate(divide="ignore"):  # of an even distribution, which does not fall
            reach = np.minimum(reach, 2.0 * _FORGOTTEN / (np.abs(slope) + np.sqrt(slope**2 + 2.0 * _FORGOTTEN * bend)))
    part = density * _beyond(lambda d: -a * np.log1p(side * d / x) - b * np.log1p(-side * d / rest), reach)
    return np.where(side[..., 0] > 0.0, 1.0 - part, part)


def _beyond(falls: Callable[[FloatArray], FloatArray], reach: FloatArray) -> FloatArray:
    """Return ∫ e^(−falls(d)) dd from 0 to `reach`, of shape (..., 1); the result is of shape (...).

    It is added up row by row, since a product of matrices rounds a row by those beside it.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((np.exp(-falls(reach * _NODES)) * _WEIGHTS).sum(axis=-1) * reach[..., 0])
