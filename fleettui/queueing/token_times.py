"""The time per output token: how long a request's later steps are, over as many as it has.

Steps follow each other by the prompts that come, which they do while the other lanes are taken: what comes in a step
lengthens the next one, so that a step that is x longer than the mean m makes the next u·x longer, u the share of time
that prompts take. Of a request of n later steps the whole is n·m + x·u(1 − uⁿ)/(1 − u), x what its own prompt adds to
the step before them. What a step of length R gets varies by λE[S²]R, and j steps before the end it counts
(1 − u^j)/(1 − u) times. Beside, all steps share the spread of batch and contexts. Few prompts come in few steps, and
some of these are long: for each n the time per token has the mean, the variance and the skewness of that, as a gamma
distribution has them that is moved along, of which Wilson and Hilferty's cube root is normal (1931).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.bursts import peakedness
from fleettui.queueing.latency import PoolLoad
from fleettui.queueing.ranges import PARTS

LEAST_SKEW, MOST_SKEW = 1e-3, 4.0
"""Skewness below which a distribution is as good as normal, and above which the cube root is not."""
HALVINGS = 48
"""Bisections of a percentile: to the last digits but two."""


def tpot_percentile(load: PoolLoad, exceeded: float) -> FloatArray:
    """Return the time per output token that a share `exceeded` of requests exceeds, seconds.

    It is by the steps that an arrival sees, at most that by full ones; infinite where the pool is overloaded. Steps
    that verify drafts are shared by the tokens that they commit.
    """
    found = np.fmin(*(steps.percentile(exceeded) for steps in (_seen(load), _full(load))))
    return np.where(load.occupancy.utilization < 1.0, found * steps_a_token(load), np.inf)


def tpot_exceeded(load: PoolLoad, limit: float) -> FloatArray:
    """Return the share of requests whose time per output token exceeds `limit`: `tpot_percentile` solved for it."""
    found = np.fmin(*(steps.exceeded(limit / steps_a_token(load)) for steps in (_seen(load), _full(load))))
    return np.where(load.occupancy.utilization < 1.0, found, 1.0)


def steps_a_token(load: PoolLoad) -> FloatArray:
    """Return the later steps of requests for each of their later tokens: 1 without drafts."""
    if not load.service.drafting.drafts:
        return np.ones_like(load.replicas)
    m = load.moments
    return np.asarray((m.steps - m.prefill_steps) / np.maximum(m.output - 1.0, 1.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Steps:
    """The later steps of requests; seconds of shape (rows,) where nothing else is said.

    They have the `mean`; a request's differ from it together with the deviation `shared`, and each by itself with
    the variance `apart` and the third cumulant `third`. A step that is x longer makes the next one `left` * x longer;
    the step before the first one is `longer` than the mean by so much. `inverse`, shape (rows, parts), is one over
    their number for PARTS of requests.
    """

    mean: FloatArray
    shared: FloatArray
    apart: FloatArray
    third: FloatArray
    left: FloatArray
    longer: FloatArray
    inverse: FloatArray

    def percentile(self, exceeded: float) -> FloatArray:
        """Return the mean of its steps that the share `exceeded` of requests exceeds."""
        mean, deviation, skew = self._of_parts()
        each = mean + _score(float(special.ndtri(1.0 - exceeded)), skew) * deviation
        low, high = each.min(axis=1), each.max(axis=1)
        if np.array_equal(low, high):
            return np.asarray(high)
        for _ in range(HALVINGS):
            middle = (low + high) / 2.0
            above = _share_above(middle, mean, deviation, skew) > exceeded
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        return np.asarray(high)

    def exceeded(self, limit: FloatArray) -> FloatArray:
        """Return the share of requests the mean of whose steps exceeds `limit`, shape (rows,)."""
        return _share_above(limit, *self._of_parts())

    def _of_parts(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return mean, deviation and skewness of the mean of a request's steps, shape (rows, parts)."""
        few = self.inverse
        u, mean, longer, apart, third = (
            one[:, None] for one in (self.left, self.mean, self.longer, self.apart, self.third)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            gone = 1.0 - u ** (1.0 / few)
            within = 1.0 - 2.0 * u * gone / (1.0 - u) * few + u**2 * gone * (2.0 - gone) / (1.0 - u**2) * few
            begun = (longer / mean + u**2 / (1.0 - u**2)) * gone**2 * few
            counted = (within + begun) / (1.0 - u) ** 2
            deviation = np.sqrt(self.shared[:, None] ** 2 + apart * counted * few)
            skew = np.clip(third * counted**1.5 * few**2 / deviation**3, LEAST_SKEW, MOST_SKEW)
            return mean + longer * u * gone / (1.0 - u) * few, deviation, np.where(np.isnan(skew), LEAST_SKEW, skew)


def _score(normal: float, skew: FloatArray) -> FloatArray:
    """Return how many deviations above its mean a skewed figure is where a normal one is so many above its own."""
    root = np.maximum(1.0 - skew**2 / 36.0 + skew / 6.0 * normal, 0.0)
    return np.where(skew > LEAST_SKEW, (root**3 - 1.0) * 2.0 / skew, normal)


def _share_above(limit: FloatArray, mean: FloatArray, deviation: FloatArray, skew: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        below = (mean - limit[:, None]) / deviation
        cube = 1.0 - below * skew / 2.0
        skewed = np.where(cube > 0.0, (1.0 - skew**2 / 36.0 - np.cbrt(cube)) * 6.0 / skew, np.inf)
        normal = np.where(skew > LEAST_SKEW, skewed, below)
    return np.asarray(special.ndtr(np.where(np.isnan(normal), -np.inf, normal)) @ PARTS)


def _seen(load: PoolLoad) -> _Steps:
    """Return the steps as an arrival sees them (model.md §5.3)."""
    o, m, prompts, excess = load.occupancy, load.moments, load.prompts, load.excess
    s, kappa, share, g = o.near, o.per_sequence, o.batch_share, load.sharing
    with np.errstate(divide="ignore", invalid="ignore"):
        r = 1.0 + g * s.base / kappa
        batch_spread = kappa**2 * r * share / ((1.0 - share) ** 2 * g**2)
        if excess is not None:
            batch_spread = batch_spread * peakedness(excess, m.steps * o.full_step)
        shared = np.sqrt(s.per_context**2 * o.batch * m.context_variance + batch_spread)
        mean = np.where(share < 1.0, s.base + kappa * o.batch, np.inf)
        rate, busy = prompts.rate * prompts.joined, prompts.busy * prompts.joined
        some = -np.expm1(-rate * mean)
        apart = rate * mean * prompts.each**2 * prompts.spread() + some * (1.0 - some) * prompts.once**2
        own = prompts.once + prompts.each / np.maximum(m.prefill_steps, 1.0)
        beside = (1.0 - busy) * mean if s.alone else some * prompts.once
        return _Steps(
            mean=mean,
            shared=np.where(share < 1.0, shared, 0.0),
            apart=np.where(share < 1.0, apart + _luck(load) * mean**2, 0.0),
            third=np.where(share < 1.0, rate * mean * _cubed(prompts.each, prompts.scv), 0.0),
            left=busy,
            longer=np.where(share < 1.0, own - beside, 0.0),
            inverse=load.ranges.inverse_steps[load.told],
        )


def _cubed(mean: FloatArray, scv: FloatArray) -> FloatArray:
    """Return the mean cube of what has such a mean and squared coefficient of variation, as a gamma distribution's."""
    return mean**3 * (1.0 + scv) * (1.0 + 2.0 * scv)


def _full(load: PoolLoad) -> _Steps:
    """Return the steps of a full batch, in which prompts come as requests leave."""
    full, m, mean = load.service, load.moments, load.occupancy.full_step
    each, coming = load.prompts.each, full.concurrency / m.steps
    none = np.zeros_like(mean)
    return _Steps(
        mean=mean,
        shared=full.per_context * np.sqrt(full.concurrency * m.context_variance),
        apart=coming * each**2 * (1.0 + m.uncached_scv) + _luck(load) * mean**2,
        third=coming * _cubed(each, m.uncached_scv),
        left=none,
        longer=none,
        inverse=load.ranges.inverse_steps[load.told],
    )


def _luck(load: PoolLoad) -> float:
    """Return the squared coefficient of variation of the tokens that a step commits."""
    drafting = load.service.drafting
    return drafting.variance / drafting.committed**2
