"""Prompts on lanes that step together: each round takes up what came in the one before (a gated queue).

A request that comes in a round waits for its end and is prefilled in the next one, beside whatever came meanwhile. How
long a round is follows from the prompts in it, and these from the length of the one before, so that lengths are a
Markov chain. It is worked out over a grid of lengths, with Poisson's counts and gamma distributions of prompts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from scipy import special

from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.waiting import WaitTail

GRID, LONGEST = 48, 60.0
"""Lengths of rounds that are looked at, and the longest in shortest ones."""
PARTS = (np.arange(16) + 0.5) / 16
"""Quantiles at which what comes in a round is looked at, and the times in a round at which somebody comes."""
DOUBLED = 12
"""How often the chain's steps are doubled until the first round is forgotten."""
EXCEEDED = 0.01
"""The share of requests at which the tail of waits is exact, beside their mean."""
LARGEST = float(np.exp(-np.euler_gamma))
"""On average the largest of k is exceeded by the share LARGEST/k: Gumbel's mean."""
LEAST_SPREAD = 1e-6
OF_CHUNKS = ("weight", "own", "common")


@dataclass(frozen=True, kw_only=True)
class LaneTimes:
    """Seconds that chunks of prompts add to a round, shape (atoms,), weights that add up to 1.

    `own` are those of the one of `lanes` that has it, `common` those of the layers that work for all if each had as
    much. A round lasts `base` seconds without them, and `least` in any case.
    """

    lanes: int
    weight: FloatArray
    own: FloatArray
    common: FloatArray
    base: float
    least: float

    @classmethod
    def of(cls, turns: Sequence[Self]) -> Self | None:
        """Return the times of the first chunks, the second ones and so on together; None of none.

        `weight` says how many requests have each.
        """
        if not turns:
            return None
        weight, own, common = (np.concatenate([getattr(one, name) for one in turns]) for name in OF_CHUNKS)
        return replace(turns[0], weight=weight / weight.sum(), own=own, common=common)

    @cached_property
    def alone(self) -> FloatArray:
        """The seconds of a round that has one chunk; shape (atoms,)."""
        return np.maximum(self.base + self.own + self.common / self.lanes, self.least)


@dataclass(frozen=True, kw_only=True)
class Rounds:
    """Rounds of lanes among which a router shares out `rate` chunks of prompts per second evenly."""

    times: LaneTimes
    rate: float

    @cached_property
    def own(self) -> tuple[float, float]:
        """Mean and squared coefficient of variation of a chunk's seconds on its lane."""
        return _spread(self.times.weight, self.times.own)

    @cached_property
    def common(self) -> tuple[float, float]:
        """The same of its seconds in the layers that work for all lanes, these being alike."""
        return _spread(self.times.weight, self.times.common)

    @cached_property
    def grid(self) -> FloatArray:
        """The lengths that are looked at, seconds; shape (GRID,)."""
        least = max(self.times.least, self.times.base)
        return np.geomspace(least, LONGEST * least, GRID)

    def lasting(self, chunks: FloatArray) -> FloatArray:
        """Return the seconds of a round whose prompts are as long as so many mean chunks."""
        (mean, scv), lanes = self.own, self.times.lanes
        each = np.maximum(chunks / lanes, 1.0)
        shape = each / scv
        largest = special.gammaincinv(shape, 1.0 - LARGEST / np.clip(chunks, 1.0, lanes)) / shape
        longest = np.where(chunks <= 1.0, chunks, each * np.maximum(largest, 1.0))
        taken = self.times.base + mean * longest + self.common[0] / lanes * chunks
        return np.maximum(taken, self.times.least)

    def _coming(self, some: FloatArray | float) -> FloatArray:
        """Return quantiles of what comes in rounds of each length, in mean chunks; shape (GRID, PARTS).

        `some` is the share of the rounds that count: those in which anything came, or 1 for all.
        """
        count = self.rate * self.grid
        mean = count / some
        variance = (count * (1.0 + self.common[1]) + count**2) / some - mean**2
        shape = mean**2 / np.maximum(variance, LEAST_SPREAD * mean**2)
        return np.asarray(special.gammaincinv(shape[:, None], PARTS) * (mean / shape)[:, None])

    @cached_property
    def lengths(self) -> FloatArray:
        """The share of rounds that have each length of the grid; one that nobody preceded has one chunk."""
        some = -np.expm1(-self.rate * self.grid)
        first = self._placed(self.times.alone[None], self.times.weight)
        after = self._placed(self.lasting(self._coming(some)), np.full(len(PARTS), 1.0 / len(PARTS)))
        chain = some[:, None] * after + (1.0 - some)[:, None] * first
        for _ in range(DOUBLED):
            chain = chain @ chain
        return np.asarray(chain[0] / chain[0].sum())

    def _placed(self, seconds: FloatArray, weight: FloatArray) -> FloatArray:
        """Return the weight that each row of `seconds` (rows, points) has on each length of the grid."""
        place = np.interp(seconds, self.grid, np.arange(GRID))
        below = np.minimum(place.astype(np.int64), GRID - 2)
        found = np.zeros((len(seconds), GRID))
        rows = np.arange(len(seconds))[:, None]
        np.add.at(found, (rows, below), weight * (below + 1 - place))
        np.add.at(found, (rows, below + 1), weight * (place - below))
        return found

    @cached_property
    def mean(self) -> float:
        """Mean seconds of a round."""
        return float(self.lengths @ self.grid)

    @property
    def met_mean(self) -> float:
        """Mean seconds of a round as somebody meets it: a long one is met by as many more as it is longer."""
        return float(self.lengths @ self.grid**2) / self.mean

    @cached_property
    def met(self) -> float:
        """The share of requests that come while a round goes on."""
        return self.mean / (self.mean + float(self.lengths @ np.exp(-self.rate * self.grid)) / self.rate)

    @cached_property
    def waits(self) -> tuple[float, float]:
        """Mean wait, and the one that a share EXCEEDED exceeds: the rest of a round, and others in the next.

        A long round is met by as many more as it is longer.
        """
        with_others = self.lasting(self._coming(1.0) + 1.0) - self.lasting(np.ones(1))
        waited = self.grid[:, None, None] * PARTS[None, :, None] + with_others[:, None, :]
        by_length = self.met * self.lengths * self.grid / self.mean
        weight = np.broadcast_to(by_length[:, None, None] / len(PARTS) ** 2, waited.shape).ravel()
        order = np.argsort(waited, axis=None)[::-1]
        longest = int(np.searchsorted(np.cumsum(weight[order]), EXCEEDED))
        far = float(waited.ravel()[order[longest]]) if longest < len(order) else 0.0
        return float(weight @ waited.ravel()), far

    @cached_property
    def surely(self) -> float:
        """Seconds that each request waits, beside an exponential: together they have the mean and the far wait."""
        mean, far = self.waits
        return max(mean - (far - mean) / (math.log(1.0 / EXCEEDED) - 1.0), 0.0)

    @cached_property
    def wait(self) -> WaitTail:
        """The tail of what is waited beside `surely`."""
        mean, far = self.waits
        if self.surely > 0.0:
            return WaitTail(np.ones(()), np.asarray(1.0 / (mean - self.surely)))
        with np.errstate(divide="ignore"):
            rate = np.log(max(self.met, EXCEEDED) / EXCEEDED) / np.asarray(far)
        return WaitTail(np.asarray(self.met), rate)


def _spread(weight: FloatArray, seconds: FloatArray) -> tuple[float, float]:
    mean = float(weight @ seconds)
    return mean, max(float(weight @ seconds**2) / mean**2 - 1.0, LEAST_SPREAD)
