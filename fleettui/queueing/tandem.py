"""Requests that are prefilled in one pool, moved over a link and decoded in another: how long until the first token.

A request's own delays add up along its way, by its own lengths; the waits on it are independent of each other and of
the lengths, each P(wait > t) = C·e^(−rate·t). A percentile is that of the sum, never a sum of percentiles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.bursts import Excess
from fleettui.queueing.rounds import LaneTimes, Rounds
from fleettui.queueing.tails import Tail
from fleettui.queueing.waiting import WaitTail

Wait = tuple[float, float]
"""(probability of waiting at all, rate in 1/s)."""
APART = 1e-4
"""Part by which the rates of two waits differ at least, so that their sum has one exponential for each."""
FASTEST = 1e100
MOST_GROWING = 0.99
"""Share of the time that prompts take at most, step by step, where steps are looked at one by one."""


@dataclass(frozen=True, kw_only=True)
class PrefillLoad:
    """A pool whose replicas only prefill, and its prompts: arrays of shape (atoms,), weights that add up to 1.

    `alone` are the seconds of a prompt by itself on a replica, `packed` those that it takes of steps that others fill
    up; `turns` are its steps, `fixed` the seconds of a step whatever it holds. On average a prompt fills the budget of
    `full` steps. `lanes` serve `rate` requests per second, from one queue or each from its own; some step
    together, in rounds of these `times`. `excess` is how requests come where not as Poisson's.
    """

    weight: FloatArray
    alone: FloatArray
    packed: FloatArray
    turns: FloatArray
    fixed: float
    full: float
    rate: float
    lanes: float
    one_queue: bool = True
    excess: Excess | None = None
    times: LaneTimes | None = None

    def resized(self, lanes: float) -> PrefillLoad:
        """Return the same prompts for another number of lanes."""
        return replace(self, lanes=lanes)

    @cached_property
    def steps(self) -> float:
        """Mean steps of a prompt."""
        return float(self.weight @ self.turns)

    @property
    def own_rate(self) -> float:
        """Requests per second of each lane."""
        return self.rate / self.lanes

    @property
    def servers(self) -> float:
        """Lanes that serve one queue."""
        return self.lanes if self.one_queue else 1.0

    @cached_property
    def mean(self) -> float:
        """Mean seconds of a prompt in full steps."""
        return float(self.weight @ self.packed)

    @cached_property
    def scv(self) -> float:
        """Their squared coefficient of variation."""
        return max(float(self.weight @ self.packed**2) / self.mean**2 - 1.0, 0.0)

    @property
    def utilization(self) -> float:
        """Offered work over what full steps can do."""
        return self.own_rate * self.mean

    @cached_property
    def busy(self) -> float:
        """Share of the time in which a lane would work, each prompt in steps of its own."""
        return min(self.own_rate * float(self.weight @ self.alone), 1.0)

    @cached_property
    def growing(self) -> float:
        """Share of the time that prompts take of steps, what a step takes whatever it holds left out."""
        taken = self.own_rate * (self.mean - self.fixed * self.full)
        return min(max(taken, 0.0), MOST_GROWING)

    @property
    def room(self) -> float:
        """Part of its steps that a prompt leaves to others, on average."""
        return max(1.0 - self.full / self.steps, 0.0)

    @cached_property
    def wait(self) -> WaitTail:
        """The wait for prefill: M/G/c at the pace of full steps, each lane a server.

        Where steps have room, what comes in one makes the next one, so that every request that meets a busy lane waits,
        and longer: work that has been done adds to the wait of what comes as long as steps remember each other. That is
        the mean of a gated queue, (1 + 2u)/(1 + u) times that of one served in turn. Where lanes step together, a
        round is waited for, unless the lanes' own queue is longer.
        """
        turn = WaitTail.of(self.servers, self.utilization, self.mean, self.scv, self.excess)
        if self.rounds is not None:
            wait = self.rounds.wait
            return WaitTail(wait.probability, np.minimum(turn.rate, wait.rate))
        more = max(self.busy - float(turn.probability), 0.0)
        slower = 1.0 - self.room * self.growing / (1.0 + 2.0 * self.growing)
        return WaitTail(turn.probability + self.room * more, turn.rate * slower)

    @cached_property
    def delays(self) -> FloatArray:
        """Each prompt's own seconds until it is prefilled, the wait for others before it left out.

        Where prompts leave room in their steps, those that come in a step make the next one together: half a step is
        waited for, and the others in it make it longer. In rounds, each chunk but the first has one that others fill.
        """
        if self.rounds is not None:
            further = np.maximum(self.rounds.met_mean - self.alone / self.turns, 0.0) * (self.turns - 1.0)
            return self.alone + further + self.rounds.surely
        step = self.fixed / (1.0 - self.growing)
        return self.alone + self.room * self.busy * step * (0.5 + self.growing)

    @cached_property
    def rounds(self) -> Rounds | None:
        """The rounds of lanes that step together; None where each has steps of its own."""
        if self.times is None:
            return None
        return Rounds(times=self.times, rate=self.own_rate * self.times.lanes * self.steps)


def link_wait(utilization: float, seconds: float) -> WaitTail:
    """Return by how much other transfers delay one: processor sharing at that load, `seconds` each alone on the mean.

    The mean is exact, ρ/(1 − ρ) times the transfers' own; the tail is taken to be exponential, of the share ρ that
    shares its link with another.
    """
    rho = min(utilization, 1.0)
    rate = (1.0 - rho) / seconds if seconds > 0.0 else np.inf
    return WaitTail(np.asarray(rho), np.asarray(rate))


def sum_of(waits: Sequence[WaitTail]) -> tuple[tuple[Wait, ...], tuple[Wait, ...]]:
    """Return ((amplitude, rate), ...) whose exponentials add up to P(all `waits` together > t), and the waits alone.

    Partial fractions: the exponential of rate rᵢ has Cᵢ·Π over the others of (1 − Cⱼ + Cⱼ·rⱼ/(rⱼ − rᵢ)).

    >>> found, _ = sum_of([link_wait(0.5, 1.0), link_wait(0.25, 1.0)])
    >>> round(sum(amplitude for amplitude, _ in found), 9) == 1.0 - 0.5 * 0.75
    True
    """
    queues = sorted((float(one.probability), min(float(one.rate), FASTEST)) for one in waits)
    alone = [(probability, rate) for probability, rate in queues if probability > 0.0 and rate < FASTEST]
    rates: list[float] = []
    for _, rate in sorted(alone, key=lambda one: one[1]):
        rates.append(max(rate, rates[-1] * (1.0 + APART)) if rates else rate)
    apart = [(one[0], rate) for one, rate in zip(sorted(alone, key=lambda one: one[1]), rates, strict=True)]
    found = []
    for i, (probability, rate) in enumerate(apart):
        others = (c * r / (r - rate) + 1.0 - c for j, (c, r) in enumerate(apart) if j != i)
        found.append((probability * float(np.prod([*others, 1.0])), rate))
    return tuple(found), tuple(apart)


def tandem_tail(delays: FloatArray, weights: FloatArray, waits: Sequence[WaitTail], *, stable: bool) -> Tail:
    """Return the tail of own `delays` with all `waits`; where a part of the way is not `stable`, all are late."""
    found, queues = sum_of(waits) if stable else ((), ())
    return Tail(delays, weights, found, queues, stable)
