"""What the times of a workload's requests show of how they come."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivalRecord:
    """What was recorded: requests per second over `duration` seconds, and how far their counts vary.

    `dispersion` are (seconds, variance over mean of the counts in windows of that length); 1 is Poisson. `times` are
    those of the requests in seconds from the first, rising; empty unless they are to be replayed.
    """

    rate: float
    duration: float
    dispersion: tuple[tuple[float, float], ...] = ()
    times: tuple[float, ...] = ()
