"""The papers' own physics, for preset `paper` and for checking their tables: prefill is free, the batch always full.

A request occupies one of n slots for S = (k + L_out)(W + H·n·L/8192) seconds, k = ceil(L_in/chunk): its own length sets
the step, and S is not divided by n. A pool of G replicas is M/G/c with c = G·n (model.md §10). Nothing here can be run.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np

from fleettui.domain.workload import Atom, CdfPoint
from fleettui.hardware.paper_profiles import CALIBRATION_CONTEXT, PaperProfile
from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.erlang import erlang_c
from fleettui.queueing.waiting import kimura_tail
from fleettui.workloads.atoms import integer_lengths

DRAWS = 3000
SEED = 42
PROMPT_SHARE = 0.8
MAX_UTILIZATION = 0.85
LEAST_SCV = 0.01
EXCEEDED = 0.01
GAMMAS = tuple(1.0 + tenths / 10.0 for tenths in range(11))
"""The factors that FleetOpt's Algorithm 1 tries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A pool's requests on one profile: mean seconds in a slot and their scv, mean prefill steps, total and output
    tokens, and the slots of a replica.
    """

    mean_service: float
    scv: float
    prefill_steps: float
    total: float
    output: float
    slots: int

    def prefill(self, profile: PaperProfile) -> float:
        """Return the papers' mean prefill time: steps at a batch of one."""
        return self.prefill_steps * (profile.base_step_time + profile.time_per_sequence)

    def offered(self, rate: float) -> float:
        """Return the slots that `rate` requests/s keep busy."""
        return rate * self.mean_service

    def wait(self, rate: float, replicas: int) -> float:
        """Return the P99 wait for a slot in seconds, infinite without spare capacity (FleetOpt, Eq. 6)."""
        servers = replicas * self.slots
        utilization = self.offered(rate) / servers
        if utilization >= 1.0:
            return math.inf
        return float(kimura_tail(servers, utilization, self.scv, EXCEEDED)) * self.mean_service

    def waits(self, rate: float, replicas: int) -> float:
        """Return Erlang's probability of waiting for a slot."""
        return float(erlang_c(replicas * self.slots, self.offered(rate)))


@dataclass(frozen=True, slots=True, kw_only=True)
class SizedPool:
    """One pool of the papers' fleet: its profile, requests per second, calibration and replicas."""

    profile: PaperProfile
    rate: float
    calibration: Calibration
    replicas: int

    @property
    def utilization(self) -> float:
        """The share of its slots that are busy, 0 in a pool of none."""
        return self.calibration.offered(self.rate) / (self.replicas * self.calibration.slots) if self.replicas else 0.0

    @property
    def cost_per_hour(self) -> float:
        """US dollars per hour, one GPU's price for each replica, as in the papers."""
        return self.replicas * self.profile.price_per_hour


class Lengths(Protocol):
    """A length distribution as the papers' method asks for it."""

    def holds(self, above: int, up_to: int) -> bool:
        """Return whether there are requests in (above, up_to], so that a pool can be calibrated on them."""

    def below(self, tokens: float) -> float:
        """Return the share of requests of at most `tokens`."""

    def calibrate(self, profile: PaperProfile, above: int, up_to: int) -> Calibration:
        """Return the calibration of a pool with the requests of (above, up_to] and a context of `up_to`."""


def size_pools(
    lengths: Lengths,
    profiles: Sequence[PaperProfile],
    *,
    rate: float,
    slo: float,
    cut: int | None,
    context: int,
    gamma: float = 1.0,
    compressible: float = 1.0,
) -> tuple[SizedPool, ...]:
    """Return the papers' fleet: one pool, or a short and a long one split at `cut` tokens.

    With γ > 1 the share `compressible` of (cut, ⌊γ·cut⌋] goes to the short pool, its work not counted there, and the
    long pool is calibrated on what is above ⌊γ·cut⌋ alone (FleetOpt, Algorithm 1).
    """
    if cut is None:
        return (_sized(profiles[0], lengths.calibrate(profiles[0], 0, context), rate, slo),)
    share, reach = short_share(lengths, cut, gamma=gamma, compressible=compressible), int(gamma * cut)
    return (
        _sized(profiles[0], lengths.calibrate(profiles[0], 0, cut), share * rate, slo),
        _sized(profiles[-1], lengths.calibrate(profiles[-1], reach, context), (1.0 - share) * rate, slo),
    )


def short_share(lengths: Lengths, cut: int, *, gamma: float = 1.0, compressible: float = 1.0) -> float:
    """Return the share of requests that goes to the short pool: F(B) + (F(⌊γB⌋) − F(B))·p_c (FleetOpt, Eq. 1)."""
    below = lengths.below(cut)
    return below + (lengths.below(int(gamma * cut)) - below) * compressible


def calibrate_exactly(
    profile: PaperProfile, atoms: Sequence[Atom] | FloatArray, context: int, *, slots: int | None = None
) -> Calibration:
    """Return the calibration by exact sums over (weight, prompt, output) atoms.

    The context sets the slots alone, unless a cap on the batch (`slots`) does.
    """
    weight, prompt, output = np.asarray(atoms, float).T
    return _calibration(profile, prompt, output, weight / weight.sum(), slots or profile.slots(context))


def calibrate_by_draws(
    profile: PaperProfile,
    cdf: Sequence[CdfPoint],
    *,
    above: int,
    up_to: int,
    context: int,
    slots: int | None = None,
) -> Calibration:
    """Return the papers' calibration: 3,000 draws from the breakpoints of the pool's slice of a total-token CDF.

    The slice is (above, up_to]; draws are uniform over the integers of an interval, never below `above`, never beyond
    `context`; four fifths of a request are prompt. `slots` caps the batch.
    """
    prompt, output = split_total(np.array(_totals(tuple(cdf), above, up_to, context), float))
    weight = np.full(DRAWS, 1.0 / DRAWS)
    return _calibration(profile, prompt, output, weight, slots or profile.slots(context))


def prefill_percentile(profile: PaperProfile, atoms: Sequence[Atom], percentile: float = 1.0 - EXCEEDED) -> float:
    """Return a percentile of k·(W + H), the papers' prefill time at a batch of one, in seconds; exact over atoms."""
    weight, prompt, _ = np.asarray(atoms, float).T
    steps = np.ceil(prompt / profile.prefill_chunk)
    order = np.argsort(steps)
    reached = np.cumsum(weight[order]) / weight.sum()
    place = min(int(np.searchsorted(reached, percentile)), len(order) - 1)
    return float(steps[order][place]) * (profile.base_step_time + profile.time_per_sequence)


def service_times(profile: PaperProfile, prompt: FloatArray, output: FloatArray, slots: int) -> FloatArray:
    """Return the seconds that requests hold a slot: (k + L_out)(W + H·n·L/8192), each at its own length."""
    steps = np.ceil(prompt / profile.prefill_chunk)
    step_time = profile.base_step_time + profile.time_per_sequence * slots * (prompt + output) / CALIBRATION_CONTEXT
    held: FloatArray = (steps + output) * step_time
    return held


def split_total(totals: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (prompt, output) tokens of `totals` by the papers' fixed 80/20 rule, at least one each.

    >>> split_total(np.array([10.0, 1.0]))
    (array([8., 1.]), array([2., 1.]))
    """
    prompt = np.maximum(1.0, np.floor(PROMPT_SHARE * totals))
    return prompt, np.maximum(1.0, totals - prompt)


def uniform_atoms(cdf: Sequence[CdfPoint]) -> list[Atom]:
    """Return every whole total of a CDF as an atom: mass lies evenly over the integers between breakpoints."""
    totals, shares = integer_lengths(tuple(cdf))
    prompt, output = split_total(totals.astype(float))
    return list(zip(shares.tolist(), prompt.tolist(), output.tolist(), strict=True))


def fraction_below(cdf: Sequence[CdfPoint], tokens: float) -> float:
    """Return F(tokens), linear between breakpoints."""
    points = [(0.0, 0.0), *cdf]
    return float(np.interp(tokens, [t for t, _ in points], [f for _, f in points]))


def replicas(calibration: Calibration, rate: float, slo: float) -> int:
    """Return the papers' replica count: the fewest, at least ceil(a/n) + 1, with P99 wait ≤ `slo` and ρ ≤ .85.

    A pool with at most 0.01 requests/s gets none.
    """
    if rate <= 0.01:
        return 0
    full = calibration.offered(rate) / calibration.slots
    count = math.ceil(full - 1e-12) + 1
    while calibration.wait(rate, count) > slo:
        count += 1
    return max(count, math.ceil(full / MAX_UTILIZATION - 1e-12))


def _sized(profile: PaperProfile, calibration: Calibration, rate: float, slo: float) -> SizedPool:
    count = replicas(calibration, rate, slo)
    return SizedPool(profile=profile, rate=rate, calibration=calibration, replicas=count)


def _calibration(
    profile: PaperProfile, prompt: FloatArray, output: FloatArray, weight: FloatArray, slots: int
) -> Calibration:
    service = service_times(profile, prompt, output, slots)
    mean = float(weight @ service)
    scv = float(weight @ service**2) / mean**2 - 1.0
    return Calibration(
        mean_service=mean,
        scv=max(LEAST_SCV, scv),
        prefill_steps=float(weight @ np.ceil(prompt / profile.prefill_chunk)),
        total=float(weight @ (prompt + output)),
        output=float(weight @ output),
        slots=slots,
    )


@lru_cache(maxsize=64)
def _totals(cdf: tuple[CdfPoint, ...], above: int, up_to: int, context: int) -> tuple[int, ...]:
    """Return the papers' draws of total tokens; profiles, rates and limits share them."""
    rng, points = random.Random(SEED), _slice(cdf, above, up_to)
    return tuple(_draw(rng, points, max(above, 1), context) for _ in range(DRAWS))


def _slice(cdf: Sequence[CdfPoint], above: int, up_to: int) -> list[tuple[int, float]]:
    """Return the breakpoints within (above, up_to] with the fractions renormalised, the last forced to 1."""
    start = fraction_below(cdf, above)
    inside = [(int(tokens), fraction) for tokens, fraction in cdf if above < tokens <= up_to]
    end = inside[-1][1]
    points = [(tokens, (fraction - start) / (end - start)) for tokens, fraction in inside]
    return [*points[:-1], (points[-1][0], 1.0)]


def _draw(rng: random.Random, points: Sequence[tuple[int, float]], least: int, context: int) -> int:
    u, previous = rng.random(), 0
    for tokens, fraction in points:
        if u <= fraction:
            low, high = max(least, previous + 1), min(context, tokens)
            return rng.randint(low, high) if low <= high else context
        previous = tokens
    return context
