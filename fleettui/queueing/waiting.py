"""How long requests wait in a queue of many servers: approximations for M/G/c, each with its source.

Symbols: c servers, ρ utilization, E[S] mean service time, v the squared coefficient of variation of service, q the
share of requests allowed to wait longer (0.01 for P99), C the probability of waiting at all. All arguments broadcast.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from fleettui.queueing.arrays import FloatArray, IntArray
from fleettui.queueing.bursts import Excess, peakedness, stretch
from fleettui.queueing.erlang import erlang_c


def variability_factor(servers: ArrayLike, utilization: ArrayLike, scv: ArrayLike, waits: ArrayLike) -> FloatArray:
    """Return φ, by which variable service stretches the M/M/c waiting time's tail.

    For v > 1: φ = 1 + ((1 + v)/2 − 1)(1 − (1 − C)⁴): the full Pollaczek–Khinchine factor where everybody waits, none
    where nobody does. For v ≤ 1: Kimura's interpolation between M/M/c and M/D/c, φ = (1 + v)/(2v + (1 − v)/d), with
    Cosmetatos' d = min(1, ½(1 + (1 − ρ)(c − 1)(√(4 + 5c) − 2)/(16cρ))) for M/D/c (Kimura 1986; Cosmetatos 1975).
    A part of a server, c < 1, is one that works at c times the speed: as at c = 1, d = ½ and φ = (1 + v)/2 (Pollaczek
    and Khinchine), where Cosmetatos' fit, made for whole servers, would fall below 0.

    >>> round(float(variability_factor(1, 0.7, 1.0, 0.7)), 6)
    1.0
    """
    c, rho, v, probability = (np.asarray(x, float) for x in (servers, utilization, scv, waits))
    high = 1.0 + ((1.0 + v) / 2.0 - 1.0) * (1.0 - (1.0 - probability) ** 4)
    with np.errstate(divide="ignore", invalid="ignore"):
        cosmetatos = 0.5 * (1.0 + (1.0 - rho) * (c - 1.0) * (np.sqrt(4.0 + 5.0 * c) - 2.0) / (16.0 * c * rho))
        low = (1.0 + v) / (2.0 * v + (1.0 - v) / np.clip(cosmetatos, 0.5, 1.0))
    return np.where(v > 1.0, high, np.where(rho > 0, low, 1.0))


def wait_percentile(
    servers: ArrayLike, utilization: ArrayLike, mean_service: ArrayLike, scv: ArrayLike, exceeded: float
) -> FloatArray:
    """Return the wait that a share `exceeded` of requests exceeds, in the unit of `mean_service`.

    ln(C/q)·E[S]/(c(1 − ρ))·φ with the exponential tail of M/M/c; 0 where no more than q of the requests wait at all,
    infinite at ρ ≥ 1. C is Erlang C at load ρc.

    >>> round(float(wait_percentile(16, 0.85, 1.0, 4.0, 0.01)), 5)
    3.68263
    """
    tail = WaitTail.of(servers, utilization, mean_service, scv)
    return tail.percentile(exceeded)


class WaitTail:
    """P(wait > t) = probability·e^(−rate·t) for t ≥ 0, elementwise over arrays of queues."""

    __slots__ = ("probability", "rate")

    def __init__(self, probability: FloatArray, rate: FloatArray) -> None:
        self.probability, self.rate = probability, rate

    @classmethod
    def of(
        cls,
        servers: ArrayLike,
        utilization: ArrayLike,
        mean_service: ArrayLike,
        scv: ArrayLike,
        excess: Excess | None = None,
    ) -> WaitTail:
        """Return the M/G/c tail with Erlang's C at load ρc and rate c(1 − ρ)/(E[S]·φ); rate 0 at ρ ≥ 1.

        `excess` is what the arrivals' counts vary more than Poisson's: it makes fewer, faster servers (`peakedness`),
        and φ grows by it (`stretch`).
        """
        c, rho, service = (np.asarray(x, float) for x in (servers, utilization, mean_service))
        peaked = 1.0 if excess is None else peakedness(excess, service)
        c, service = c / peaked, service / peaked
        probability = erlang_c(c, np.minimum(rho, 1.0) * c)
        factor = variability_factor(c, rho, scv, probability)
        if excess is not None:
            factor = factor * stretch(excess, c * np.maximum(1.0 - rho, 0.0) ** 2, service, scv)
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = np.where(service > 0, c * np.maximum(1.0 - rho, 0.0) / (service * factor), np.inf)
        return cls(probability, rate)

    def faster(self, pace: FloatArray) -> WaitTail:
        """Return the tail that falls so many times as fast."""
        return WaitTail(self.probability, self.rate * pace)

    def pick(self, index: IntArray) -> WaitTail:
        """Return the queues `index`."""
        return WaitTail(self.probability[index], self.rate[index])

    def percentile(self, exceeded: float) -> FloatArray:
        """Return t with P(wait > t) = `exceeded`, 0 where fewer wait at all, infinite where the queue grows.

        t = ln(probability/exceeded)/rate: the P99 wait of plans, exceeded = 0.01, is `PoolLoad.place.percentile(0.01)`.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            time = np.log(self.probability / exceeded) / self.rate
        return np.where(self.probability <= exceeded, 0.0, time)


def sure_part(mean: FloatArray, variance: FloatArray) -> tuple[FloatArray, WaitTail]:
    """Return seconds that everybody waits and an exponential tail beside them, together of such a mean and variance.

    Where waits spread more than an exponential does, nobody waits surely, and the share 2·mean²/(mean² + variance) at
    all. A mean or variance below 0, by rounding, is 0.

    >>> surely, tail = sure_part(np.array([0.5, 0.5]), np.array([0.04, 0.75]))
    >>> surely.round(3).tolist(), tail.probability.round(3).tolist(), (1.0 / tail.rate).round(3).tolist()
    ([0.3, 0.0], [1.0, 0.5], [0.2, 1.0])
    """
    mean, deviation = np.maximum(mean, 0.0), np.sqrt(np.maximum(variance, 0.0))
    surely = np.maximum(mean - deviation, 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        share = np.where(mean > 0.0, np.minimum(2.0 / (1.0 + (deviation / mean) ** 2), 1.0), 0.0)
        rate = np.where(share > 0.0, share / np.where(surely > 0.0, deviation, mean), np.inf)
    return surely, WaitTail(share, rate)


def kimura_tail(servers: ArrayLike, utilization: ArrayLike, scv: ArrayLike, exceeded: float) -> FloatArray:
    """Return FO's percentile wait over E[S]: ln(C/q)(1 + v)/(2c(1 − ρ)), 0 where C ≤ q (FleetOpt, Eq. 6).

    >>> round(float(kimura_tail(16, 0.85, 4.0, 0.01)), 5)
    3.92569
    """
    c, rho, v = (np.asarray(x, float) for x in (servers, utilization, scv))
    probability = erlang_c(c, rho * c)
    time = np.log(np.maximum(probability, exceeded) / exceeded) * (1.0 + v) / (2.0 * c * (1.0 - rho))
    return np.asarray(time)


def state_dependent_wait(
    base: ArrayLike, per_sequence: ArrayLike, concurrency: ArrayLike, replicas: ArrayLike, utilization: ArrayLike
) -> FloatArray:
    """Return the chance of waiting when a step lasts base + per_sequence·batch, so a small batch is served faster.

    The number in system has weights m^j Γ(j + r)/(Γ(r) j!) up to j = c = replicas·concurrency with
    r = 1 + replicas·base/per_sequence and m the load of the batch-dependent part: negative binomial, so the sum is an
    incomplete beta function; above c the weights fall by `utilization` each (model.md §5.1).

    >>> round(float(state_dependent_wait(0.008, 1e-4, 64, 1, 0.85)), 7)
    0.0719754
    """
    w, kappa, n, g, rho = (np.asarray(x, float) for x in (base, per_sequence, concurrency, replicas, utilization))
    c = n * g
    m = rho * n * kappa / (w + n * kappa)
    r = 1.0 + g * w / kappa
    with np.errstate(divide="ignore"):
        log_last = (
            c * np.log(m) + special.gammaln(c + r) - special.gammaln(r) - special.gammaln(c + 1.0) + r * np.log1p(-m)
        )
    tail = np.exp(log_last) / np.maximum(1.0 - rho, 1e-300)
    below = special.betainc(r, c, 1.0 - m)
    return np.where(rho < 1.0, tail / (below + tail), 1.0)
