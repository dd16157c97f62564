"""What a run showed of one pool: latencies of its measured requests, its flows between two moments, its implied MFU."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.fleet import Pool
from fleettui.domain.hardware import Profile
from fleettui.domain.limit import ALWAYS, METRICS, Limit, further_latencies
from fleettui.domain.simulation import PoolRun, PoolTraffic
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.hardware.step_cost import affine
from fleettui.queueing.moments import RequestTable
from fleettui.simulation.classes import attainments
from fleettui.simulation.histogram import histogram
from fleettui.simulation.link_figures import link_of
from fleettui.simulation.percentiles import percentile
from fleettui.simulation.records import parts

Floats = NDArray[np.float64]

ROUNDING = 1e-9
ALL = METRICS.names
"""The latencies that requests may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Latencies:
    """Seconds per measured request: the wait, and by name each metric, NaN for a request that does not have it.

    `batch` says which requests are of class batch.
    """

    wait: Floats
    metrics: Mapping[str, Floats]
    batch: NDArray[np.bool_]

    @classmethod
    def of(cls, requests: Any, front_end: float | Floats = 0.0, only: Collection[str] = ALL) -> Latencies:
        """Return the latencies of `requests`, records of the layout, each `front_end` seconds before a replica.

        There are `only` these metrics. One that was not served has none. The wait is that for a place on the replica.
        """
        wanted = [metric for metric in METRICS if metric.name in only]
        count = len(requests)
        in_front: Any = np.broadcast_to(front_end, count)
        wait, metrics = np.empty(count), {metric.name: np.empty(count) for metric in wanted}
        for part in parts(count):
            own = requests[part]
            wait[part] = np.where(np.isfinite(own["finish"]), own["admitted"] - own["arrival"], np.nan)
            with np.errstate(divide="ignore", invalid="ignore"):
                for metric in wanted:
                    values = metric.seconds(own, in_front[part])
                    metrics[metric.name][part] = np.where(np.isfinite(values), values, np.nan)
        return cls(wait=wait, metrics=metrics, batch=np.array(requests["batch"]))

    def of_class(self, *, batch: bool) -> Latencies:
        """Return those of the requests of one class: all, where no request is of class batch and its are not wanted."""
        own = self.batch if batch else ~self.batch
        return self if own.all() else self._of(own if own.any() else slice(0))

    def _of(self, own: NDArray[np.bool_] | slice) -> Latencies:
        metrics = {name: values[own] for name, values in self.metrics.items()}
        return Latencies(wait=self.wait[own], metrics=metrics, batch=self.batch[own])

    @property
    def unserved(self) -> int:
        """How many requests were not served."""
        return int((~np.isfinite(self.wait)).sum())

    def defined(self, metric: str) -> Floats:
        """Return the seconds of the requests that have a metric."""
        values = self.metrics[metric]
        has = np.isfinite(values)
        return values if has.all() else values[has]

    def kept(self, slo: Slo) -> NDArray[np.bool_]:
        """Return which requests keep every limit at the SLO's percentile; one without a metric cannot break its limit.

        Those of class batch have limits of their own. One that was not served keeps none.
        A limit at another percentile is one on all requests together, which none of them keeps alone.
        """
        kept = np.isfinite(self.wait)
        for limit in slo.shared():
            kept &= ~(self.metrics[limit.metric] > limit.seconds) | self.batch
        for limit in slo.shared(batch=True):
            kept &= ~(self.metrics[limit.metric] > limit.seconds) | ~self.batch
        return kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """How many measured requests were turned away for good, and of how many the clients left for good.

    `retried` came again, and `attempts` are all that were made.
    """

    rejected: int = 0
    timed_out: int = 0
    retried: int = 0
    attempts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """A pool's records at the start and the end of the measured seconds between them."""

    start: Any
    end: Any
    seconds: float

    def rate(self, name: str) -> float:
        """Return how much of a sum was added per second and replica, or lane of one that runs several batches."""
        return float(self.end[name] - self.start[name]) / (self.seconds * int(self.end["replicas"]))


def told(slo: Slo) -> set[str]:
    """Return the names of the latencies that a run tells of a pool: some always, others where the SLO limits them."""
    return {one.name for one in ALWAYS} | {one.metric for one in slo.limits()}


def pool_run(
    pool: Pool,
    *,
    traffic: PoolTraffic,
    prefix_hit: float | None,
    profile: Profile | None,
    latencies: Latencies,
    flow: Flow,
    slo: Slo,
    missed: Missed | None = None,
    spilled: int = 0,
    misrouted: int = 0,
    kv_offload: str = "",
) -> PoolRun:
    """Return what one replication showed of `pool`; `profile` is its hardware, where that is known.

    `prefix_hit` is the share of prompt tokens that is cached, None where that is a result.
    `missed` are the requests that were not served, None where nothing bounds their stay, `spilled` those of another
    pool's lengths, `misrouted` those that outgrew the pool, `kv_offload` is the memory beside, as it is said. Latencies
    are those of the interactive requests where others are of class batch.
    Raises InputError where a given profile has the hardware do more than its peak; one of our own that does is a bug,
    AssertionError.
    """
    found = hit_share(flow) if prefix_hit is None else None
    prefix_hit = found or 0.0 if prefix_hit is None else prefix_hit
    offered, gone = len(latencies.wait), missed or Missed()
    unserved = gone.rejected + gone.timed_out
    by_class = {batch: latencies.of_class(batch=batch) for batch in (False, True)}
    main, kept = by_class[False], latencies.kept(slo)
    defined = {metric.name: main.defined(metric.name) for metric in ALWAYS}
    ttft, tpot, e2e = (percentile(values, slo.percentile) for values in defined.values())
    return PoolRun(
        name=pool.name,
        offered=offered,
        completed=offered - unserved,
        rejected=gone.rejected,
        ttft=ttft,
        tpot=tpot,
        e2e=e2e,
        wait=percentile(main.wait[np.isfinite(main.wait)], slo.percentile) or 0.0,
        attainment=float(kept.mean()) if offered else 1.0,
        utilization=utilization(pool, flow),
        batch=flow.rate("active"),
        mfu=None if profile is None else _possible_mfu(pool, profile, traffic, prefix_hit, flow),
        preemptions=int(flow.end["preempted"] - flow.start["preempted"]),
        duration=flow.seconds,
        throughput=flow.rate("completed") * pool.lanes,
        histograms=tuple(histogram(name, values) for name, values in defined.items()),
        further=tuple(
            (one.name, percentile(by_class[one.batch].defined(one.metric), slo.share(one)))
            for one in further_latencies(slo.own(), classed=bool(latencies.batch.any()))
        ),
        timed_out=gone.timed_out,
        retried=gone.retried,
        attempts=gone.attempts if gone.retried else 0,
        spilled=spilled,
        misrouted=misrouted,
        hit=found,
        may_miss=_may_miss(slo) if missed else 0.0,
        over_offered=tuple((limit.name, _over_offered(by_class[limit.batch], limit, slo)) for limit in slo.limits())
        if unserved
        else (),
        attainments=attainments(latencies.batch, kept),
        link=link_of(flow, kv_offload),
    )


def hit_share(flow: Flow) -> float | None:
    """Return the share of prompt tokens that was found among those admitted, None where none were asked for."""
    asked = int(flow.end["asked"] - flow.start["asked"])
    return float(flow.end["hit"] - flow.start["hit"]) / asked if asked else None


def _may_miss(slo: Slo) -> float:
    """Return the share of the offered requests that may be missed: what the strictest percentile leaves."""
    return round(1.0 - max((slo.share(limit) for limit in slo.limits()), default=slo.percentile), 12)


def _over_offered(own: Latencies, limit: Limit, slo: Slo) -> float | None:
    """Return a percentile with the unserved requests later than all others, None where it is one of theirs."""
    found = percentile(np.append(own.defined(limit.metric), np.full(own.unserved, np.inf)), slo.share(limit))
    return found if found is not None and math.isfinite(found) else None


def _possible_mfu(pool: Pool, profile: Profile, traffic: PoolTraffic, prefix_hit: float, flow: Flow) -> float:
    try:
        return mfu(pool, profile, pairs_per_prompt_token(traffic, prefix_hit), flow)
    except AssertionError as impossible:
        if not _is_faster(pool, profile, traffic, prefix_hit):
            raise
        raise InputError(
            f"this profile is faster than the hardware: {impossible}", where=f"pool {pool.name}: profile"
        ) from None


def _is_faster(pool: Pool, profile: Profile, traffic: PoolTraffic, prefix_hit: float) -> bool:
    """Return whether some part of a pool's step takes less than on its hardware, as only in a given profile."""
    table = RequestTable.of(traffic.atoms, chunk=pool.token_budget, prefix_hit=prefix_hit, drafting=pool.drafting)
    moments = table.moments(0, len(table.weight))
    own = affine(
        profile.step,
        concurrency=pool.concurrency,
        mean_context=moments.mean_context,
        mean_pairs_per_prompt_token=moments.pairs / moments.uncached,
        chunk=moments.uncached / moments.prefill_steps,
        token_budget=pool.token_budget,
        flow=pool.concurrency * moments.uncached / moments.steps,
        alone=pool.settings.alone,
    )
    given = pool.profile.base_step_time, pool.profile.time_per_context_token, pool.profile.time_per_prompt_token
    return any(one < float(least) * (1.0 - ROUNDING) for one, least in zip(given, own, strict=True))


def utilization(pool: Pool, flow: Flow) -> float:
    """Return offered work over full-batch capacity, the formula's definition on what was seen (model.md §4).

    ρ = max(A/n, tokens/budget)·w + m with A the sequence-steps per second and m the share of time beyond w that the
    steps took, or the share of time in which the API process hands out tokens where that is more. What was preempted
    counts as often as it was computed. Steps by kernels are no line: what was read and prompted counts at the line of
    full batches, as the formula counts it. Prompts that run alone leave the decodes no budget to be short of.
    """
    w = pool.profile.base_step_time
    by_sequences = flow.rate("joined") / pool.concurrency
    if pool.profile.by_kernels:
        read = flow.rate("read") + flow.rate("reached")
        beyond = pool.profile.time_per_context_token * read + pool.profile.time_per_prompt_token * flow.rate("prompted")
    else:
        beyond = flow.rate("busy") - flow.rate("steps") * w
    handing_out = (flow.rate("decoded") + flow.rate("completed")) * pool.profile.api_token * pool.batches
    if pool.settings.alone:
        return max(by_sequences * w + beyond, handing_out)
    by_budget = (flow.rate("prompted") + verified(pool, flow)) / pool.token_budget
    return max(max(by_sequences, by_budget) * w + beyond, handing_out)


def verified(pool: Pool, flow: Flow) -> float:
    """Return the tokens per second that decode steps compute: those that they emit, and the drafts among which."""
    own = pool.drafting
    return flow.rate("decoded") * (own.width / own.committed if own.drafts else 1.0)


def pairs_per_prompt_token(traffic: PoolTraffic, prefix_hit: float) -> float:
    """Return the keys that a computed prompt token meets on average: the cached prefix and half of the rest."""
    weight, prompt, _ = np.array(traffic.atoms, float).T
    uncached = np.maximum(prompt * (1.0 - prefix_hit), 1.0)
    pairs = uncached * (prompt - uncached) + uncached**2 / 2.0
    return float((weight * pairs).sum() / (weight * uncached).sum())


def mfu(pool: Pool, profile: Profile, pairs: float, flow: Flow) -> float:
    """Return the implied MFU, the arithmetic done over the hardware's peak; `pairs` are those of a prompt token.

    The context that decodes read was counted where steps follow a curve; else it follows from the time that steps took
    beyond w and their prompts.
    """
    affine = pool.profile
    if affine.by_kernels:
        context = flow.rate("read")
    else:
        beyond = flow.rate("busy") - flow.rate("steps") * affine.base_step_time
        read = beyond - flow.rate("prompted") * affine.time_per_prompt_token
        context = max(read, 0.0) / affine.time_per_context_token if affine.time_per_context_token else 0.0
    prompted, decoded = flow.rate("prompted"), verified(pool, flow)
    flops = profile.flops_per_token * (prompted + decoded) + profile.attention_flops * (prompted * pairs + context)
    share = flops * pool.batches / profile.peak
    assert share <= 1.0, f"pool {pool.name}: an MFU of {share:.0%} of {profile.name}: no hardware does that"
    return share
