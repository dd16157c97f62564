"""Pools played over a stretch of time in which replicas may go and come back, and what was seen of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.failing import PoolCount
from fleettui.domain.slo import Slo
from fleettui.domain.stretch import SPAN, Bin, Burst, Change, Phase, PoolStretch
from fleettui.simulation.conservation import check_elastic
from fleettui.simulation.curve import Curve
from fleettui.simulation.draws import Draws
from fleettui.simulation.elastic import ElasticPool
from fleettui.simulation.histogram import histogram
from fleettui.simulation.layout import Engine
from fleettui.simulation.measure import Latencies
from fleettui.simulation.percentiles import percentile

Floats = NDArray[np.float64]
ROUNDING = 1e-9


def play(
    engine: Engine, draws: Draws, replicas: int, changes: Sequence[Change], slower: Curve | None = None
) -> ElasticPool:
    """Return a pool after all its requests; `engine` is one replica's rows, `replicas` are sent requests at first.

    Where changes slow it down, or no longer, its steps take the seconds of `slower`, or its own.

    As many wait as there are: nothing is rejected for want of room. The changes are in the order of their moments.
    Raises AssertionError where a request or a block is lost in the count.
    """
    counts = [replicas, *(one.serving for one in changes)]
    drained = sum(max(0, before - one.serving) for before, one in zip(counts, changes, strict=False) if not one.lost)
    most = max(counts) + drained
    pool = ElasticPool.of(engine, draws, replicas=replicas, most=most)
    for one in changes:
        pool.advance(one.moment)
        if one.places is not None:
            pool.limit(one.places)
        curve = slower if one.slower else engine.curve
        if slower is not None and curve is not None:
            pool.retime(curve)
        while pool.serving > one.serving:
            pool.lose() if one.lost else pool.drain()
        while pool.serving < one.serving:
            pool.add()
    pool.advance(math.inf)
    check_elastic(pool)
    return pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """The requests of a pool's run by their times, seconds from when it was warm; arrays of shape (requests,).

    A request is in the pool from its `arrival` until it `left`, served or lost, and waits until it is `placed` or has
    left.
    """

    arrival: Floats
    placed: Floats
    left: Floats

    @classmethod
    def of(cls, pool: ElasticPool, warm: float) -> Course:
        """Return the times of a pool that was played."""
        requests = pool.state.requests
        left = np.where(np.isfinite(requests["finish"]), requests["finish"], requests["arrival"])
        for moment, gone in pool.losses:
            left[gone] = moment
        placed = np.where(np.isfinite(requests["admitted"]), requests["admitted"], left)
        return cls(arrival=requests["arrival"] - warm, placed=placed - warm, left=left - warm)

    def present(self, moments: Floats) -> NDArray[np.int64]:
        """Return how many requests are in the pool at each moment."""
        came = np.searchsorted(self.arrival, moments, side="right")
        return came - np.searchsorted(np.sort(self.left), moments, side="right")

    def mean_present(self, start: float, end: float) -> float:
        """Return how many requests are in the pool from `start` to `end`, on average over time."""
        there = np.minimum(self.left, end) - np.maximum(self.arrival, start)
        return float(np.maximum(there, 0.0).sum() / (end - start))

    def waiting(self) -> NDArray[np.int64]:
        """Return how many requests wait just after each arrival: the most that wait until the next."""
        came = np.searchsorted(self.arrival, self.arrival, side="right")
        return came - np.searchsorted(np.sort(self.placed), self.arrival, side="right")

    def recovered(self, burst: Burst) -> float | None:
        """Return the seconds from the window's end until no more are present than on average before it began.

        None where the run ended first.
        """
        level = self.mean_present(0.0, burst.start)
        moments = np.sort(self.left)
        moments = np.append(burst.over, moments[(moments > burst.over) & (moments <= burst.end)])
        low = np.flatnonzero(self.present(moments) <= level)
        return float(moments[low[0]] - burst.over) if len(low) else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Played:
    """A pool of a fleet after its run through a window, `burst`, that was warm after `warm` seconds."""

    name: str
    pool: ElasticPool
    burst: Burst
    warm: float
    front_end: float = 0.0


def seen(fleet: Sequence[Played], *, slo: Slo, step: float) -> tuple[PoolStretch, ...]:
    """Return what a run of every pool of a fleet showed, with bins of `step` seconds.

    The fleet recovers until the last of its pools has.
    """
    courses = [Course.of(one.pool, one.warm) for one in fleet]
    recovered = [course.recovered(one.burst) for course, one in zip(courses, fleet, strict=True)]
    back = max(
        one.burst.end if own is None else one.burst.over + own for own, one in zip(recovered, fleet, strict=True)
    )
    return tuple(
        _seen(one, course, recovered=own, back=back, slo=slo, step=step)
        for one, course, own in zip(fleet, courses, recovered, strict=True)
    )


def _seen(
    played: Played, course: Course, *, recovered: float | None, back: float, slo: Slo, step: float
) -> PoolStretch:
    """Return what a pool's run showed whose fleet has recovered at `back`."""
    pool, burst, requests = played.pool, played.burst, played.pool.state.requests
    inside = (course.arrival >= 0.0) & (course.arrival < burst.end)
    served = np.isfinite(requests["finish"])
    latencies = Latencies.of(requests, played.front_end)
    met = served & latencies.kept(slo)
    gone = _gone(pool)
    edges = (0.0, burst.start, burst.over, back, burst.end)
    counted_at = np.where(gone, course.left, course.arrival)  # who is lost when replicas fail is not of the time before
    phase = np.searchsorted(np.array(edges[1:-1]), counted_at, side="right")
    phases = tuple(
        _phase(latencies, inside & (phase == place), served, met, edges[place + 1] - edges[place])
        for place in range(len(edges) - 1)
    )
    waiting, arrival = course.waiting(), course.arrival[inside]
    ttft = latencies.metrics["ttft"][inside]
    return PoolStretch(
        name=played.name,
        phases=phases,
        bins=_bins(arrival, met[inside], waiting[inside], ttft, share=slo.percentile, step=step, end=burst.end),
        spans=_spans(arrival, met[inside], burst.end),
        waiting=int(waiting[inside & (course.arrival >= burst.start)].max(initial=0)),
        recovered=recovered,
        rejected=int((inside & ~served & ~gone).sum()),
        lost=int((inside & gone).sum()),
    )


def counted(pool: ElasticPool, *, warm: float, end: float, slo: Slo, front_end: float = 0.0) -> PoolCount:
    """Return where the requests ended that came in the `end` seconds after a run was warm."""
    requests = pool.state.requests
    arrival, served = requests["arrival"] - warm, np.isfinite(requests["finish"])
    inside, gone = (arrival >= 0.0) & (arrival < end), _gone(pool)
    met = inside & served & Latencies.of(requests, front_end).kept(slo)
    return PoolCount(
        offered=int(inside.sum()),
        met=int(met.sum()),
        rejected=int((inside & ~served & ~gone).sum()),
        lost=int((inside & gone).sum()),
        spans=_spans(arrival[inside], met[inside], end),
    )


def _gone(pool: ElasticPool) -> NDArray[np.bool_]:
    """Return which requests were lost."""
    gone = np.zeros(len(pool.state.requests), bool)
    gone[[one for _, those in pool.losses for one in those]] = True
    return gone


def _phase(
    latencies: Latencies, own: NDArray[np.bool_], served: NDArray[np.bool_], met: NDArray[np.bool_], seconds: float
) -> Phase:
    def cells(metric: str) -> Floats:
        values = latencies.metrics[metric][own & served]
        return values[np.isfinite(values)]

    return Phase(
        seconds=seconds,
        offered=int(own.sum()),
        met=int((own & met).sum()),
        ttft=histogram("ttft", cells("ttft")),
        tpot=histogram("tpot", cells("tpot")),
    )


def _bins(
    arrival: Floats,
    met: NDArray[np.bool_],
    waiting: NDArray[np.int64],
    ttft: Floats,
    *,
    share: float,
    step: float,
    end: float,
) -> tuple[Bin, ...]:
    """Return the bins of requests in the order of their arrival; `share` is the percentile of the TTFT."""
    edges = np.searchsorted(arrival, np.arange(1, math.ceil(end / step - ROUNDING)) * step, side="left")
    found = []
    for own in np.split(np.arange(len(arrival)), edges):
        seconds = ttft[own]
        found.append(
            Bin(
                offered=len(own),
                met=int(met[own].sum()),
                waiting=int(waiting[own].max(initial=0)),
                ttft=percentile(seconds[np.isfinite(seconds)], share),
            )
        )
    return tuple(found)


def _spans(arrival: Floats, met: NDArray[np.bool_], end: float) -> tuple[tuple[int, int], ...]:
    """Return (offered, met) of each whole SPAN, at least of one."""
    count = max(int(end / SPAN), 1)
    place = np.minimum((arrival / SPAN).astype(np.int64), count - 1)
    offered, kept = np.bincount(place, minlength=count), np.bincount(place[met], minlength=count)
    return tuple(zip(offered.tolist(), kept.tolist(), strict=True))
