"""Power of one GPU against the batch it decodes, and back."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fleettui.domain.hardware import PowerCurve


def power(curve: PowerCurve, batch: ArrayLike) -> NDArray[np.float64]:
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
        watts: NDArray[np.float64] = curve.idle + (curve.nominal - curve.idle) / (1.0 + np.exp(exponent))
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
