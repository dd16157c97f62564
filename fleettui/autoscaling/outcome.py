"""What became of the requests of a day that was played: which were served in time, how late first tokens came."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.autoscale import SPAN
from fleettui.domain.simulation import Histogram
from fleettui.domain.slo import Slo
from fleettui.simulation.histogram import histogram
from fleettui.simulation.measure import Latencies
from fleettui.simulation.records import Records, parts


class Outcome(NamedTuple):
    """Of each request whether it was `met`, served within every limit, and whether `within` the day, too.

    Both have a place per request; `ttft` has the first tokens of all that were served.
    """

    met: NDArray[np.bool_]
    within: NDArray[np.bool_]
    ttft: Histogram

    @classmethod
    def of(cls, requests: Records, slo: Slo, *, end: float, front_end: float = 0.0) -> Outcome:
        """Return the outcome of the records of a day of so many seconds; each spends `front_end` before a replica."""
        names = ("ttft", *(one.metric for one in slo.shared()))
        met, within = np.zeros(len(requests), bool), np.zeros(len(requests), bool)
        ttft, told = np.empty(len(requests)), 0
        for part in parts(len(requests)):
            own = requests[part]
            finite = np.isfinite(own["finish"])
            served: slice | NDArray[np.bool_] = slice(None) if finite.all() else finite
            own = own[served]
            latencies = Latencies.of(own, front_end, names)
            kept = latencies.kept(slo)
            met[part][served] = kept
            within[part][served] = kept & (own["finish"] <= end)
            values = latencies.defined("ttft")
            ttft[told : told + len(values)] = values
            told += len(values)
        return cls(met, within, histogram("ttft", ttft[:told]))

    def by_span(self, arrivals: NDArray[np.float64], spans: int) -> tuple[tuple[int, int], ...]:
        """Return of each SPAN the requests that came in it, at these rising times, and those of them that were met."""
        edges = np.append(np.searchsorted(arrivals, np.arange(spans) * SPAN), len(arrivals)).tolist()
        return tuple((last - first, int(np.count_nonzero(self.met[first:last]))) for first, last in pairwise(edges))
