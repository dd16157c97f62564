"""A run that was served, played again by the engine, and the differences request by request."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.against import Batch, Beside, Worst
from fleettui.domain.features import Features
from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.limit import ALWAYS
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import Engine
from fleettui.simulation.offload import with_offload
from fleettui.simulation.run import play

Floats = NDArray[np.float64]

SHARES = (0.5, 0.9, 0.99)
"""The percentiles that are told, of latencies and of their differences."""
WORST, SPANS = 5, 40
"""How many requests are told of each latency, and the spans of the run in which batches are."""
LEAST = 1e-3
"""Seconds below which a difference is no share of what was measured."""
SERVED = np.dtype([(name, "f8") for name in ("arrival", "first", "finish")] + [("prompt", "i4"), ("output", "i4")])
"""A request as it was served, times from the start of the run."""


def played(
    fleet: Fleet,
    profiles: Sequence[Profile | None],
    run: Any,
    clients: int,
    *,
    seed: int = 1,
    kv_offload: str = "",
    features: Features = Features(),  # noqa: B008
) -> tuple[Any, int]:
    """Return the requests of a `run` (records of SERVED, by their arrival) as the engine serves them on a fleet.

    They come at their times, or as so many `clients` have their answers. Also returns how many were preempted; what
    these had cached is moved to the memory `kv_offload` where one is said. Engines have the `features`.
    """
    total = run["prompt"].astype(np.int64) + run["output"]
    pool = np.searchsorted([one.up_to for one in fleet.pools], total).astype(np.int32)
    engines = []
    for one, profile in zip(fleet.pools, profiles, strict=True):
        own = Engine.of(one, fleet.admission, fleet.router, profile, fleet.router_refresh)
        engines.append(features.engine(with_offload(own, kv_offload, one, profile), one))
    draws = Draws(
        prompt=run["prompt"].copy(),
        cached=np.zeros(len(run), np.int32),
        output=run["output"].copy(),
        pool=pool,
        tie=np.random.default_rng(seed).random(len(run)),
        arrivals=None if clients else run["arrival"].copy(),
        clients=clients,
        thinking=np.zeros(len(run)),
    )
    state = play(engines, draws, 0, len(run)).state
    found = np.zeros(len(run), SERVED)
    in_front = np.array([one.profile.front_end for one in fleet.pools])[state.requests["pool"]]
    for name in ("arrival", "prompt", "output"):
        found[name] = state.requests[name]
    for name in ("first", "finish"):
        found[name] = state.requests[name] + in_front
    return found, int(state.pools["preempted"].sum())


def compared(run: Any, engine: Any) -> tuple[Beside, ...]:
    """Return every latency of a run beside the engine's, records of SERVED in the same order."""
    return tuple(_beside(metric, *_pair(metric, run, engine)) for metric in (one.name for one in ALWAYS))


def worst(run: Any, engine: Any, rows: NDArray[np.int64]) -> tuple[Worst, ...]:
    """Return the requests with the largest differences, WORST of each latency; `rows` are their rows in the file."""
    found = []
    for metric in (one.name for one in ALWAYS):
        theirs, ours = _seconds(metric, run), _seconds(metric, engine)
        apart = np.nan_to_num(np.abs(ours - theirs), nan=-1.0)
        for at in np.argsort(-apart, kind="stable")[:WORST].tolist():
            if apart[at] < 0.0:
                continue
            found.append(
                Worst(
                    row=int(rows[at]) + 1,
                    arrival=float(run["arrival"][at]),
                    prompt=int(run["prompt"][at]),
                    output=int(run["output"][at]),
                    metric=metric,
                    run=float(theirs[at]),
                    engine=float(ours[at]),
                )
            )
    return tuple(found)


def batches(run: Any, engine: Any) -> tuple[Batch, ...]:
    """Return how many requests wait and decode in SPANS of the time that both take, on average."""
    end = float(max(run["finish"].max(), engine["finish"].max()))
    edges = np.linspace(0.0, end, SPANS + 1)
    theirs, ours = (
        [_present(one["arrival"], one["first"], edges), _present(one["first"], one["finish"], edges)]
        for one in (run, engine)
    )
    rows = zip(edges[:-1].tolist(), *(one.tolist() for one in (*theirs, *ours)), strict=True)
    return tuple(Batch(start=start, run_waiting=a, run_decoding=b, waiting=c, decoding=d) for start, a, b, c, d in rows)


def _present(start: Floats, end: Floats, edges: Floats) -> Floats:
    """Return how many of the spans [start, end) are open on average between each two edges."""
    inside = [
        np.clip(np.minimum(end, after) - np.maximum(start, before), 0.0, None).sum()
        for before, after in pairwise(edges.tolist())
    ]
    return np.asarray(inside / np.diff(edges))


def _seconds(metric: str, served: Any) -> Floats:
    """Return a latency of every request, NaN for one that has none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if metric == "ttft":
            return np.asarray(served["first"] - served["arrival"])
        if metric == "e2e":
            return np.asarray(served["finish"] - served["arrival"])
        return np.where(served["output"] > 1, (served["finish"] - served["first"]) / (served["output"] - 1), np.nan)


def _pair(metric: str, run: Any, engine: Any) -> tuple[Floats, Floats]:
    theirs, ours = _seconds(metric, run), _seconds(metric, engine)
    known = np.isfinite(theirs)
    return theirs[known], ours[known]


def _beside(metric: str, theirs: Floats, ours: Floats) -> Beside:
    if not len(theirs):
        return Beside(metric=metric, requests=0, run=(), engine=(), off=(), bias=0.0)
    off = np.abs(ours - theirs) / np.maximum(theirs, LEAST)
    return Beside(
        metric=metric,
        requests=len(theirs),
        run=_summary(theirs),
        engine=_summary(ours),
        off=tuple(float(np.quantile(off, share, method="inverted_cdf")) for share in SHARES),
        bias=float(ours.mean() / max(theirs.mean(), LEAST) - 1.0),
    )


def _summary(values: Floats) -> tuple[float, ...]:
    """Return the mean and the percentiles."""
    ends = (float(np.quantile(values, share, method="inverted_cdf")) for share in SHARES)
    return (float(values.mean()), *ends)
