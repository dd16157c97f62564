"""Rates that change over hours or days, by a file: Poisson within each slice, of which the busiest sizes."""

from __future__ import annotations

from fleettui.workloads.arrivals import poisson
from fleettui.workloads.arrivals.process import ArrivalProcess

PROCESS = ArrivalProcess(
    name="profile",
    help="rates over a day, the busiest slice sizes: profile:day.csv",
    noun="Profile",
    times=poisson.times,
    vary=poisson.vary,
    takes_file=True,
    divides=True,
)
