"""Capacity and occupancy of a pool of continuously batching replicas: exact conserved flows (model.md §4).

Symbols: w base step time, h time per context token, P time per prompt token, n sequences a replica runs at once,
b tokens a step may process, λ the pool's arrival rate, G its replicas. Everything broadcasts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from fleettui.domain.fleet import PoolProfile
from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.moments import Moments

ROUNDS, MOST_ROUNDS = 6, 20
"""Rounds by which a working point is found, and those after which one that still moves is left where it is."""
CLOSE = 1e-3
"""Part by which a working point may move and count as found."""
LEAST_COMING = 1e-9
"""Chunks that come a step at least."""
LEAST_SPREAD = 1e-6
"""Squared coefficient of variation that the tokens of steps with prompts have at least."""
LEAST_ROOT = 0.3
"""Cube root of the smallest part of the mean that a step with prompts has."""
MOST_PROMPTING = 0.95
"""Part of the time that prompts take above which steps scatter no more."""
SCORES = np.array([-1.4652, -0.7916, -0.3661, 0.0, 0.3661, 0.7916, 1.4652])
"""The middles of seven equal parts of a normal distribution."""
TIGHT = 1e-9
"""Part by which rounding may put a step beyond its ends."""
LONGEST_STEP = 1e3
"""Seconds above which a step is taken as without end."""


class Steps(Protocol):
    """Steps that are no line: what lines they are near a working point, in seconds."""

    def decoding(self, decodes: FloatArray, context: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return (w, q): w + q·x for x decodes of `context` cached tokens each, near so many `decodes`."""

    def prompting(
        self,
        decodes: FloatArray,
        context: FloatArray,
        chunks: FloatArray,
        chunk: FloatArray,
        pairs: FloatArray,
        *,
        alone: bool = False,
    ) -> FloatArray:
        """Return what each prompt token adds in so many `chunks` of `chunk` tokens, each forming so many `pairs`.

        Of a step of prompts `alone` it is the whole.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What one replica does for a range of requests: affine step cost, concurrency limit, token budget.

    `front_end` are the seconds of each request beside its steps. Where there are `steps`, the affine cost is that of
    full batches, on the safe side below, and `nearby` finds that of a load; `factor` multiplies what they last. Prompts
    that run `alone` make steps of their own, whose whole time is in `per_prompt`.
    """

    base: FloatArray
    per_context: FloatArray
    per_prompt: FloatArray
    concurrency: FloatArray
    token_budget: FloatArray
    front_end: FloatArray
    steps: Steps | None = None
    factor: float = 1.0
    alone: bool = False

    @classmethod
    def of(
        cls,
        profile: PoolProfile,
        concurrency: float,
        token_budget: float,
        shape: tuple[int, ...] = (),
        steps: Steps | None = None,
        *,
        alone: bool = False,
    ) -> Service:
        """Return what an engine does that is known, in arrays of one shape."""
        return cls(
            base=np.full(shape, profile.base_step_time),
            per_context=np.full(shape, profile.time_per_context_token),
            per_prompt=np.full(shape, profile.time_per_prompt_token),
            concurrency=np.full(shape, float(concurrency)),
            token_budget=np.full(shape, float(token_budget)),
            front_end=np.full(shape, profile.front_end),
            steps=steps,
            alone=alone,
        )

    def scaled(self, factor: float) -> Service:
        """Return the same service with all step times multiplied by `factor`."""
        return replace(
            self,
            base=self.base * factor,
            per_context=self.per_context * factor,
            per_prompt=self.per_prompt * factor,
            factor=self.factor * factor,
        )

    def pick(self, index: ArrayLike) -> Service:
        """Return the rows `index`."""
        i = np.asarray(index)
        return replace(
            self,
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
    of the limits by sequences and by token budget; `near` is the service as its step costs are at this load;
    `prefill_share` the share of time that prompts take, `batch_share`
    that of all work that grows with the batch. Neither share is above `utilization`, also where rounding says so.
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
    utilization: FloatArray
    prefill_share: FloatArray


def replica_rates(moments: Moments, service: Service) -> tuple[FloatArray, FloatArray]:
    """Return the requests per second at which one replica is full: by its sequences, and by its token budget.

    Prompts that run alone leave the decodes no budget to be short of.
    """
    kappa = per_sequence(moments, service)
    full = service.base + service.concurrency * kappa
    by_sequences = service.concurrency / (moments.steps * full)
    if service.alone:
        return by_sequences, np.full_like(by_sequences, np.inf)
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
    near = nearby(moments, service, rate)
    kappa = per_sequence(moments, near)
    flow = rate * moments.steps
    share = flow * kappa
    with np.errstate(divide="ignore", invalid="ignore"):
        step = np.where(share < 1.0, near.base / (1.0 - share), np.inf)
        spread = np.where(share < 1.0, share / ((1.0 - share) * replicas), np.inf)
    over_steps = flow * step
    by_sequences, by_budget = replica_rates(moments, service)
    loads = rate / by_sequences, rate / by_budget
    prefill = rate * near.per_prompt * moments.uncached
    busy = np.maximum(*loads)
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
        by_sequences=loads[0],
        by_budget=loads[1],
        utilization=busy,
        prefill_share=np.minimum(prefill, busy),
    )


def _chunks(coming: FloatArray, scv: FloatArray, prompting: FloatArray | None) -> FloatArray:
    """Return the mean chunks' worth of tokens in steps with prompts, one for each part of SCORES, shape (parts, ...).

    So many chunks come a step, as Poisson's, whose lengths have a squared coefficient of variation `scv`. What comes
    in a long step makes the next one long too: where prompts take a part p of the time, the variance is 1/(1 − p²)
    times as large; that is left out where p is None. Of what is above zero a gamma distribution has the mean and the
    variance, and the points are its quantiles by the cube root (Wilson and Hilferty 1931).
    """
    mean = np.maximum(coming, LEAST_COMING)
    some = -np.expm1(-mean)
    seen = mean / some
    more = 1.0 if prompting is None else 1.0 / (1.0 - np.minimum(prompting, MOST_PROMPTING) ** 2)
    variance = np.maximum((mean * more + mean * mean) / some - seen * seen, 0.0) + more * scv * seen
    spread = np.maximum(variance / seen**2, LEAST_SPREAD) / 9.0
    points = np.maximum(1.0 - spread + np.multiply.outer(SCORES, np.sqrt(spread)), LEAST_ROOT) ** 3
    found: FloatArray = seen * (points / points.mean(axis=0) if prompting is None else points)
    return found


def _coming_alone(beside_prompts: FloatArray, beside_decodes: FloatArray) -> FloatArray:
    """Return the mean of the Poisson count that, where it is above zero, is the chunks of a step of prompts alone.

    So many come in a step of prompts, and in one of decodes; a step of prompts follows on another in which any came.
    """
    decodes = np.maximum(beside_decodes, LEAST_COMING)
    seen = np.maximum(beside_prompts + np.exp(-beside_prompts) * decodes / -np.expm1(-decodes), 1.0 + LEAST_COMING)
    mean = seen
    for _ in range(ROUNDS):  # mean = seen·(1 − e^−mean) by Newton's method, from above
        left = seen * np.exp(-mean)
        mean = np.maximum(mean - (mean - seen + left) / (1.0 - left), LEAST_COMING)
    return mean


def _following(base: FloatArray, left: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the step by Newton's method, base/left, or half way between the ends in logarithms if not there."""
    step = np.where(left > 0.0, base / np.where(left > 0.0, left, 1.0), np.inf)
    lost = (step < low * (1.0 - TIGHT)) | (step > high * (1.0 + TIGHT))
    found: FloatArray = np.where(lost, np.sqrt(np.maximum(low, base) * high), step)
    return found


def nearby(moments: Moments, service: Service, rate: FloatArray) -> Service:
    """Return the service with the step costs that it has where each replica gets `rate` requests a second.

    Of steps that are no line it takes the lines near the working point t = (w + q·decodes)/(1 − prompts): decodes that
    t keeps running, up to the concurrency, and the chunks of prompts that come in t. By each round's lines t is known,
    and from it the next round's, by Newton's method, or half way in logarithms where that leaves the ends between which
    t was seen to lie. Where prompts run alone, those make a step that come in the one before it.
    """
    if service.steps is None:
        return service
    later = moments.steps - moments.prefill_steps
    with np.errstate(divide="ignore", invalid="ignore"):
        context = np.where(later > 0.0, moments.decode_context / later, moments.mean_context)
        chunk, pairs = moments.uncached / moments.prefill_steps, moments.pairs / moments.uncached
    step, prompting, coming, low = (np.zeros_like(service.base) for _ in range(4))
    longest = LONGEST_STEP * service.factor
    high, moves = np.full_like(service.base, longest), np.ones(service.base.shape, bool)
    lines = [step, step, step]
    for turn in range(MOST_ROUNDS):
        decodes = np.minimum(rate * later * step, service.concurrency)
        beside = np.zeros_like(decodes) if service.alone else decodes
        most = np.maximum((service.token_budget - beside) / chunk, 1.0)
        chunks = np.minimum(_chunks(coming, moments.uncached_scv, None if service.alone else prompting), most)
        base, rise = service.steps.decoding(decodes, context)
        each = service.steps.prompting(beside, context, chunks, chunk, pairs, alone=service.alone)
        per_prompt = service.factor * (chunks * each).sum(axis=0) / chunks.sum(axis=0)
        base, rise = service.factor * base, service.factor * rise
        found = zip((base, rise, per_prompt), lines, strict=True)
        lines = [np.where(moves, one, before) for one, before in found]
        prompting = rate * per_prompt * moments.uncached
        above = base + rise * decodes > step * (1.0 - prompting)  # where the next step would be longer than this one
        low, high = np.where(above, step, low), np.where(above, high, step)
        following = _following(base, 1.0 - rate * rise * later - prompting, low, high)
        if turn >= ROUNDS - 1:
            moves &= (np.abs(following - step) > CLOSE * step) & (~above | (decodes < service.concurrency))
            if not moves.any():
                break
        step = following
        flow = rate * moments.prefill_steps
        coming = flow * step
        if service.alone:
            alone = np.minimum(per_prompt * (chunks * chunk).mean(axis=0), longest)
            coming = _coming_alone(flow * alone, flow * (base + rise * decodes))
    base, rise, per_prompt = lines
    return replace(service, base=base, per_context=rise * later / moments.context, per_prompt=per_prompt)
