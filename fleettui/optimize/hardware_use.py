"""How much of its hardware a pool uses: the implied MFU, the bandwidth use, and how busy it is."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from fleettui.domain.hardware import Profile, StepTable
from fleettui.hardware.step_cost import touched_share
from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.batching import Occupancy
from fleettui.queueing.moments import Moments
from fleettui.queueing.service import Service

FULL_USE = 1.0


class Work(Protocol):
    """What pools are asked for and do: `PoolLoad` is such; arrays of shape (rows,)."""

    @property
    def moments(self) -> Moments:
        """Means over each row's requests."""

    @property
    def service(self) -> Service:
        """What each row's replicas do."""

    @property
    def occupancy(self) -> Occupancy:
        """How full each row is."""

    @property
    def arrival_rate(self) -> FloatArray:
        """Requests per second."""

    @property
    def replicas(self) -> FloatArray:
        """Replicas."""

    @property
    def stable(self) -> np.ndarray:
        """Which rows keep up."""


def mfu(load: Work, profile: Profile) -> FloatArray:
    """Return the implied MFU: the arithmetic that the requests need over what the replicas' datasheet peak offers.

    Linear work of every computed token plus attention over its context. Above 1 is a bug: AssertionError. A pool that
    does not keep up does what it can.
    """
    return _checked("MFU", arithmetic_use(load, profile), load, profile)


def bandwidth_use(load: Work, profile: Profile) -> FloatArray:
    """Return the bytes that steps read (weights) and contexts (cache) over the replicas' datasheet bandwidth.

    Above 1 is a bug: AssertionError.
    """
    at_once = np.maximum(load.occupancy.batch_over_steps, 1.0)
    return _checked("bandwidth use", memory_use(load, profile, at_once), load, profile)


def arithmetic_use(load: Work, profile: Profile) -> FloatArray:
    """Return the implied MFU whatever it is, of profiles too that no hardware has."""
    m, rate = load.moments, _served(load)
    computed = m.output - 1.0
    if load.service.drafting.drafts:
        computed = load.service.drafting.width * (m.steps - m.prefill_steps)
    flops = profile.flops_per_token * (m.uncached + computed)
    flops = flops + profile.attention_flops * (m.pairs + m.decode_context)
    return np.asarray(rate * flops / profile.peak)


def memory_use(load: Work, profile: Profile, at_once: FloatArray) -> FloatArray:
    """Return the bandwidth use whatever it is, by steps that so many sequences are in `at_once`."""
    s, m = load.service, load.moments
    rate = _served(load)
    steps = rate * m.steps / at_once
    if isinstance(profile.step, StepTable):
        touched = touched_share(profile.step, at_once * s.drafting.width)
    else:
        reading = np.maximum(s.base - profile.step.overhead, 0.0)  # a typed base may be less than what the host adds
        touched = reading / (profile.step.weight_time + profile.step.expert_time)
    read = steps * touched * profile.bytes_per_step + rate * m.context * profile.kv_bytes_per_token
    return np.asarray(read / profile.bandwidth)


def _served(load: Work) -> FloatArray:
    """Return the requests per second that a replica gets through."""
    return load.arrival_rate / load.replicas / np.maximum(load.occupancy.utilization, 1.0)


def _checked(name: str, use: FloatArray, load: Work, profile: Profile) -> FloatArray:
    """Return `use`, a share of the hardware's peak; above 1 is a bug. `simulation.measure.mfu` checks what is seen."""
    impossible = load.stable & (use > FULL_USE)
    assert not impossible.any(), f"{name} {use[impossible].max():.0%} of {profile.name}: no hardware does that"
    return use


def busy_share(load: Work) -> FloatArray:
    """Return the share of time in which a replica has a sequence to run: those active scatter as Poisson's counts."""
    return np.asarray(-np.expm1(-load.occupancy.batch_over_steps * load.service.lanes))


def host_share(load: Work, profile: Profile) -> FloatArray:
    """Return the share of a step in which the hardware waits for the engine's host."""
    return np.asarray(np.minimum(profile.step.overhead / load.occupancy.step, 1.0))
