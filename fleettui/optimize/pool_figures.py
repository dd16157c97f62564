"""Figures of pools by formula: latencies at the percentile, implied MFU, power, what limits a pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fleettui.domain.hardware import Profile
from fleettui.domain.limit import ALWAYS, TTFT, Limit, further_latencies
from fleettui.domain.limiting import ONE_REPLICA
from fleettui.domain.plan import PoolFigures
from fleettui.optimize.hardware_use import bandwidth_use, mfu
from fleettui.optimize.terms import Terms
from fleettui.optimize.watts import working_watts
from fleettui.queueing import latency, tails
from fleettui.queueing.latency import PoolLoad

HIGH_USE = 0.6
API_PROCESS = "API process"
"""What limits a replica that computes tokens faster than they are handed out."""
LIMITED = ("utilization", "wait", "prefill", *(metric.name for metric in ALWAYS), "power", "api_use")
"""The figures that limits are on, with the parts of TTFT: of these the worst time slice counts."""


def pool_figures(load: PoolLoad, profile: Profile, terms: Terms, *, names: list[str], cap: int) -> list[PoolFigures]:
    """Return the figures of every row; `names` are the pools' names, `cap` the engine's own limit of sequences."""
    o, wait = load.occupancy, load.place.percentile(terms.exceeded)
    prefill = tails.percentile(load, latency.ttft_delay, terms.exceeded, place=False)
    ttft, tpot, e2e = (terms.percentile(load, metric.latency) for metric in ALWAYS)
    further = further_latencies(terms.limits, classed=load.classes is not None)
    own = [(one.name, load.has(batch=one.batch), terms.percentile(load, one)) for one in further]
    arithmetic, bandwidth = mfu(load, profile), bandwidth_use(load, profile)
    longest = latency.longest_step(load, float(load.service.token_budget.max()))
    watts = working_watts(profile, load)
    reasons = limits(load, terms, cap=cap)
    figures = [
        PoolFigures(
            name=name,
            arrival_rate=float(load.arrival_rate[i]),
            utilization=float(o.utilization[i]),
            batch=float(o.batch[i]),
            probability_of_wait=float(load.really_waits[i]),
            wait=float(wait[i]),
            prefill=float(prefill[i]),
            ttft=float(ttft[i]),
            tpot=float(tpot[i]),
            e2e=float(e2e[i]),
            mfu=float(arithmetic[i]),
            bandwidth_use=float(bandwidth[i]),
            longest_step=float(longest[i]),
            power=float(watts[i]),
            limited_by=reasons[i],
            margin=0.0,
            further=tuple((name, float(values[i])) for name, had, values in own if had[i]),
            api_use=float(o.by_api[i]),
        )
        for i, name in enumerate(names)
    ]
    return [replace(one, margin=_margin(one, terms)) for one in figures]


def worst(own: PoolFigures, slices: Sequence[PoolFigures], terms: Terms) -> PoolFigures:
    """Return a pool's figures in `own`, the time slice that asks most of it; those with a limit are its largest of all.

    `slices` are its figures in the other slices.
    """
    if not slices:
        return own
    every = (own, *slices)
    most = replace(own, **{name: max(getattr(one, name) for one in every) for name in LIMITED})
    columns = zip(*(one.further for one in every), strict=True)
    most = replace(most, further=tuple((column[0][0], max(value for _, value in column)) for column in columns))
    return replace(most, margin=_margin(most, terms))


def limits(load: PoolLoad, terms: Terms, *, cap: int) -> list[str]:
    """Return, per row, what one replica fewer would break, in words; "one replica" where there is only one.

    Where that would be busier than allowed, it is the latency that breaks before more traffic makes the row as busy as
    allowed, and the largest part of its work where none does.
    """
    less = load.resized(np.maximum(load.replicas - 1.0, 1.0))
    room = terms.has_room(less)
    less = _as_busy_as_allowed(load, less, room, terms)
    late = [(limit, ~terms.within(less, limit)) for limit in terms.limits]
    reasons = []
    for i in range(len(load.rows)):
        broken = next((limit for limit, rows in late if rows[i]), None)
        if load.replicas[i] <= 1.0:
            reasons.append(ONE_REPLICA)
        elif broken is not None:
            reasons.append(f"{broken.label}{_part(less, i, broken, terms)}")
        else:
            reasons.append("nothing by formula" if room[i] else _work(load, i, cap))
    return reasons


def _as_busy_as_allowed(load: PoolLoad, less: PoolLoad, room: np.ndarray, terms: Terms) -> PoolLoad:
    """Return the rows of `less` that have `room`, and those of `load` with traffic that makes them just so busy."""
    fuller = np.where(room, 1.0, terms.max_utilization / load.occupancy.utilization)
    return load.resized(np.where(room, less.replicas, load.replicas)).faster(fuller)


def _part(load: PoolLoad, row: int, limit: Limit, terms: Terms) -> str:
    """Return which part of a TTFT breaks its limit, nothing for another metric."""
    if limit.metric != TTFT.name:
        return ""
    waits = load.of_class(batch=limit.batch).place.percentile(terms.beyond(limit))[row] > 0.5 * limit.seconds
    return ": waiting" if waits else ": prefill"


def _work(load: PoolLoad, row: int, cap: int) -> str:
    """Return the largest part of a full replica's work."""
    s, m, o = load.service, load.moments, load.occupancy
    if o.by_api[row] > max(o.by_sequences[row], o.by_budget[row]):
        return API_PROCESS
    if o.by_budget[row] > o.by_sequences[row]:
        return "token budget"
    starved = s.concurrency[row] < cap
    parts = {
        "prefill compute": s.per_prompt[row] * m.uncached[row],
        "KV cache reads": s.per_context[row] * m.context[row],
        "KV memory" if starved else "weight reads": s.base[row] * m.steps[row] / s.concurrency[row],
    }
    return max(parts, key=lambda name: float(parts[name]))


def _margin(figures: PoolFigures, terms: Terms) -> float:
    """Return how far a pool is from the limit that its reason names, as a share of that limit."""
    label = figures.limited_by.split(":", maxsplit=1)[0]
    limit = next((one for one in terms.limits if one.label == label), None)
    if limit is None:
        return float(1.0 - figures.utilization / terms.max_utilization)
    return float(1.0 - figures.at(limit) / limit.seconds)
