"""Rates and lengths that change over hours or days, by a file: Poisson in each slice, of which the worst sizes."""

from __future__ import annotations

from fleettui.workloads.arrivals import poisson
from fleettui.workloads.arrivals.process import ArrivalProcess

PROCESS = ArrivalProcess(
    name="profile",
    help="rates and lengths over a day, the worst slice sizes: profile:day.csv",
    noun="Profile",
    times=poisson.times,
    vary=poisson.vary,
    takes_file=True,
    divides=True,
)
