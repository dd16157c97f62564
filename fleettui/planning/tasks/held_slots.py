"""Pools whose requests hold a slot for a time fixed beforehand, as the papers have it, simulated for long."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fleettui.domain.plan import Estimate
from fleettui.domain.workload import Atom
from fleettui.hardware.paper_profiles import PaperProfile
from fleettui.optimize.paper import service_times
from fleettui.simulation.slots import SlotPool, SlotRun, play_slots
from fleettui.simulation.statistics import LATENCY, estimate

SERVICES, LEAST_WARM = 10.0, 20_000
"""Warm-up of a pool of slots in mean numbers of requests in service, and the least that is played."""


def slot_pool(profile: PaperProfile, atoms: Sequence[Atom], *, slots: int, replicas: int, rate: float) -> SlotPool:
    """Return a pool of the papers for a simulation: requests of `atoms` at `rate`, `replicas` of `slots` each."""
    weight, prompt, output = np.asarray(atoms, float).T
    return SlotPool(
        weight=weight,
        service=service_times(profile, prompt, output, slots),
        prefill=np.ceil(prompt / profile.prefill_chunk) * (profile.base_step_time + profile.time_per_sequence),
        arrival_rate=rate,
        servers=replicas * slots,
    )


def long_runs(pool: SlotPool, *, runs: int, measured: int, seed: int) -> list[SlotRun]:
    """Return what so many runs show that measure at least so many requests each, after their warm-up."""
    warm_up = max(LEAST_WARM, math.ceil(SERVICES * pool.in_service))
    return [
        play_slots(pool, warm_up=warm_up, measured=max(measured, warm_up), seed=seed, index=index)
        for index in range(runs)
    ]


def ttft_of(runs: Sequence[SlotRun]) -> Estimate:
    """Return the P99 TTFT of runs with its 95 % interval, in seconds."""
    return estimate([one.ttft for one in runs], ends=LATENCY)
