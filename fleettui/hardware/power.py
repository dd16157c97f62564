"""Power of one GPU: by the papers against the batch that it decodes, and back; by measurements from what it does."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fleettui.domain.hardware import PowerCurve
from fleettui.domain.power_law import PowerLaw

Floats = NDArray[np.float64]
MOST_WAITING = 0.95
"""Share of the time in which a GPU waits for its host at most."""


def power(curve: PowerCurve, batch: ArrayLike) -> Floats:
    """Return watts per GPU at a mean batch of `batch` sequences (> 0), broadcasting; no work draws idle power.

    The logistic of Hassan et al. (arXiv 2602.05116): idle + (nominal − idle)/(1 + exp(−k·(log2 b − x0))).

    >>> curve = PowerCurve(idle=300, nominal=600, steepness=1, midpoint=4.2, confidence="high")
    >>> [round(float(watts), 1) for watts in power(curve, [1, 128])]
    [304.4, 582.8]
    """
    count = np.asarray(batch, dtype=np.float64)
    if np.any(count < 0):
        raise AssertionError(f"a batch below zero: {count}")
    with np.errstate(divide="ignore", over="ignore"):
        exponent = -curve.steepness * (np.log2(count) - curve.midpoint)
        watts: Floats = curve.idle + (curve.nominal - curve.idle) / (1.0 + np.exp(exponent))
    return watts


def largest_batch(curve: PowerCurve, watts: float, *, most: int = 2**20) -> int | None:
    """Return the largest whole batch that draws at most `watts` per GPU, `most` at the utmost.

    None where even a batch of one draws more: no cap on the batch can reach that.
    """
    if float(power(curve, 1)) > watts:
        return None
    if float(power(curve, most)) <= watts:
        return most
    odds = (curve.nominal - curve.idle) / (watts - curve.idle) - 1.0
    batch = math.floor(math.exp2(curve.midpoint - math.log(odds) / curve.steepness))
    while float(power(curve, batch)) > watts:
        batch -= 1
    while float(power(curve, batch + 1)) <= watts:
        batch += 1
    return batch


def working_power(
    law: PowerLaw, *, arithmetic: ArrayLike, bandwidth: ArrayLike, waiting: ArrayLike, ways: ArrayLike
) -> Floats:
    """Return watts of a GPU that works all the time, one of `ways` that share each step, broadcasting.

    `arithmetic` and `bandwidth` are the shares of its peak and its bandwidth that it uses on average, `waiting` that of
    the time in which it waits for the host, h. A waiting GPU draws base = idle + limit·floor, and one that computes for
    the share b = (1 − h)·(1 − links·(1 − 1/ways)) of the time at most its limit in that: P = base + min(b·(limit −
    base), limit·(compute·arithmetic + bandwidth·(bandwidth use) + experts·b)), and no more than its cap.
    """
    used, read = np.asarray(arithmetic, float), np.asarray(bandwidth, float)
    share = np.clip(np.asarray(waiting, float), 0.0, MOST_WAITING)
    others = 1.0 - 1.0 / np.asarray(ways)
    if law.experts is None:
        return _earlier(law, used / (1.0 - share), read / (1.0 - share), share, others)
    base = law.idle + law.limit * law.floor
    busy = (1.0 - share) * (1.0 - law.links * others)
    drawn = law.limit * (law.compute * used + law.bandwidth * read + law.experts * busy)
    found: Floats = np.minimum(base + np.minimum(busy * (law.limit - base), drawn), law.most)
    return found


def _earlier(law: PowerLaw, used: Floats, read: Floats, waiting: Floats, others: Floats) -> Floats:
    """Return watts by the form that kept plans have: P = idle + limit·(1 − host·h)·(floor + compute·√(arithmetic) +
    bandwidth·(bandwidth use) + links·(1 − 1/ways)), the uses those while it does not wait.
    """
    drawn = law.floor + law.compute * np.sqrt(used) + law.bandwidth * read + law.links * others
    found: Floats = np.clip(law.idle + law.limit * (1.0 - law.host * waiting) * drawn, law.idle, law.most)
    return found
