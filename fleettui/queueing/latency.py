"""What a pool's load does to a request: waits, own delays and time per output token (model.md §5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fleettui.queueing.arrays import FloatArray, IntArray
from fleettui.queueing.batching import Occupancy, moving, occupancy
from fleettui.queueing.bursts import Bursts, Excess
from fleettui.queueing.classes import ByClass, Classes
from fleettui.queueing.gated import Gate, Prompts
from fleettui.queueing.moments import Moments
from fleettui.queueing.ranges import LATER, RangeTable
from fleettui.queueing.service import Service
from fleettui.queueing.waiting import WaitTail, state_dependent_wait
from fleettui.queueing.working_point import nearby

OF_BOTH = ("moments", "occupancy")
FOUND = (*OF_BOTH, "place", "gate", "prefill")
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
    def beside_decodes(self) -> FloatArray:
        """Tokens of a step that the decodes leave to prompts."""
        s, m, o = self.service, self.moments, self.occupancy
        if s.alone:
            return s.token_budget
        decodes = np.minimum(o.batch_over_steps, s.concurrency) * (1.0 - m.prefill_steps / m.steps)
        return np.maximum(s.token_budget - s.drafting.width * decodes, 1.0)

    @property
    def cut_smaller(self) -> FloatArray:
        """Steps more of each prompt token, as its steps have decodes beside it."""
        return 1.0 / self.beside_decodes - 1.0 / self.service.token_budget

    @property
    def prefill_steps(self) -> FloatArray:
        """Mean steps of a prompt beside the decodes."""
        return self.moments.prefill_steps + self.moments.uncached * self.cut_smaller

    @property
    def prompts(self) -> Prompts:
        """The prompts that come to a lane."""
        m, s, o = self.moments, self.service, self.occupancy
        line, budget = o.near.prompt_line, self.beside_decodes
        return Prompts(
            rate=self.arrival_rate / self.lanes,
            once=line.once,
            each=line.each * m.uncached,
            full=line.full * m.uncached,
            scv=m.uncached_scv,
            room=np.clip(1.0 - m.uncached / (budget * self.prefill_steps), 0.0, 1.0),
            budget=budget / m.uncached,
            steps=m.steps,
            decode=loaded_step(self),
            alone=s.alone,
            sharing=self.sharing,
            number=o.batch_over_steps,
            excess=self.excess,
        )

    @cached_property
    def gate(self) -> Gate:
        """The wait for prefill as the steps make it: one gate a lane, to which the prompts of its part come."""
        return self.prompts.gate()

    @cached_property
    def prefill(self) -> WaitTail:
        """The wait for prefill beside what everybody waits."""
        return self._as_doubted(self.gate.tail, self.occupancy.queued_share, lambda m: m.uncached)

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
            bursts=self.bursts and self.bursts.pick(index),
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

    def faster(self, times: FloatArray) -> PoolLoad:
        """Return the same rows where all requests come so many times as fast."""
        return replace(self, arrival_rate=self.arrival_rate * times, bursts=self.bursts and self.bursts.faster(times))


Delay = Callable[[PoolLoad], FloatArray]
"""A request's own delay as coefficients (rows, 8) of `RangeTable.features`."""


def loaded_step(load: PoolLoad) -> FloatArray:
    """Return w + h·batch·(mean context), the mean step without prompts, seconds; of a full batch at most."""
    near = load.occupancy.near
    batch = np.minimum(load.occupancy.batch, load.service.concurrency)
    return np.asarray(near.base + near.per_context * batch * load.moments.mean_context)


def ttft_delay(load: PoolLoad) -> FloatArray:
    """Return a request's own time to first token as coefficients, waits left out.

    k·(t₀ + O) + P·uncached + A·pairs + Q·Σ(tokens of a step)² + r with t₀ the mean step without prompts: its steps
    beside the others' decodes, with what prompts take of each step once, O, and r, what everybody waits at the gate;
    the front end, and the tokens of a step that are handed out with its own. A and Q make long prompts dearer than as
    many tokens of mean ones. Prompts that run alone have steps without the others' decodes.
    """
    o = load.occupancy
    s = o.near
    line = s.prompt_line
    with np.errstate(divide="ignore", invalid="ignore"):
        handing_out = np.where(s.api_token > 0.0, s.api_token * s.drafting.committed * o.batch_over_steps, 0.0)
    zero = np.zeros_like(s.base)
    own = line.once if s.alone else line.once + loaded_step(load)
    waited = load.gate.surely * (1.0 + (np.asarray(load.service.waits) - 1.0) * o.queued_share)
    beside = waited + s.front_end + handing_out
    token = line.token + own * load.cut_smaller
    return np.stack([own, token, beside, zero, line.pair, line.square, zero, zero], axis=1)


def e2e_delay(load: PoolLoad) -> FloatArray:
    """Return a request's own time to its last token as coefficients, waits left out.

    TTFT + (L_out − 1)·t_own, t_own = w + κ·min(batch, n − 1) + h·(own mean context).
    """
    o = load.occupancy
    s = o.near
    coefficients = ttft_delay(load)
    coefficients[:, LATER] = s.base + o.per_sequence * np.minimum(o.batch, s.concurrency - 1.0)
    coefficients[:, LATER + 1] = s.per_context
    return coefficients


def floor_delay(load: PoolLoad) -> FloatArray:
    """Return the TTFT alone on a replica as coefficients.

    f = k·(w + O) + P·uncached + A·pairs + Q·Σ(tokens of a step)² + h·(prefill context), and the front end; without w
    where prompts run alone.
    """
    return floor_of(load.moments, load.service)


def floor_of(moments: Moments, service: Service) -> FloatArray:
    """Return the same of what each row of `moments` is served by."""
    zero = np.zeros_like(service.base)
    s = nearby(moments, service, zero)
    line = s.prompt_line
    own = line.once if s.alone else line.once + s.base
    return np.stack([own, line.token, s.front_end, s.per_context, line.pair, line.square, zero, zero], axis=1)


def longest_step(load: PoolLoad, chunk: float) -> FloatArray:
    """Return the step with a full prompt chunk beside the mean batch: the longest gap between two tokens."""
    o = load.occupancy
    s, full = o.near, load.service
    batch = np.minimum(o.batch, full.concurrency)
    return s.base + s.per_context * batch * load.moments.mean_context + full.per_prompt * chunk
