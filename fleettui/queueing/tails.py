"""Percentiles of delay plus waits, exactly over the atoms of a workload (model.md §5.2).

A request's own delay is linear in its features; waiting for a place and waiting for prefill are two independent queues,
each P(wait > t) = C·e^(−rate·t), so the tail of their sum is closed. A percentile T solves
Σ atoms p·P(waits > T − delay) = q.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fleettui.queueing.arrays import FloatArray, IntArray
from fleettui.queueing.latency import Delay, PoolLoad
from fleettui.queueing.ranges import RISING
from fleettui.queueing.waiting import WaitTail

_TOLERANCE = 1e-9
_NEAR = 1e-9
"""An exceedance that is as near to a share may be on its other side for rounding."""
Waits = tuple[tuple[FloatArray, FloatArray], ...]
LateAndWaiting = tuple[float, list[tuple[float, float]]]
"""What `Tail.late` and `Tail.waiting` return."""
_FASTEST = 1e100  # per second; a queue whose service takes no time, in which nobody waits, has an infinite rate


def within(
    load: PoolLoad,
    delay: Delay,
    limit: float | FloatArray,
    exceeded: float,
    *,
    place: bool = True,
    prefill: bool = True,
) -> np.ndarray:
    """Return, per row, whether at most a share `exceeded` of requests takes longer than `limit` seconds.

    The limit is one, or each row's own; on request without the wait for a place, or that for prefill. Bounds by some of
    the atoms decide most rows whose delays rise with the prompt alone; the others are evaluated exactly.
    """
    coefficients, limits = delay(load), np.broadcast_to(limit, len(load.rows))
    waits = _sum_of_waits(load, place=place, prefill=prefill)
    passes, unclear = np.zeros(len(load.rows), bool), load.stable
    if not coefficients[:, RISING:].any():
        least, most = _bounds(load, coefficients, limits, waits)
        passes = unclear & (most <= exceeded * (1.0 - _TOLERANCE))
        unclear = unclear & ~passes & ~(least > exceeded * (1.0 + _TOLERANCE))
    if len(rows := np.flatnonzero(unclear)):
        some = tuple((amplitude[rows], rate[rows]) for amplitude, rate in waits)
        passes[rows] = _exceedance(load.pick(rows), coefficients[rows], limits[rows], some) <= exceeded
    return np.asarray(passes)


def share_above(load: PoolLoad, coefficients: FloatArray, limits: FloatArray) -> FloatArray:
    """Return the share of each row's requests whose own delay exceeds the row's limit, waits left out.

    Delays that rise with the prompt alone are answered from running sums in O(log atoms) a row, others atom by atom.
    """
    if coefficients[:, RISING:].any():
        flat = _Flat.of(load, coefficients)
        return flat.total(flat.delays > np.repeat(limits, flat.counts))
    ranges = load.ranges
    terms = [(coefficients[:, i], ranges.rising[i]) for i in range(RISING) if coefficients[:, i].any()]
    low, end = ranges.ends(load.told)
    high = end
    for _ in range(int((end - low).max(initial=0)).bit_length()):
        middle = (low + high) // 2
        at = np.minimum(middle, end - 1)
        beyond = sum(coefficient * feature[at] for coefficient, feature in terms) > limits
        high = np.where(beyond, middle, high)
        low = np.where(beyond, low, middle + 1)
    return ranges.share_from(load.told, high)


def percentile(
    load: PoolLoad, delay: Delay, exceeded: float, *, place: bool = True, prefill: bool = True
) -> FloatArray:
    """Return, per row, the time that a share `exceeded` of requests exceeds; on request without one of the waits.

    Infinite where the row is overloaded. Solved to a relative 1e-9.
    """
    found = tails_of(load, delay, place=place, prefill=prefill)
    return np.array([percentile_of(tail, exceeded) for tail in found])


def percentile_of(tail: Tail, exceeded: float) -> float:
    """Return what `mixture_percentile` does of one part, at fewer looks at all of its atoms."""
    if not tail.stable:
        return math.inf
    order = np.argsort(tail.delays)
    delays, weights = tail.delays[order], tail.weights[order]
    below = np.cumsum(weights)
    lowest = float(delays[np.searchsorted(below, (1.0 - exceeded) * below[-1] * (1.0 - 1e-12))])
    at = late, waiting = tail.late(lowest), tail.waiting(lowest)
    if late + sum(amplitude for amplitude, _ in waiting) <= exceeded:
        return lowest
    longest = tail.longest_wait(exceeded / 2.0)
    highest = float(delays[np.searchsorted(below, (1.0 - exceeded / 2.0) * below[-1])]) + longest
    inner = slice(np.searchsorted(delays, lowest, side="right"), np.searchsorted(delays, highest))
    jumps = zip(delays[inner].tolist(), weights[inner].tolist(), strict=True)
    start, end = _walked(tail, exceeded, lowest, at, [*jumps, (highest * (1.0 + _TOLERANCE), 0.0)])
    if start > lowest:
        late, waiting = tail.late(start), tail.waiting(start)
    return _smooth_root(late - exceeded, waiting, start, end)


def _walked(
    tail: Tail, exceeded: float, start: float, at: LateAndWaiting, jumps: Sequence[tuple[float, float]]
) -> tuple[float, float]:
    """Return the neighbours among `start` and the rising (delay, weight) between which the exceedance comes to a share.

    `at` is who is late and who waits at `start`. From one to the next what waits falls, and who is no longer late may
    still wait. That is the exceedance but for rounding; where it is as near as that to the share, it is worked out from
    all atoms.
    """
    late, ((slow, slow_rate), (fast, fast_rate)) = at
    (slow_each, _), (fast_each, _) = tail.waits
    time = start
    for place, (jump, weight) in enumerate(jumps[:-1]):
        if jump > time:
            slow *= math.exp(-slow_rate * (jump - time))
            fast *= math.exp(-fast_rate * (jump - time))
            time = jump
        late, slow, fast = late - weight, slow + weight * slow_each, fast + weight * fast_each
        if jumps[place + 1][0] > jump:
            excess = late + slow + fast - exceeded
            if (tail(jump) - exceeded if abs(excess) < _NEAR else excess) <= 0.0:
                return start, jump
            start = jump
    return start, jumps[-1][0]


def mixture_percentile(parts: Sequence[tuple[Tail, float]], exceeded: float) -> float:
    """Return the time that a share `exceeded` of the requests of several pools together exceeds.

    Each part is (tail, share of all requests): the quantile of the mixture, never a mean of quantiles. Infinite where a
    part is overloaded.
    """
    if not all(tail.stable for tail, _ in parts):
        return float(np.inf)
    delays = np.concatenate([tail.delays for tail, _ in parts])
    weights = np.concatenate([tail.weights * share for tail, share in parts])
    order = np.argsort(delays)
    delays, below = delays[order], np.cumsum(weights[order])

    def excess(time: float) -> float:
        return sum(share * tail(time) for tail, share in parts) - exceeded

    lowest = float(delays[np.searchsorted(below, (1.0 - exceeded) * below[-1] * (1.0 - 1e-12))])
    if excess(lowest) <= 0.0:
        return lowest
    longest = max(tail.longest_wait(exceeded / 2.0) for tail, _ in parts)
    highest = float(delays[np.searchsorted(below, (1.0 - exceeded / 2.0) * below[-1])]) + longest
    jumps = delays[(delays > lowest) & (delays < highest)]
    start, end = _between_jumps(excess, np.concatenate([[lowest], jumps, [highest * (1.0 + _TOLERANCE)]]))
    late = sum(share * tail.late(start) for tail, share in parts) - exceeded
    waiting = [(share * amplitude, rate) for tail, share in parts for amplitude, rate in tail.waiting(start)]
    return _smooth_root(late, waiting, start, end)


def _between_jumps(excess: Callable[[float], float], times: FloatArray) -> tuple[float, float]:
    """Return the neighbours in `times` between which `excess` turns from positive to not."""
    low, high = 0, len(times) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if excess(times[middle]) > 0.0 else (low, middle)
    return float(times[low]), float(times[high])


def _smooth_root(constant: float, waiting: Sequence[tuple[float, float]], start: float, end: float) -> float:
    """Return where constant + Σ amplitude·e^(−rate·(time − start)) falls to 0, at most `end`, by bisection.

    Between two delays the exceedance is such a sum, so no atom is looked at again. A few scalars need no root finder
    that takes longer to load than to bisect.
    """

    def above(time: float) -> bool:
        if len(waiting) != 2:
            return constant + sum(amplitude * math.exp(-rate * (time - start)) for amplitude, rate in waiting) > 0.0
        (slow, slow_rate), (fast, fast_rate) = waiting  # as most are
        later = time - start
        return constant + (slow * math.exp(-slow_rate * later) + fast * math.exp(-fast_rate * later)) > 0.0

    if above(end):
        return end
    low, high = start, end
    while high - low > high * _TOLERANCE:
        middle = (low + high) / 2.0
        low, high = (middle, high) if above(middle) else (low, middle)
    return high


@dataclass(frozen=True, slots=True)
class Tail:
    """P(delay + waits > time) of one pool: delays with their weights, and the waits' sum as exponentials.

    `waits` are (amplitude, rate) of each exponential; `queues` the (probability, rate) of each wait alone. In an
    overloaded pool, not `stable`, everything is late, as where steps alone have no end.
    """

    delays: FloatArray
    weights: FloatArray
    waits: tuple[tuple[float, float], ...]
    queues: tuple[tuple[float, float], ...]
    stable: bool

    def longest_wait(self, exceeded: float) -> float:
        """Return a wait that at most a share `exceeded` exceeds, a part of it, half at most, in each queue."""
        part = exceeded / max(len(self.queues), 2)
        return sum(math.log(probability / part) / rate for probability, rate in self.queues if probability > part)

    def __call__(self, time: float) -> float:
        """Return the probability of exceeding `time`."""
        if not self.stable:
            return 1.0
        return self.late(time) + sum(amplitude for amplitude, _ in self.waiting(time))

    def late(self, time: float) -> float:
        """Return the share of requests whose delay alone exceeds `time`."""
        return float(self.weights @ (self.delays > time))

    def waiting(self, time: float) -> list[tuple[float, float]]:
        """Return (amplitude, rate) of each wait: the others exceed time + x with Σ amplitude·e^(−rate·x)."""
        slack = time - self.delays
        weights = np.where(slack < 0.0, 0.0, self.weights)
        slack = np.maximum(slack, 0.0)
        return [(amplitude * float(weights @ np.exp(-rate * slack)), rate) for amplitude, rate in self.waits]


def tails_of(load: PoolLoad, delay: Delay, *, place: bool = True, prefill: bool = True) -> list[Tail]:
    """Return one tail per row; on request without the wait for a place, or that for prefill."""
    coefficients = delay(load)
    flat, (slow, fast) = _Flat.of(load, coefficients), _sum_of_waits(load, place=place, prefill=prefill)
    stable = load.stable & np.isfinite(coefficients).all(axis=1)
    queues = _waits(load, place=place, prefill=prefill)
    return [
        Tail(
            flat.delays[start : start + count],
            flat.weights[start : start + count],
            ((float(slow[0][row]), float(slow[1][row])), (float(fast[0][row]), float(fast[1][row]))),
            tuple((float(queue.probability[row]), float(queue.rate[row])) for queue in queues),
            bool(stable[row]),
        )
        for row, (start, count) in enumerate(zip(flat.starts, flat.counts, strict=True))
    ]


@dataclass(frozen=True, slots=True)
class _Flat:
    """The atoms of all rows one after another: own delays and weights (summing to 1 per row), and where rows start."""

    delays: FloatArray
    weights: FloatArray
    counts: IntArray
    starts: IntArray

    @classmethod
    def of(cls, load: PoolLoad, coefficients: FloatArray) -> _Flat:
        ranges, rows = load.ranges, load.told
        first, counts = ranges.first[rows], (ranges.last - ranges.first)[rows]
        assert (counts > 0).all(), "a pool without requests has no latency"
        starts = np.cumsum(counts) - counts
        atom = np.arange(counts.sum()) + np.repeat(first - starts, counts)
        delays = np.zeros(len(atom))
        for feature, coefficient in zip(ranges.features, coefficients.T, strict=True):
            if coefficient.any():
                delays += np.repeat(coefficient, counts) * feature[atom]
        weights = ranges.weight[atom] / np.repeat(ranges.moments.share[rows], counts)
        return cls(delays, weights, counts, starts)

    def total(self, values: np.ndarray) -> FloatArray:
        """Return the weighted sum of `values` per row."""
        return np.asarray(np.add.reduceat(self.weights * values, self.starts))


def _exceedance(load: PoolLoad, coefficients: FloatArray, limits: FloatArray, waits: Waits) -> FloatArray:
    """Return P(delay + waits > the row's limit) per row, exactly."""
    flat = _Flat.of(load, coefficients)
    limit = np.repeat(limits, flat.counts)
    slack = np.maximum(limit - flat.delays, 0.0)
    waiting = np.zeros_like(slack)
    for amplitude, rate in waits:
        waiting += np.repeat(amplitude, flat.counts) * np.exp(-np.repeat(rate, flat.counts) * slack)
    return flat.total(np.where(flat.delays > limit, 1.0, waiting))


def _bounds(
    load: PoolLoad, coefficients: FloatArray, limits: FloatArray, waits: Waits
) -> tuple[FloatArray, FloatArray]:
    """Return P(delay + waits > the row's limit) at least and at most, per row, for delays that rise with the prompt.

    Between two of a range's marks a request takes as long as at the one at least, and as at the other at most.
    """
    ranges, rows = load.ranges, load.told
    places = ranges.marks[rows]
    terms = [(coefficients[:, i], ranges.rising[i]) for i in range(RISING) if coefficients[:, i].any()]
    slack = np.broadcast_to(limits[:, None], places.shape)
    slack = slack - sum(coefficient[:, None] * feature[places] for coefficient, feature in terms)
    with np.errstate(invalid="ignore"):  # of overloaded rows, whose bounds nobody reads
        late = sum(amplitude[:, None] * np.exp(-rate[:, None] * np.maximum(slack, 0.0)) for amplitude, rate in waits)
    late = np.where(slack < 0.0, 1.0, late)
    beyond = ranges.share_from(rows[:, None], places)
    between, last = beyond[:, :-1] - beyond[:, 1:], beyond[:, -1] * late[:, -1]
    return (between * late[:, :-1]).sum(axis=1) + last, (between * late[:, 1:]).sum(axis=1) + last


def _waits(load: PoolLoad, *, place: bool, prefill: bool) -> list[WaitTail]:
    """Return the waits that count."""
    return ([load.prefill] if prefill else []) + ([load.place] if place else [])


def _sum_of_waits(load: PoolLoad, *, place: bool, prefill: bool) -> Waits:
    """Return ((amplitude, rate), (amplitude, rate)) whose exponentials add up to P(the waits together > t)."""
    c1, r1 = load.place.probability * float(place), load.place.rate
    c2, r2 = load.prefill.probability * float(prefill), load.prefill.rate
    r1, r2 = np.minimum(r1, _FASTEST), np.minimum(r2, _FASTEST)
    r2 = np.where(np.abs(r1 - r2) < 1e-6 * r1, r2 * (1.0 + 2e-6), r2)
    with np.errstate(divide="ignore", invalid="ignore"):  # rates of overloaded rows are 0; nobody reads their tails
        both = c1 * c2 / (r1 - r2)
        return (c1 * (1.0 - c2) - both * r2, r1), (c2 * (1.0 - c1) + both * r1, r2)
