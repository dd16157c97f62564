"""Arrivals that come in bursts: what they do to the wait in a queue of many servers.

The excess of a stream is variance over mean of its counts in windows of some seconds, less Poisson's 1. A part of its
requests, picked at random, has that part of the excess.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from fleettui.queueing.arrays import FloatArray, IntArray

Excess = Callable[[FloatArray], FloatArray]
"""The excess by seconds, elementwise; infinite seconds are the long run."""
ROUNDS = 4
"""Rounds in which the excess and the time over which it counts settle."""
OWN = 0.25
"""What formulas that simulations of one stream correct count of how another differs from it: all of that is too much,
none too little (set by 14 fleets that were simulated with longer steps, under four recorded streams).
"""


@dataclass(frozen=True)
class Bursts:
    """The stream of all requests: its `rate` per second, its excess in the `long_run`, and its `memory` in seconds.

    The rate varies with a covariance that falls as exp(-t/memory); 0 where gaps are independent of each other. Rate
    and excess are those of all rows or of each. `at` says the excess at other rates, None where it is the same.
    """

    rate: FloatArray | float
    long_run: FloatArray | float
    memory: FloatArray | float
    at: Callable[[FloatArray], FloatArray] | None = None

    def faster(self, times: FloatArray) -> Bursts:
        """Return the stream of each row, which comes so many times as fast."""
        rate = self.rate * times
        return replace(self, rate=rate, long_run=self.long_run if self.at is None else self.at(rate))

    def as_loading(self, times: FloatArray) -> Bursts:
        """Return the stream that steps so many times as long meet as those predicted meet one so many times as fast.

        Times are then as many times as long, its memory too, and its excess is that of the faster one.
        """
        return replace(self, long_run=self.faster(times).long_run, memory=self.memory * times)

    def as_seen(self, times: FloatArray) -> Bursts:
        """Return the stream for steps so many times as long, of formulas that simulations of `as_loading` correct."""
        seen = self.as_loading(times)
        excess = seen.long_run + OWN * (self.long_run - seen.long_run)
        return replace(self, long_run=excess, memory=seen.memory + OWN * (self.memory - seen.memory))

    def pick(self, index: IntArray) -> Bursts:
        """Return the streams of the rows `index`."""
        each = (self.rate, self.long_run, self.memory)
        rate, excess, memory = (one[index] if isinstance(one, np.ndarray) else one for one in each)
        return replace(self, rate=rate, long_run=excess, memory=memory)

    def of_part(self, rate: FloatArray) -> Excess:
        """Return the excess of parts of so many requests per second."""
        share = np.minimum(rate / self.rate, 1.0)

        def excess(seconds: FloatArray) -> FloatArray:
            if not np.any(self.memory):
                return share * self.long_run
            with np.errstate(divide="ignore", invalid="ignore"):
                past = seconds / self.memory
                seen = np.where(past > 0.0, 1.0 + np.expm1(-past) / past, 0.0)
            return share * self.long_run * seen

        return excess


def peakedness(excess: Excess, mean_service: FloatArray) -> FloatArray:
    """Return z, by which bursts make servers fewer and faster: c servers meet them as c/z meet Poisson's (Hayward).

    With exponential service and servers without end, variance over mean of the requests in service is
    1 + E[excess(T)]/2 with T the time of two services (Eckberg 1983). Here the excess counts in
    full, at the mean of T, to be careful.
    """
    return 1.0 + excess(2.0 * mean_service)


def stretch(excess: Excess, room: FloatArray, mean_service: FloatArray, scv: ArrayLike) -> FloatArray:
    """Return by how much longer the tail of the wait is than with Poisson arrivals: (1 + u + v)/(1 + v).

    That is Kingman's and Allen and Cunneen's factor over Poisson's, u the excess over the time in which the queue
    forgets its past, E[S](1 + u + v)/room with room = c(1 - rho)^2: that is too short to see slow changes of the rate.
    """
    v = np.asarray(scv, float)
    seconds = np.full(np.broadcast(room, mean_service, v).shape, np.inf)
    found = excess(seconds)
    for _ in range(ROUNDS):
        with np.errstate(divide="ignore", invalid="ignore"):
            seconds = np.where(room > 0, mean_service * (1.0 + found + v) / room, np.inf)
        found = excess(seconds)
    return np.asarray((1.0 + found + v) / (1.0 + v))
