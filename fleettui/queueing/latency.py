"""What a pool's load does to a request: waits, own delays and time per output token (model.md §5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import special

from fleettui.queueing.arrays import FloatArray, IntArray
from fleettui.queueing.batching import Occupancy, moving, occupancy
from fleettui.queueing.bursts import Bursts, Excess, peakedness
from fleettui.queueing.classes import ByClass, Classes
from fleettui.queueing.moments import Moments
from fleettui.queueing.ranges import RangeTable
from fleettui.queueing.service import Service
from fleettui.queueing.waiting import WaitTail, state_dependent_wait
from fleettui.queueing.working_point import nearby

OF_BOTH = ("moments", "occupancy")
FOUND = (*OF_BOTH, "place", "prefill")
"""What a load has found once it was asked: of both classes alike, and all of it."""


@dataclass(frozen=True)
class PoolLoad:
    """Rows of pools: row i serves the requests of range `rows[i]` with replicas[i] replicas; arrays of shape (rows,).

    `arrival_rate` is that of the row's own requests, per second. The replicas serve `one_queue`, or each gets a stream
    of its own. Requests come as Poisson's, unless they are a part of those that come in `bursts`. Of `classes` the
    waits and the lengths are those of one. Where the router sends `by_class`, a row serves more than the range has, or
    less; then the range's lengths are those of its interactive requests.
    """

    ranges: RangeTable
    rows: IntArray
    service: Service
    arrival_rate: FloatArray
    replicas: FloatArray
    one_queue: bool = True
    bursts: Bursts | None = None
    classes: Classes | None = None
    by_class: ByClass | None = None

    @property
    def excess(self) -> Excess | None:
        """How much more than Poisson's the counts of a queue's own requests vary."""
        if self.bursts is None:
            return None
        return self.bursts.of_part(self.arrival_rate * (self.sharing / self.lanes))

    @property
    def lanes(self) -> FloatArray:
        """The batches that its replicas run in turn, one of each unless they are pipelines."""
        return self.replicas * self.service.lanes

    @property
    def sharing(self) -> FloatArray:
        """Lanes that serve one queue."""
        return self.lanes if self.one_queue else np.ones_like(self.replicas)

    @cached_property
    def moments(self) -> Moments:
        """Means over the requests that each row serves."""
        return self.ranges.moments.pick(self.rows) if self.by_class is None else self.by_class.served

    @property
    def told(self) -> IntArray:
        """The rows of `ranges` that have the lengths of the class whose latencies are told."""
        if self.by_class is None or self.classes is None or not self.classes.batch:
            return self.rows
        return self.by_class.batch

    @property
    def batch_share(self) -> FloatArray:
        """The share of each row's requests that is of class batch."""
        return np.broadcast_to(0.0 if self.classes is None else self.classes.batch_share, self.replicas.shape)

    def has(self, *, batch: bool) -> np.ndarray:
        """Return which rows have requests of class `batch`, or of the other; all where there are no classes."""
        share = self.batch_share
        return np.ones(len(share), bool) if self.classes is None else np.asarray((share if batch else 1.0 - share) > 0)

    @cached_property
    def occupancy(self) -> Occupancy:
        """How full each row is."""
        return occupancy(self.moments, self.service, self.arrival_rate * (self.sharing / self.lanes), self.sharing)

    @cached_property
    def place(self) -> WaitTail:
        """The wait for a place in the batch: a server at full-batch service per place of the queue's replicas."""
        m, s, o = self.moments, self.service, self.occupancy
        scv = m.work_scv(s.base, s.concurrency * s.per_context, s.concurrency * s.per_prompt)
        tail = WaitTail.of(s.concurrency * self.sharing, o.utilization, m.steps * o.full_step, scv, self.excess)
        return self._as_doubted(tail, o.utilization, lambda m: s.base * m.steps + s.concurrency * moving(m, s))

    @cached_property
    def prefill(self) -> WaitTail:
        """The wait for prefill: one server a replica, service P·uncached, P that of steps full of prompts."""
        m = self.moments
        mean = self.occupancy.near.prompt_line.full * m.uncached
        share = self.occupancy.queued_share
        tail = WaitTail.of(self.sharing, share, mean, m.uncached_scv, self.excess)
        return self._as_doubted(tail, share, lambda m: m.uncached)

    def _as_doubted(self, tail: WaitTail, utilization: FloatArray, work: Callable[[Moments], FloatArray]) -> WaitTail:
        """Return the wait of the row's class, so many times as long as the steps make it as its service says.

        A request asks the queue for `work`, in whatever unit.
        """
        own = tail.faster(1.0 / np.asarray(self.service.waits, float))
        if self.classes is None:
            return own
        longer = 1.0 if self.by_class is None else work(self.ranges.moments.pick(self.rows)) / work(self.moments)
        return own.faster(self.classes.pace(utilization, longer))

    @cached_property
    def really_waits(self) -> FloatArray:
        """Share of requests that find every place taken, with service that speeds up in small batches."""
        o = self.occupancy
        return state_dependent_wait(
            o.near.base, o.per_sequence, self.service.concurrency, self.sharing, np.minimum(o.utilization, 1.0)
        )

    @property
    def stable(self) -> np.ndarray:
        """Which rows keep up with their arrivals; utilization is never below the time that prompts take."""
        return np.asarray(self.occupancy.utilization < 1.0)

    def pick(self, index: IntArray) -> PoolLoad:
        """Return the rows `index` as a new load, with what is known of them already."""
        picked = replace(
            self,
            rows=self.rows[index],
            service=self.service.pick(index),
            arrival_rate=self.arrival_rate[index],
            replicas=self.replicas[index],
            classes=self.classes and self.classes.pick(index),
            by_class=self.by_class and self.by_class.pick(index),
        )
        vars(picked).update({name: vars(self)[name].pick(index) for name in FOUND if name in vars(self)})
        return picked

    def of_class(self, *, batch: bool) -> PoolLoad:
        """Return the load whose waits are those of class `batch`, or of the interactive one; itself without classes."""
        if self.classes is None or self.classes.batch == batch:
            return self
        other = replace(self, classes=replace(self.classes, batch=batch))
        vars(other).update({name: found for name, found in vars(self).items() if name in OF_BOTH})
        return other

    def resized(self, replicas: FloatArray) -> PoolLoad:
        """Return the same rows with other replica counts."""
        return replace(self, replicas=replicas)


Delay = Callable[[PoolLoad], FloatArray]
"""A request's own delay as coefficients (rows, 6) of `RangeTable.features`."""


def ttft_delay(load: PoolLoad) -> FloatArray:
    """Return a request's own time to first token as coefficients, waits left out.

    k·(t₀ + O) + P·uncached/(1 − u) + r with t₀ = w + h·batch·(mean context): its steps beside the others' decodes, with
    what prompts take of each step once, O, its tokens slowed by the other prompts (of whatever class: one that was
    begun goes on first), and r, what is left of a running step; the front end, and the tokens of a step that are handed
    out with its own. Prompts that run alone have steps without the others' decodes, and wait for half a step of those.
    What the other prompts slow it by is a wait, too.
    """
    o = load.occupancy
    s = o.near
    line = s.prompt_line
    loaded_step = s.base + s.per_context * o.batch * load.moments.mean_context
    with np.errstate(divide="ignore", invalid="ignore"):
        doubted = line.each * (1.0 + (np.asarray(load.service.waits) - 1.0) * o.queued_share)
        per_prompt = np.where(o.queued_share < 1.0, doubted / (1.0 - o.queued_share), np.inf)
        handing_out = np.where(s.api_token > 0.0, s.api_token * s.drafting.committed * o.batch_over_steps, 0.0)
    zero = np.zeros_like(s.base)
    own, found = (line.once, loaded_step / 2.0) if s.alone else (line.once + loaded_step, o.left)
    beside = found + s.front_end + handing_out
    return np.stack([own, per_prompt, beside, zero, zero, zero], axis=1)


def e2e_delay(load: PoolLoad) -> FloatArray:
    """Return a request's own time to its last token as coefficients, waits left out.

    TTFT + (L_out − 1)·t_own, t_own = w + κ·min(batch, n − 1) + h·(own mean context).
    """
    o = load.occupancy
    s = o.near
    coefficients = ttft_delay(load)
    coefficients[:, 4] = s.base + o.per_sequence * np.minimum(o.batch, s.concurrency - 1.0)
    coefficients[:, 5] = s.per_context
    return coefficients


def floor_delay(load: PoolLoad) -> FloatArray:
    """Return the TTFT alone on a replica as coefficients.

    f = k·(w + O) + P·uncached + h·(prefill context), and the front end; without w where prompts run alone.
    """
    return floor_of(load.moments, load.service)


def floor_of(moments: Moments, service: Service) -> FloatArray:
    """Return the same of what each row of `moments` is served by."""
    zero = np.zeros_like(service.base)
    s = nearby(moments, service, zero)
    line = s.prompt_line
    own = line.once if s.alone else line.once + s.base
    return np.stack([own, line.each, s.front_end, s.per_context, zero, zero], axis=1)


def mean_step(load: PoolLoad) -> FloatArray:
    """Return the step that an arrival sees on average, seconds: w + κ·batch, at most that of a full batch."""
    (seen, _), (full, _) = _step_spreads(load)
    return np.minimum(seen, full)


def tpot_percentile(load: PoolLoad, exceeded: float) -> FloatArray:
    """Return the time per output token that a share `exceeded` of requests exceeds, seconds.

    min(t_arr + z·s_t, w + nκ + z·h·√n·s_L): the step an arrival sees plus the spread of batch and contexts over a
    request's life, and the same at full batch (model.md §5.3). Infinite where the pool is overloaded. Steps that verify
    drafts are shared by the tokens that they commit.
    """
    z = float(special.ndtri(1.0 - exceeded))
    (seen, deviation), (full, full_deviation) = _step_spreads(load)
    capped = np.minimum(seen + z * deviation, full + z * full_deviation)
    return np.where(load.occupancy.utilization < 1.0, capped * steps_a_token(load), np.inf)


def steps_a_token(load: PoolLoad) -> FloatArray:
    """Return the later steps of requests for each of their later tokens: 1 without drafts."""
    if not load.service.drafting.drafts:
        return np.ones_like(load.replicas)
    m = load.moments
    return np.asarray((m.steps - m.prefill_steps) / np.maximum(m.output - 1.0, 1.0))


def tpot_exceeded(load: PoolLoad, limit: float) -> FloatArray:
    """Return the share of requests whose time per output token exceeds `limit`: `tpot_percentile` solved for it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = [(limit / steps_a_token(load) - mean) / deviation for mean, deviation in _step_spreads(load)]
    return np.where(load.occupancy.utilization < 1.0, special.ndtr(-np.fmax(*scores)), 1.0)


def _step_spreads(load: PoolLoad) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
    """Return (mean, deviation) of the step as an arrival sees it, and at full batch."""
    full, o, m, excess = load.service, load.occupancy, load.moments, load.excess
    s, kappa, share, g = o.near, o.per_sequence, o.batch_share, load.sharing
    with np.errstate(divide="ignore", invalid="ignore"):
        r = 1.0 + g * s.base / kappa
        batch_spread = kappa**2 * r * share / ((1.0 - share) ** 2 * g**2)
        if excess is not None:
            batch_spread = batch_spread * peakedness(excess, m.steps * o.full_step)
        deviation = np.sqrt(s.per_context**2 * o.batch * m.context_variance + batch_spread)
        seen = np.where(share < 1.0, s.base + kappa * o.batch, np.inf)
        own_luck = full.drafting.variance / (full.drafting.committed * m.output)
        deviation = np.where(own_luck > 0.0, np.sqrt(deviation**2 + own_luck * seen**2), deviation)
    full_deviation = full.per_context * np.sqrt(full.concurrency * m.context_variance)
    full_deviation = np.where(own_luck > 0.0, np.sqrt(full_deviation**2 + own_luck * o.full_step**2), full_deviation)
    return (seen, np.where(share < 1.0, deviation, 0.0)), (o.full_step, full_deviation)


def longest_step(load: PoolLoad, chunk: float) -> FloatArray:
    """Return the step with a full prompt chunk beside the mean batch: the longest gap between two tokens."""
    o = load.occupancy
    s, full = o.near, load.service
    batch = np.minimum(o.batch, full.concurrency)
    return s.base + s.per_context * batch * load.moments.mean_context + full.per_prompt * chunk
