"""Renewal arrivals with Weibull gaps, as measured request streams have been fitted."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from fleettui.workloads.arrivals.process import ArrivalProcess, Stream, Variation

LEAST_SHAPE, MOST_SHAPE = 0.1, 40.0
HALVINGS = 60


@cache
def shape_of(cv: float) -> float:
    """Return the shape k of Weibull gaps of a coefficient of variation: cv² = Γ(1 + 2/k)/Γ(1 + 1/k)² − 1.

    >>> round(shape_of(1.0), 12)
    1.0
    """
    low, high = LEAST_SHAPE, MOST_SHAPE
    for _ in range(HALVINGS):
        middle = math.sqrt(low * high)
        varied = math.exp(math.lgamma(1.0 + 2.0 / middle) - 2.0 * math.lgamma(1.0 + 1.0 / middle)) - 1.0
        low, high = (middle, high) if varied > cv**2 else (low, middle)
    return math.sqrt(low * high)


def times(draws: Any, requests: int, stream: Stream, /) -> Any:
    """Return sums of Weibull gaps."""
    shape = shape_of(stream.cv)
    return draws.weibull(shape, requests).cumsum() / (math.gamma(1.0 + 1.0 / shape) * stream.rate)


PROCESS = ArrivalProcess(
    name="weibull",
    help="such gaps by Weibull: weibull:cv=2",
    noun="Weibull",
    times=times,
    vary=lambda stream: Variation(excess=stream.cv**2 - 1.0),
    takes_cv=True,
)
