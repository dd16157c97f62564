"""What a workload's times show, for the arrival processes that rest on it."""

from __future__ import annotations

from fleettui.domain.arrivals import ArrivalRecord
from fleettui.domain.workload import Workload

LEAST_WINDOWS = 2


def record_of(workload: Workload) -> ArrivalRecord | None:
    """Return what was recorded; None where it is not known how far the counts vary in two windows at least."""
    seen = workload.arrivals
    dispersion = tuple((window, ratio) for window, ratio in seen.dispersion if ratio is not None)
    if seen.mean_rate is None or seen.duration is None or len(dispersion) < LEAST_WINDOWS:
        return None
    return ArrivalRecord(rate=seen.mean_rate, duration=seen.duration, dispersion=dispersion, times=workload.times)
