"""Capacity and occupancy of a pool of continuously batching replicas: exact conserved flows (model.md §4).

Symbols: w base step time, h time per context token, P time per prompt token, n sequences a replica runs at once,
b tokens a step may process, λ the pool's arrival rate, G its replicas. Everything broadcasts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fleettui.domain.fleet import PoolProfile
from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.moments import Moments


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What one replica does for a range of requests: affine step cost, concurrency limit, token budget.

    `front_end` are the seconds of each request beside its steps.
    """

    base: FloatArray
    per_context: FloatArray
    per_prompt: FloatArray
    concurrency: FloatArray
    token_budget: FloatArray
    front_end: FloatArray

    @classmethod
    def of(cls, profile: PoolProfile, concurrency: float, token_budget: float, shape: tuple[int, ...] = ()) -> Service:
        """Return what an engine does that is known, in arrays of one shape."""
        return cls(
            base=np.full(shape, profile.base_step_time),
            per_context=np.full(shape, profile.time_per_context_token),
            per_prompt=np.full(shape, profile.time_per_prompt_token),
            concurrency=np.full(shape, float(concurrency)),
            token_budget=np.full(shape, float(token_budget)),
            front_end=np.full(shape, profile.front_end),
        )

    def scaled(self, factor: float) -> Service:
        """Return the same service with all step times multiplied by `factor`."""
        return Service(
            base=self.base * factor,
            per_context=self.per_context * factor,
            per_prompt=self.per_prompt * factor,
            concurrency=self.concurrency,
            token_budget=self.token_budget,
            front_end=self.front_end,
        )

    def pick(self, index: ArrayLike) -> Service:
        """Return the rows `index`."""
        i = np.asarray(index)
        return Service(
            base=self.base[i],
            per_context=self.per_context[i],
            per_prompt=self.per_prompt[i],
            concurrency=self.concurrency[i],
            token_budget=self.token_budget[i],
            front_end=self.front_end[i],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Occupancy:
    """How full a pool's replicas are.

    `per_sequence` κ = (h·E[KVS] + P·E[uncached])/E[I] is the step time that one active sequence adds; `full_step` is a
    step at full batch; `step` the mean step t_act = w/(1 − m); `batch_over_steps` and `batch` the mean number of active
    sequences per replica over steps and over time; `utilization` the offered work over full-batch capacity, the larger
    of the limits by sequences and by token budget; `prefill_share` the share of time that prompts take, `batch_share`
    that of all work that grows with the batch. Neither share is above `utilization`, also where rounding says so.
    """

    per_sequence: FloatArray
    full_step: FloatArray
    step: FloatArray
    batch_share: FloatArray
    batch_over_steps: FloatArray
    batch: FloatArray
    by_sequences: FloatArray
    by_budget: FloatArray
    utilization: FloatArray
    prefill_share: FloatArray


def replica_rates(moments: Moments, service: Service) -> tuple[FloatArray, FloatArray]:
    """Return the requests per second at which one replica is full: by its sequences, and by its token budget."""
    kappa = per_sequence(moments, service)
    full = service.base + service.concurrency * kappa
    by_sequences = service.concurrency / (moments.steps * full)
    per_step = service.token_budget / (moments.uncached + moments.output)
    budget_step = service.base + per_step * moving(moments, service)
    return by_sequences, per_step / budget_step


def saturated_rate(moments: Moments, service: Service) -> FloatArray:
    """Return the most requests per second that one replica completes."""
    return np.minimum(*replica_rates(moments, service))


def stepping(moments: Moments, service: Service) -> FloatArray:
    """Return w·E[I]/n, the seconds of base steps that a request asks of a replica whose batch is full."""
    return service.base * moments.steps / service.concurrency


def moving(moments: Moments, service: Service) -> FloatArray:
    """Return h·E[KVS] + P·E[uncached], the seconds that a request's cache reads and prompt take, however full."""
    return service.per_context * moments.context + service.per_prompt * moments.uncached


def per_sequence(moments: Moments, service: Service) -> FloatArray:
    """Return κ, the step time that one active sequence adds, prompts included."""
    return moving(moments, service) / moments.steps


def occupancy(moments: Moments, service: Service, arrival_rate: ArrayLike, replicas: ArrayLike) -> Occupancy:
    """Return the occupancy of pools with `arrival_rate` requests/s over `replicas` replicas.

    Where the batch-dependent work alone fills the time (m ≥ 1) step and batch are infinite.
    """
    rate = np.asarray(arrival_rate, float) / np.asarray(replicas, float)
    kappa = per_sequence(moments, service)
    flow = rate * moments.steps
    share = flow * kappa
    with np.errstate(divide="ignore", invalid="ignore"):
        step = np.where(share < 1.0, service.base / (1.0 - share), np.inf)
        spread = np.where(share < 1.0, share / ((1.0 - share) * replicas), np.inf)
    over_steps = flow * step
    by_sequences, by_budget = replica_rates(moments, service)
    loads = rate / by_sequences, rate / by_budget
    prefill = rate * service.per_prompt * moments.uncached
    return Occupancy(
        per_sequence=kappa,
        full_step=service.base + service.concurrency * kappa,
        step=step,
        batch_share=share,
        batch_over_steps=over_steps,
        batch=over_steps + spread,
        by_sequences=loads[0],
        by_budget=loads[1],
        utilization=np.maximum.reduce([*loads, share, prefill]),
        prefill_share=prefill,
    )
