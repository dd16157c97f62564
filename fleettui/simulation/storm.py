"""The worst minutes of a run in which requests come again, beside the same requests where nobody does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.slo import Slo
from fleettui.domain.storm import Storm
from fleettui.domain.stretch import SPAN
from fleettui.simulation.measure import Latencies


@dataclass(frozen=True, slots=True, kw_only=True)
class Stays:
    """Measured `requests` of a pool, by when they first came, and the `attempts` of each: shape (requests,)."""

    requests: Any
    attempts: NDArray[np.int32]


def storm_of(stays: Stays, without: Stays, slo: Slo, front_end: float) -> Storm | None:
    """Return the worst SPAN of requests that come again, None where there are none; `without` are those that do not.

    Spans are counted from the first of the requests; a run that is shorter is one. The worst is that in which the least
    share of those who first came in it kept every limit.
    """
    if not len(stays.requests):
        return None
    spans, seconds = _spans(stays)
    met = _share(spans, Latencies.of(stays.requests, front_end).kept(slo))
    worst = int(np.nanargmin(met))
    calm = _share(_spans(without)[0], Latencies.of(without.requests, front_end).kept(slo))
    return Storm(
        seconds=seconds,
        met=float(met[worst]),
        attempts=float(_share(spans, stays.attempts)[worst]),
        without=float(np.nanmin(calm)),
    )


def _spans(stays: Stays) -> tuple[NDArray[np.int64], float]:
    """Return in which span each request first came, and the seconds of a span."""
    arrival = stays.requests["arrival"] - stays.requests["arrival"].min()
    count = max(int(arrival.max() / SPAN), 1)
    place = np.minimum((arrival / SPAN).astype(np.int64), count - 1)
    return place, SPAN if count > 1 else float(arrival.max())


def _share(spans: NDArray[np.int64], values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the mean of the values in each span, NaN where nobody came."""
    with np.errstate(invalid="ignore"):
        return np.bincount(spans, values) / np.bincount(spans)
