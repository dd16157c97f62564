"""Erlang's formulas for any number of servers, without a loop over them.

Erlang B and C are written with the Poisson probability p = e^(−a) a^c / c! and the incomplete gamma function
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


def erlang_b(servers: ArrayLike, offered_load: ArrayLike) -> FloatArray:
    """Return the share of arrivals lost by `servers` servers without a queue (Erlang 1917).

    `offered_load` a = arrival rate × mean service time, a ≥ 0; broadcasts. Exact to about 1e-13.

    >>> round(float(erlang_b(2, 1)), 6)
    0.2
    """
    c, a = np.broadcast_arrays(np.asarray(servers, float), np.asarray(offered_load, float))
    p = _poisson(c, a)
    return np.asarray(p / (p + special.gammaincc(np.maximum(c, 1.0), a)))


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
    p = _poisson(c, np.where(stable, a, 0.0))
    idle = (1.0 - a / c) * special.gammaincc(c, np.where(stable, a, 0.0))
    waits = np.where(a > 0, p / np.where(stable, p + idle, 1.0), 0.0)
    return np.where(stable, waits, 1.0)


def servers_for(offered_load: float, probability: float) -> int:
    """Return the smallest whole number of servers at which at most `probability` of arrivals wait.

    Bisection over the closed form: O(log c) evaluations. Raises AssertionError outside 0 < probability < 1.

    >>> servers_for(20, 0.10)
    27
    """
    assert 0 < probability < 1, probability
    assert offered_load >= 0, offered_load
    low = int(np.floor(offered_load))
    step = 1
    while float(erlang_c(low + step, offered_load)) > probability:
        step *= 2
    high = low + step
    low = low + step // 2 if step > 1 else low
    while high - low > 1:
        middle = (low + high) // 2
        if float(erlang_c(middle, offered_load)) > probability:
            low = middle
        else:
            high = middle
    return high


def offered_load_for(servers: float, probability: float) -> float:
    """Return the offered load at which exactly `probability` of arrivals wait: the inverse of `erlang_c` in a.

    Accurate to 1e-12 of the number of servers (Brent's method).

    >>> round(offered_load_for(2, 1 / 3), 9)
    1.0
    """
    assert 0 < probability < 1, probability
    assert servers > 0, servers
    from scipy import optimize  # a fifth of a second to load, and no plan needs it

    def excess(load: float) -> float:
        return float(erlang_c(servers, load)) - probability

    return float(optimize.brentq(excess, 0.0, servers * (1 - 1e-15), xtol=1e-13 * servers, rtol=8.9e-16))


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
