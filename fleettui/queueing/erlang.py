"""Erlang's formula for any number of servers, without a loop over them.

Erlang C is written with the Poisson probability p = e^(−a) a^c / c! and the incomplete gamma function
Q(c, a) = P(Poisson(a) < c):  C = p / (p + (1 − ρ) Q(c, a)) with ρ = a/c.  Both terms are positive, so nothing
cancels. p follows Loader, "Fast and accurate computation of binomial probabilities" (2000): the deviance and
Stirling's error are computed apart, which keeps full precision for millions of servers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from fleettui.queueing.arrays import FloatArray

_SMALL = 16
_SERIES_REACH = 0.1
_SERIES_TERMS = 10
_STIRLING = (1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12)


def erlang_c(servers: ArrayLike, offered_load: ArrayLike) -> FloatArray:
    """Return the probability that an arrival waits in M/M/c (Erlang 1917); 1 where the load reaches the servers.

    Broadcasts over positive `servers` (whole or not) and `offered_load` ≥ 0. Exact to about 1e-13.

    >>> round(float(erlang_c(2, 1)), 6)
    0.333333
    >>> round(float(erlang_c(80, 63.31)), 6)
    0.027974
    """
    c, a = np.broadcast_arrays(np.asarray(servers, float), np.asarray(offered_load, float))
    stable = a < c
    load = np.where(stable, a, 0.0)
    p = _poisson(c, load)
    idle = (1.0 - load / c) * special.gammaincc(c, load)
    return np.where(stable, p / (p + idle), 1.0)


def _poisson(c: FloatArray, a: FloatArray) -> FloatArray:
    """Return e^(−a) a^c / Γ(c + 1) to full precision, 0 at a = 0."""
    positive = np.where(a > 0, a, 1.0)
    exponent = -_stirling_error(c) - _deviance(c, positive)
    return np.where(a > 0, np.exp(exponent) / np.sqrt(2.0 * np.pi * c), 0.0)


def _stirling_error(c: FloatArray) -> FloatArray:
    """Return ln Γ(c + 1) − (½ ln(2πc) + c ln c − c): direct below 16, Stirling's series above."""
    direct = special.gammaln(c + 1.0) - (0.5 * np.log(2.0 * np.pi * c) + c * np.log(c) - c)
    large = np.maximum(c, _SMALL)
    series = np.polyval(_STIRLING, large**-2) / large
    return np.where(c < _SMALL, direct, series)


def _deviance(c: FloatArray, a: FloatArray) -> FloatArray:
    """Return c ln(c/a) + a − c ≥ 0, by a series in (c − a)/(c + a) where the two are close (Loader's bd0)."""
    ratio = (c - a) / (c + a)
    near = np.abs(ratio) < _SERIES_REACH
    v = np.where(near, ratio, 0.0)
    term, total = 2.0 * c * v, (c - a) * v
    for k in range(1, _SERIES_TERMS):
        term = term * v * v
        total = total + term / (2 * k + 1)
    far = c * np.log(c / a) + a - c
    return np.where(near, total, far)
