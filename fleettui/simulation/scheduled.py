"""One replication of a fleet, told by what schedulers change: waits by mean and tail, of requests and of sessions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.schedulers import FIGURES, ScheduledRun
from fleettui.domain.simulation import PoolLength, Traffic
from fleettui.simulation.coming_order import order_of
from fleettui.simulation.measure import Latencies
from fleettui.simulation.percentiles import percentile
from fleettui.simulation.run import Played, played_alone, played_together

Floats = NDArray[np.float64]
PER = 1000.0


def scheduled(
    fleet: Fleet,
    traffic: Traffic,
    lengths: Sequence[PoolLength],
    *,
    profiles: Sequence[Profile | None],
    seed: int,
    index: int,
) -> ScheduledRun:
    """Return what replication `index` of `fleet` shows under `traffic`, all pools in one stream.

    Pools that a trace with prefixes is sent to are each played by themselves.
    """
    if traffic.prefixes is None:
        runs = [played_together(fleet, traffic, lengths, profiles, seed=seed, index=index)]
    else:
        pairs = zip(lengths, profiles, strict=True)
        runs = [
            played_alone(fleet, traffic, place, length, profile, seed=seed, index=index)[0]
            for place, (length, profile) in enumerate(pairs)
        ]
    in_front = [pool.profile.front_end for pool in fleet.pools]
    each = [_latencies(one, in_front[place:]) for place, one in enumerate(runs)]
    ttft = np.concatenate([found.metrics["ttft"] for found in each])
    tpot = np.concatenate([found.metrics["tpot"] for found in each])
    batch = np.concatenate([found.batch for found in each])
    offered = len(ttft)
    preempted = sum(int(flow.end["preempted"] - flow.start["preempted"]) for one in runs for flow in one.flows)
    made = sum(
        (flow.rate("decoded") + flow.rate("completed")) * int(flow.end["replicas"])
        for one in runs
        for flow in one.flows
    )
    of_sessions = session_means(runs[0], ttft) if traffic.sessions is not None else np.zeros(0)
    found = {
        "ttft_mean": _mean(ttft[~batch]),
        "ttft_p99": _percentile(ttft[~batch], 0.99),
        "session_ttft": _mean(of_sessions),
        "session_ttft_p95": _percentile(of_sessions, 0.95),
        "batch_ttft": _mean(ttft[batch]),
        "tpot_mean": _mean(tpot[~batch]),
        "tpot_p99": _percentile(tpot[~batch], 0.99),
        "throughput": made,
        "preemptions": PER * preempted / offered,
    }
    return ScheduledRun(index=index, values=tuple(found[one.name] for one in FIGURES))


def _latencies(played: Played, in_front: Sequence[float]) -> Latencies:
    """Return those of the measured requests, each behind the front end of its pool."""
    measured = played.state.requests[played.first : played.last]
    return Latencies.of(measured, np.array(in_front)[measured["pool"]])


def session_means(played: Played, ttft: Floats) -> Floats:
    """Return the mean TTFT of each session's measured rounds, in seconds; `ttft` are those of the measured requests."""
    own = played.state.sessions
    assert own is not None, "requests come in sessions"
    session = np.arange(len(own.then))
    for index, later in enumerate(own.then.tolist()):
        if later >= 0:
            session[later] = session[index]
    ids = session[order_of(own.came)[played.first : played.last]]
    served = np.isfinite(ttft)
    counts = np.bincount(ids[served])
    sums = np.bincount(ids[served], weights=ttft[served])
    return np.asarray(sums[counts > 0] / counts[counts > 0])


def _mean(values: Floats) -> float | None:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else None


def _percentile(values: Floats, share: float) -> float | None:
    return percentile(values[np.isfinite(values)], share)
