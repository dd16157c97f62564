"""What a prompt waits for: the rest of the step that it finds, and the prompts that make the next one beside it.

All prompts that come in a step are taken up by the next one, as far as the token budget goes: a gated queue (Takagi,
Analysis of Polling Systems, 1986). A step R lasts b with the decodes alone, c more if it has prompts, and S for each of
these. With u = λE[S] its mean is (b + c·P(any))/(1 − u) and its variance (λE[S²]E[R] + c²P(any)P(none))/(1 − u²).
Whoever comes meets long steps more often, waits for a part of one that is as likely as any, and is computed beside what
comes in it: W = U·R + ΣS, E[W] = (½ + u)·E[R²]/E[R]. Prompts that leave no room in their steps wait in turn, M/G/1.
Nobody waits where a lane is free: a router of least load finds one while fewer requests are there than lanes, and their
number is Poisson's, as in M/G/∞.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from fleettui.queueing.arrays import FloatArray, IntArray
from fleettui.queueing.bursts import ROUNDS, Excess
from fleettui.queueing.waiting import WaitTail, sure_part

CHANCE, UNSEEN = 0.5, 0.3
"""What of the variance of counts, and of that of prompts, is left in what a router of least load sends to each of very
many lanes: it counts requests, most of which decode, and sees neither who has prompts to compute nor how long these
are, but sends less to lanes that no request leaves as their steps are long (set by 473 pools of 1 to 32 replicas)."""
SETTLED = 8
"""Rounds in which the mean step and the share of steps with prompts settle."""
FULLEST = 0.999
"""Share of the time that prompts take at most here; an overloaded pool has no wait that ends."""
LEAST_SPREAD = 1e-9


@dataclass(frozen=True, slots=True)
class Gate:
    """The wait for prefill: `surely` seconds for everybody, and a tail beside."""

    surely: FloatArray
    tail: WaitTail

    def pick(self, index: IntArray) -> Gate:
        """Return the rows `index`."""
        return Gate(self.surely[index], self.tail.pick(index))


@dataclass(frozen=True, kw_only=True)
class Prompts:
    """The prompts of a lane, all of shape (rows,): `rate` per second, of which a step with any takes `once` seconds.

    Each takes `each` seconds of its steps on the mean, and `full` where prompts wait for each other, with a squared
    coefficient of variation `scv`; it leaves a part `room` of its steps to others. A step of the decodes alone lasts
    `decode`; where prompts run `alone` they have none beside them. So many lanes are `sharing` one queue, into which
    requests come with an `excess` over Poisson's counts; a lane has so many requests, a mean `number`.
    """

    rate: FloatArray
    once: FloatArray
    each: FloatArray
    full: FloatArray
    scv: FloatArray
    room: FloatArray
    decode: FloatArray
    alone: bool
    sharing: FloatArray
    number: FloatArray
    excess: Excess | None

    def gate(self) -> Gate:
        """Return the wait as a part that everybody waits and a tail: half a step of the decodes, and what is beyond.

        The tail is of those that meet prompts: it is the wider the fewer they are.
        """
        met = self.met
        mean, square = (met * one for one in self.waits())
        half = met * self.decode / 2.0
        surely, tail = sure_part(mean - half, square - mean**2 - half**2 / 3.0)
        return Gate(half + surely, tail)

    @property
    def met(self) -> FloatArray:
        """Share of the requests that find no lane free."""
        return np.asarray(special.gammainc(self.sharing, self.sharing * self.number))

    @property
    def joined(self) -> FloatArray:
        """Share of the time in which whoever comes may join a given request's lane: the others are all taken."""
        others = np.maximum(self.sharing - 1.0, LEAST_SPREAD)
        return np.where(self.sharing > 1.0, special.gammainc(others, self.sharing * self.number), 1.0)

    def waits(self) -> tuple[FloatArray, FloatArray]:
        """Return mean and mean square of the wait where no lane is free: of both queues in proportion to the room."""
        spread = self.spread()
        shared, turns = self._shared(spread), self._in_turn(spread)
        mean, square = (self.room * a + (1.0 - self.room) * b for a, b in zip(shared, turns, strict=True))
        return mean, square

    @cached_property
    def busy(self) -> FloatArray:
        """Share of the time that prompts take beside what steps take once."""
        return np.minimum(self.rate * self.each, FULLEST)

    @property
    def _bases(self) -> tuple[FloatArray, FloatArray]:
        """What a step lasts without prompts, and with some beside what each of these takes."""
        return self.decode, self.once if self.alone else self.decode + self.once

    def spread(self) -> FloatArray:
        """Return variance over mean of the work that comes, in prompts' mean work: the counts' and the prompts' own.

        A router shares out evenly what comes, but for chance; bursts count over the time in which a queue forgets.
        """
        part = 1.0 / self.sharing
        known = part + (1.0 - part) * CHANCE + (part + (1.0 - part) * UNSEEN) * self.scv
        if self.excess is None:
            return known
        found = np.zeros_like(self.busy)
        for _ in range(ROUNDS):
            found = part * self.excess(self._bases[1] * (known + found) / (1.0 - self.busy) ** 3)
        return known + found

    def _shared(self, spread: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean wait and its mean square where all that comes in a step makes the next one.

        They are exact but for the share of steps with prompts.
        """
        first, second, third = self._moments(spread)
        varying = self.rate * self.each**2 * spread
        wait = (0.5 + self.busy) * second / first
        square = ((0.5 + self.busy) ** 2 + 1.0 / 12.0) * third / first + varying * second / first
        return wait, square

    def _moments(self, spread: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return E[R], E[R²] and E[R³]: R' = B + ΣS, where S come as R lasts and B is longer where any come.

        The share of steps with prompts is met half-way in each round: shorter steps have fewer of them, and where
        prompts run alone these may be shorter than the others, so that whole rounds would go to and fro.
        """
        without, having = self._bases
        u, varying = self.busy, self.rate * self.each**2 * spread
        any_in_short, none_in_long = 1.0 - np.exp(-self.rate * without), np.exp(-self.rate * having)
        without_square, having_square, longer = without**2, having**2, 2.0 * having * u + varying
        rest, rest_square = 1.0 - u, 1.0 - u**2
        some = any_in_short
        for _ in range(SETTLED):
            some = np.maximum(some, LEAST_SPREAD)
            idle, idle_square = (1.0 - some) * without, (1.0 - some) * without_square
            first = (idle + some * having) / rest
            second = (idle_square + some * having_square + longer * first) / rest_square
            mean = np.maximum((first - idle) / some - having, LEAST_SPREAD * first)
            square = (second - idle_square) / some
            scale = np.maximum(square - (mean + having) ** 2, LEAST_SPREAD * mean**2) / mean
            after = none_in_long * (1.0 + self.rate * scale) ** (-mean / scale)
            some = (some + any_in_short / (any_in_short + after)) / 2.0
        third = (1.0 - some) * without**3 + some * having**3 + 3.0 * having**2 * u * first
        third += 3.0 * having * (varying * first + u**2 * second) + 3.0 * varying * u * second
        third += varying * self.each * (1.0 + 2.0 * self.scv) * first
        return first, second, third / (1.0 - u**3)

    def _in_turn(self, spread: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the same where each has steps of its own: half a step of the decodes, and the queue of full steps."""
        busy = np.minimum(self.rate * self.full, FULLEST)
        slow = self.full * spread / (2.0 * (1.0 - busy))
        return self.decode / 2.0 + busy * slow, self.decode**2 / 3.0 + busy * slow * (self.decode + 2.0 * slow)
