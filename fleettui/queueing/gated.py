"""What a prompt waits for: the rest of the step that it finds, what steps leave, and who is computed beside it.

All prompts that come in a step are taken up by the next one, as far as the token budget goes. With no end to that it
is a gated queue (Takagi, Analysis of Polling Systems, 1986). A step R lasts b with the decodes alone, c more if it has
prompts, and S for each of these. With u = λE[S] its mean is (b + c·P(any))/(1 − u) and its variance
(λE[S²]E[R] + c²P(any)P(none))/(1 − u²). Whoever comes meets long steps more often, waits for a part of one that is as
likely as any, and is computed beside what comes in it: W = U·R + ΣS, E[W] = (½ + u)·E[R²]/E[R].

A step that takes B prompts' work at most leaves the rest, V' = (V − X) + A with X = min(V, B). Squared and averaged
that is exact: 2B(1 − ρ)·E[V − X] = (1 − u²)(Var₀ − Var), Var that of X, Var₀ that without an end, and ρ the share of
time that prompts take in full steps, decodes and all. Var is at most E[X](B − E[X]), as if steps were full or empty,
and comes near the smaller of the two. What is left falls off at 2(1 − ρ)/(1 + v), as in M/G/1, to which it comes where
prompts fill many steps.

A router of least load keeps the lanes' requests even, most of which decode: a lane gets the next one as one leaves, by
the steps that it does, not by how long they are, and none while what is left piles up. Nobody waits where a lane is
free: the router finds one while fewer requests are there than lanes, and their number is Poisson's, as in M/G/∞.
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
COUNTED = 0.8
"""What of the variance of counts is left in steps of each of very many such lanes, whose prompts it cannot tell."""
BY_LENGTH = 0.4
"""Of n such lanes each gets prompts by how long its steps are in a part n^-BY_LENGTH, else as many in each (of 2 to 64
lanes that were drawn step by step)."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Steps:
    """Mean, mean square and mean cube of steps, and what takes the variance of their prompts' count `beyond` theirs."""

    first: FloatArray
    second: FloatArray
    third: FloatArray
    beyond: FloatArray


@dataclass(frozen=True, kw_only=True)
class Prompts:
    """The prompts of a lane, all of shape (rows,): `rate` per second, of which a step with any takes `once` seconds.

    Each takes `each` seconds of its steps on the mean, and `full` where prompts wait for each other, with a squared
    coefficient of variation `scv`; it leaves a part `room` of its steps to others, each of which takes so many prompts,
    the `budget`. A step of the decodes alone lasts `decode`; where prompts run `alone` they have none beside them. So
    many lanes are `sharing` one queue, into which requests come with an `excess` over Poisson's counts; a lane has so
    many requests, a mean `number`, for so many `steps` each.
    """

    rate: FloatArray
    once: FloatArray
    each: FloatArray
    full: FloatArray
    scv: FloatArray
    room: FloatArray
    budget: FloatArray
    steps: FloatArray
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
        """Return mean and mean square of the wait where no lane is free.

        It is for the rest of the step that is met, for what this leaves, and for those that come in it: who comes
        before takes `each` where one's own step has room for both and else a `turn`, who comes after where it has room.
        """
        spread, g = self.met_spread(), self.sharing**-BY_LENGTH
        steps = self._steps(spread)
        step = g * steps.second / steps.first + (1.0 - g) * steps.first
        square = g * steps.third / steps.first + (1.0 - g) * steps.second
        ahead, beside = self.room * self.each + (1.0 - self.room) * self.turn, self.room * self.each
        a, b, even = self.rate * ahead, self.rate * beside, (1.0 - g) * step
        left, scale = self._left(steps, spread, g)
        full = self.turn * self.budget
        mean = (1.0 + a + b) / 2.0 * step + left
        found = square / 3.0 + (a + 2.0 * b) / 3.0 * (g * square + even * step)
        found += (a**2 + a * b + b**2) / 3.0 * (g**2 * square + even * (2.0 * g * step + even))
        found += spread * (a * ahead + b * beside) / 2.0 * step
        return mean, found + left * (full + (a + b) * (g * full + even) + 2.0 * scale)

    def _left(self, steps: _Steps, spread: FloatArray, g: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean wait for what the step that is met leaves, and the mean of its exponential tail.

        Full steps get prompts as g says, and fewer by what is left, over the steps that requests have.
        """
        full = g * self.turn * self.budget + (1.0 - g) * steps.first
        slack = 1.0 - np.minimum(self.rate * full / self.budget, FULLEST)
        fewer = 4.0 * (1.0 - g) ** 2 / (self.budget * self.steps)
        slack = (slack + np.sqrt(slack**2 + fewer * spread)) / 2.0
        left = steps.beyond / (2.0 * self.budget * slack) * full / steps.first
        return self.turn * left, self.turn * spread / (2.0 * slack)

    @cached_property
    def turn(self) -> FloatArray:
        """Seconds of a prompt in steps that others fill up, with its part of what these take anyway."""
        return self.full if self.alone else self.full + self.decode / self.budget

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

        A router shares out evenly what comes, but for chance.
        """
        part = 1.0 / self.sharing
        return self._in_bursts(part + (1.0 - part) * CHANCE + (part + (1.0 - part) * UNSEEN) * self.scv)

    def met_spread(self) -> FloatArray:
        """Return the same over a few steps, in which the router sees nothing of the prompts' lengths."""
        part = 1.0 / self.sharing
        return self._in_bursts(part + (1.0 - part) * COUNTED + self.scv)

    def _in_bursts(self, known: FloatArray) -> FloatArray:
        """Return a spread with that of bursts, which count over the time in which a queue forgets."""
        if self.excess is None:
            return known
        found = np.zeros_like(self.busy)
        for _ in range(ROUNDS):
            found = self.excess(self._bases[1] * (known + found) / (1.0 - self.busy) ** 3) / self.sharing
        return known + found

    def _steps(self, spread: FloatArray) -> _Steps:
        """Return the steps that take `budget` prompts at most, from those that take all that comes in one.

        Of what they take, and of what a prompt's work meets of it, variances are bounded alike.
        """
        without, having = self._bases
        e, limit = self.each, self.budget
        first, second, third, some = self._moments(spread)
        come = np.clip(self.rate * first, LEAST_SPREAD, FULLEST * limit)
        square = spread * come + self.rate**2 * second
        cube = self.rate**3 * third + 3.0 * self.rate**2 * spread * second + spread * (1.0 + 2.0 * self.scv) * come
        wide = square - come**2
        narrow = _within(wide, come, limit)
        met = (come**2 + narrow) / come
        cube = met**2 + _within(cube / come - (square / come) ** 2, met, limit)
        idle = 1.0 - some
        return _Steps(
            first=first,
            second=idle * without**2 + some * having**2 + come * e * (2.0 * having + e * met),
            third=idle * without**3 + some * having**3 + come * e * (3.0 * having * (having + e * met) + e**2 * cube),
            beyond=(1.0 - self.busy**2) * (wide - narrow),
        )

    def _moments(self, spread: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return E[R], E[R²], E[R³] and P(any): R' = B + ΣS, where S come as R lasts and B is longer where any come.

        The share of steps with prompts is met half-way in each round: shorter steps have fewer of them, and where
        prompts run alone these may be shorter than the others, so that whole rounds would go to and fro. It is at least
        what it takes to compute them within the budget.
        """
        without, having = self._bases
        u, varying = self.busy, self.rate * self.each**2 * spread
        any_in_short, none_in_long = 1.0 - np.exp(-self.rate * without), np.exp(-self.rate * having)
        without_square, having_square, longer = without**2, having**2, 2.0 * having * u + varying
        rest, rest_square, filling = 1.0 - u, 1.0 - u**2, self.rate / self.budget
        some = any_in_short
        for _ in range(1 if np.array_equal(without, having) else SETTLED):
            some = np.maximum(some, LEAST_SPREAD)
            idle, idle_square = (1.0 - some) * without, (1.0 - some) * without_square
            first = (idle + some * having) / rest
            second = (idle_square + some * having_square + longer * first) / rest_square
            mean = np.maximum((first - idle) / some - having, LEAST_SPREAD * first)
            square = (second - idle_square) / some
            scale = np.maximum(square - (mean + having) ** 2, LEAST_SPREAD * mean**2) / mean
            after = none_in_long * (1.0 + self.rate * scale) ** (-mean / scale)
            least = np.minimum(filling * first, 1.0)
            some = np.maximum((some + any_in_short / (any_in_short + after)) / 2.0, least)
        third = (1.0 - some) * without**3 + some * having**3 + 3.0 * having**2 * u * first
        third += 3.0 * having * (varying * first + u**2 * second) + 3.0 * varying * u * second
        third += varying * self.each * (1.0 + 2.0 * self.scv) * first
        return first, second, third / (1.0 - u**3), some


def _within(variance: FloatArray, mean: FloatArray, most: FloatArray) -> FloatArray:
    """Return the variance of what has such a mean and is `most` at most, where it has a `variance` without an end."""
    full_or_none = mean * np.maximum(most - mean, LEAST_SPREAD * mean)
    found: FloatArray = variance / np.hypot(1.0, variance / full_or_none)
    return found
