"""Capacity and occupancy of a pool of continuously batching replicas: exact conserved flows (model.md §4).

Symbols: w base step time, h time per context token, P time per prompt token, n sequences a replica runs at once,
b tokens a step may process, λ the pool's arrival rate, G its replicas. Everything broadcasts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fleettui.queueing.arrays import FloatArray, IntArray
from fleettui.queueing.moments import Moments
from fleettui.queueing.service import Service
from fleettui.queueing.working_point import nearby


@dataclass(frozen=True, slots=True, kw_only=True)
class Occupancy:
    """How full a pool's replicas are; of those that run several batches in turn, what one of these lanes does.

    `per_sequence` κ = (h·E[KVS] + P·E[uncached])/E[I] is the step time that one active sequence adds; `full_step` is a
    step at full batch; `step` the mean step t_act = w/(1 − m); `batch_over_steps` and `batch` the mean number of active
    sequences per replica over steps and over time; `utilization` the offered work over full-batch capacity, the largest
    of the limits by sequences, by token budget and by the API process that hands out tokens; `near` is the service as
    its step costs are at this load; `prefill_share` the share of time that prompts take, `queued_share` that which they
    would take in steps full of them, as where they wait, `batch_share` that of all work that grows with the batch. No
    share is above `utilization`, also where rounding says so.
    """

    near: Service
    per_sequence: FloatArray
    full_step: FloatArray
    step: FloatArray
    batch_share: FloatArray
    batch_over_steps: FloatArray
    batch: FloatArray
    by_sequences: FloatArray
    by_budget: FloatArray
    by_api: FloatArray
    utilization: FloatArray
    prefill_share: FloatArray
    queued_share: FloatArray

    def pick(self, index: IntArray) -> Occupancy:
        """Return the rows `index` of arrays of shape (rows,)."""
        return Occupancy(
            near=self.near.pick(index),
            per_sequence=self.per_sequence[index],
            full_step=self.full_step[index],
            step=self.step[index],
            batch_share=self.batch_share[index],
            batch_over_steps=self.batch_over_steps[index],
            batch=self.batch[index],
            by_sequences=self.by_sequences[index],
            by_budget=self.by_budget[index],
            by_api=self.by_api[index],
            utilization=self.utilization[index],
            prefill_share=self.prefill_share[index],
            queued_share=self.queued_share[index],
        )


def lane_rates(moments: Moments, service: Service) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the requests per second at which a replica's lane is full: by sequences, by token budget, by its part of
    the replica's API process.

    Prompts that run alone leave the decodes no budget to be short of.
    """
    kappa = per_sequence(moments, service)
    full = service.base + service.concurrency * kappa
    by_sequences = service.concurrency / (moments.steps * full)
    with np.errstate(divide="ignore"):
        by_api = 1.0 / (moments.output * service.api_token * service.lanes)
    if service.alone:
        return by_sequences, np.full_like(by_sequences, np.inf), by_api
    emitted = moments.output
    if service.drafting.drafts:
        emitted = 1.0 + service.drafting.width * (moments.steps - moments.prefill_steps)
    per_step = service.token_budget / (moments.uncached + emitted)
    budget_step = service.base + per_step * moving(moments, service)
    return by_sequences, per_step / budget_step, by_api


def saturated_rate(moments: Moments, service: Service) -> FloatArray:
    """Return the most requests per second that one replica completes."""
    by_sequences, by_budget, by_api = lane_rates(moments, service)
    return np.minimum(np.minimum(by_sequences, by_budget), by_api) * service.lanes


def stepping(moments: Moments, service: Service) -> FloatArray:
    """Return w·E[I]/n, the seconds of base steps that a request asks of a replica whose batch is full."""
    return service.base * moments.steps / service.concurrency


def moving(moments: Moments, service: Service) -> FloatArray:
    """Return h·E[KVS] + P·E[uncached], the seconds that a request's cache reads and prompt take, however full."""
    return service.per_context * moments.context + service.per_prompt * moments.uncached


def per_sequence(moments: Moments, service: Service) -> FloatArray:
    """Return κ, the step time that one active sequence adds, prompts included."""
    return moving(moments, service) / moments.steps


def occupancy(moments: Moments, service: Service, arrival_rate: ArrayLike, lanes: ArrayLike) -> Occupancy:
    """Return the occupancy of pools with `arrival_rate` requests/s over the `lanes` of their replicas, one of each.

    Where the batch-dependent work alone fills the time (m ≥ 1) step and batch are infinite.
    """
    rate = np.asarray(arrival_rate, float) / np.asarray(lanes, float)
    near = nearby(moments, service, rate)
    kappa = per_sequence(moments, near)
    flow = rate * moments.steps
    share = flow * kappa
    with np.errstate(divide="ignore", invalid="ignore"):
        step = np.where(share < 1.0, near.base / (1.0 - share), np.inf)
        spread = np.where(share < 1.0, share / ((1.0 - share) * lanes), np.inf)
    over_steps = flow * step
    by_sequences, by_budget, by_api = (rate / full for full in lane_rates(moments, service))
    prefill = rate * near.per_prompt * moments.uncached
    busy = np.maximum(np.maximum(by_sequences, by_budget), by_api)
    if service.steps is None:
        busy = np.maximum.reduce([busy, share, prefill])
    return Occupancy(
        near=near,
        per_sequence=kappa,
        full_step=service.base + service.concurrency * per_sequence(moments, service),
        step=step,
        batch_share=np.minimum(share, busy),
        batch_over_steps=over_steps,
        batch=over_steps + spread,
        by_sequences=by_sequences,
        by_budget=by_budget,
        by_api=by_api,
        utilization=busy,
        prefill_share=np.minimum(prefill, busy),
        queued_share=np.minimum(rate * near.prompt_line.full * moments.uncached, busy),
    )
