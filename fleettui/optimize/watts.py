"""What pools draw: replicas that work at a load, and those that only stand by. Watts of GPUs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from fleettui.domain.hardware import PowerCurve, Profile
from fleettui.hardware.power import power, working_power
from fleettui.optimize.hardware_use import Work, arithmetic_use, busy_share, host_share, memory_use
from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.batching import Occupancy
from fleettui.queueing.moments import Moments
from fleettui.queueing.service import Service

LEAST_BUSY = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class SizedRows:
    """Rows of a table at some replicas, with what a `PoolLoad` would say of their work; arrays of shape (rows,)."""

    moments: Moments
    service: Service
    occupancy: Occupancy
    arrival_rate: FloatArray
    replicas: FloatArray

    @property
    def stable(self) -> np.ndarray:
        """Which rows keep up with their arrivals."""
        return np.asarray(self.occupancy.utilization < 1.0)


def working_watts(profile: Profile, load: Work) -> FloatArray:
    """Return the watts of each pool's replicas at its load: those of busy GPUs, and idle ones the rest of the time.

    A cap takes from steps full of prompts what they would draw above it, and nothing from steps that stay below. By a
    curve, as the papers have it, a replica never runs fewer than one sequence.
    """
    gpus = load.replicas * profile.gpus_per_replica
    law = profile.power
    if isinstance(law, PowerCurve):
        return power(law, np.maximum(load.occupancy.batch_over_steps, 1.0)) * gpus
    busy = np.maximum(busy_share(load), LEAST_BUSY)
    at_once = np.maximum(load.occupancy.batch_over_steps / busy, 1.0)
    watts = working_power(
        replace(law, cap=None),
        arithmetic=arithmetic_use(load, profile) / busy,
        bandwidth=memory_use(load, profile, at_once) / busy,
        waiting=host_share(load, profile),
        ways=profile.tp,
    )
    if law.cap is not None:
        prompting = np.minimum(load.occupancy.prefill_share / busy, 1.0)
        watts = np.clip(watts - prompting * law.cap.spared, law.idle, law.cap.watts)
    return (law.idle + busy * (watts - law.idle)) * gpus


def most_watts(profile: Profile) -> float:
    """Return the most watts that one GPU of a profile draws."""
    law = profile.power
    return law.nominal if isinstance(law, PowerCurve) else law.most


def idle_watts(profile: Profile, replicas: ArrayLike, all_replicas: ArrayLike) -> FloatArray:
    """Return the watts of `all_replicas` beyond `replicas`, which wait for others to go down: those of idle GPUs."""
    spares = np.where(np.isfinite(replicas), all_replicas, 0.0) - np.where(np.isfinite(replicas), replicas, 0.0)
    return np.asarray(spares * profile.gpus_per_replica * profile.power.idle)
