"""Figures of pools: latencies at the percentile, use of the hardware, power, what keeps a pool from being smaller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fleettui.domain.hardware import Profile
from fleettui.domain.plan import PoolFigures
from fleettui.hardware.power import power
from fleettui.optimize.terms import Terms
from fleettui.queueing import latency, tails
from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.latency import PoolLoad

FULL_USE = 1.0
HIGH_USE = 0.6
LIMITED = ("utilization", "wait", "prefill", "ttft", "tpot", "e2e", "power")
"""The figures that limits are on, with the parts of TTFT: of these the worst time slice counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Latencies:
    """Wait, prefill, TTFT, TPOT and E2E per row, seconds at the terms' percentile."""

    wait: FloatArray
    prefill: FloatArray
    ttft: FloatArray
    tpot: FloatArray
    e2e: FloatArray

    @classmethod
    def of(cls, load: PoolLoad, terms: Terms) -> Latencies:
        """Evaluate every row of `load`."""
        q = terms.exceeded
        return cls(
            wait=load.place.percentile(q),
            prefill=tails.percentile(load, latency.ttft_delay, q, place=False),
            ttft=tails.percentile(load, latency.ttft_delay, q),
            tpot=latency.tpot_percentile(load, q),
            e2e=tails.percentile(load, latency.e2e_delay, q),
        )

    def of_metric(self, metric: str) -> FloatArray:
        """Return the array of ttft, tpot or e2e."""
        return {"ttft": self.ttft, "tpot": self.tpot, "e2e": self.e2e}[metric]


def mfu(load: PoolLoad, profile: Profile) -> FloatArray:
    """Return the arithmetic that the requests need over what the replicas' datasheet peak offers.

    Linear work of every computed token plus attention over its context. Above 1 is a bug: AssertionError. A pool that
    does not keep up does what it can.
    """
    m, rate = load.moments, _served(load)
    flops = profile.flops_per_token * (m.uncached + m.output - 1.0)
    flops = flops + profile.attention_flops * (m.pairs + m.decode_context)
    return _checked("MFU", rate * flops / profile.peak, load, profile)


def bandwidth_use(load: PoolLoad, profile: Profile) -> FloatArray:
    """Return the bytes that steps read (weights) and contexts (cache) over the replicas' datasheet bandwidth."""
    s, o, m = load.service, load.occupancy, load.moments
    rate = _served(load)
    steps = rate * m.steps / np.maximum(o.batch_over_steps, 1.0)
    touched = (s.base - profile.step.overhead) / (profile.step.weight_time + profile.step.expert_time)
    read = steps * touched * profile.bytes_per_step + rate * m.context * profile.kv_bytes_per_token
    return _checked("bandwidth use", read / profile.bandwidth, load, profile)


def _served(load: PoolLoad) -> FloatArray:
    """Return the requests per second that a replica gets through."""
    return load.arrival_rate / load.replicas / np.maximum(load.occupancy.utilization, 1.0)


def _checked(name: str, use: FloatArray, load: PoolLoad, profile: Profile) -> FloatArray:
    impossible = load.stable & (use > FULL_USE)
    assert not impossible.any(), f"{name} {use[impossible].max():.0%} of {profile.name}: no hardware does that"
    return use


def pool_figures(load: PoolLoad, profile: Profile, terms: Terms, *, names: list[str], cap: int) -> list[PoolFigures]:
    """Return the figures of every row; `names` are the pools' names, `cap` the engine's own limit of sequences."""
    o, found = load.occupancy, Latencies.of(load, terms)
    arithmetic, bandwidth = mfu(load, profile), bandwidth_use(load, profile)
    longest = latency.longest_step(load, float(load.service.token_budget.max()))
    watts = power(profile.power, np.maximum(o.batch_over_steps, 1.0)) * load.replicas * profile.tp
    reasons = limits(load, terms, cap=cap)
    figures = [
        PoolFigures(
            name=name,
            arrival_rate=float(load.arrival_rate[i]),
            utilization=float(o.utilization[i]),
            batch=float(o.batch[i]),
            probability_of_wait=float(load.really_waits[i]),
            wait=float(found.wait[i]),
            prefill=float(found.prefill[i]),
            ttft=float(found.ttft[i]),
            tpot=float(found.tpot[i]),
            e2e=float(found.e2e[i]),
            mfu=float(arithmetic[i]),
            bandwidth_use=float(bandwidth[i]),
            longest_step=float(longest[i]),
            power=float(watts[i]),
            limited_by=reasons[i],
            margin=0.0,
        )
        for i, name in enumerate(names)
    ]
    return [replace(one, margin=_margin(one, terms)) for one in figures]


def worst(own: PoolFigures, slices: Sequence[PoolFigures], terms: Terms) -> PoolFigures:
    """Return a pool's figures in `own`, the time slice that asks most of it; those with a limit are its largest of all.

    `slices` are its figures in the other slices.
    """
    most = replace(own, **{name: max(getattr(one, name) for one in (own, *slices)) for name in LIMITED})
    return replace(most, margin=_margin(most, terms))


def limits(load: PoolLoad, terms: Terms, *, cap: int) -> list[str]:
    """Return, per row, what one replica fewer would break, in words; "one replica" where there is only one."""
    less = load.resized(np.maximum(load.replicas - 1.0, 1.0))
    over = less.occupancy.utilization > terms.max_utilization * (1.0 + 1e-12)
    late = {
        "ttft": _misses(less, latency.ttft_delay, terms.ttft, terms),
        "e2e": _misses(less, latency.e2e_delay, terms.e2e, terms),
        "tpot": ~over
        & (latency.tpot_percentile(less, terms.exceeded) > (np.inf if terms.tpot is None else terms.tpot)),
    }
    reasons = []
    for i in range(len(load.rows)):
        if load.replicas[i] <= 1.0:
            reasons.append("one replica")
        elif late["ttft"][i]:
            waits = less.place.percentile(terms.exceeded)[i] > 0.5 * float(terms.ttft or 0.0)
            reasons.append("TTFT: waiting" if waits else "TTFT: prefill")
        elif late["tpot"][i]:
            reasons.append("TPOT")
        elif late["e2e"][i]:
            reasons.append("E2E")
        else:
            reasons.append(_work(load, i, cap) if over[i] else "nothing: it has room")
    return reasons


def _misses(load: PoolLoad, delay: latency.Delay, limit: float | None, terms: Terms) -> np.ndarray:
    """Return which rows miss `limit` although their utilization is within its cap."""
    misses = np.zeros(len(load.rows), bool)
    rows = np.flatnonzero(load.occupancy.utilization <= terms.max_utilization * (1.0 + 1e-12))
    if limit is not None and len(rows):
        misses[rows] = ~tails.within(load.pick(rows), delay, limit, terms.exceeded)
    return misses


def _work(load: PoolLoad, row: int, cap: int) -> str:
    """Return the largest part of a full replica's work."""
    s, m, o = load.service, load.moments, load.occupancy
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
    metric = figures.limited_by.split(":", maxsplit=1)[0].lower()
    limit = {"ttft": terms.ttft, "tpot": terms.tpot, "e2e": terms.e2e}.get(metric)
    if limit is None:
        return float(1.0 - figures.utilization / terms.max_utilization)
    return float(1.0 - getattr(figures, metric) / limit)
