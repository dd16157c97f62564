"""Arrival processes: how the requests of an open loop come. A new one is a file here and its place below."""

from __future__ import annotations

from fleettui.domain.registry import Registry
from fleettui.workloads.arrivals import poisson
from fleettui.workloads.arrivals.process import ArrivalProcess

ARRIVALS: Registry[ArrivalProcess] = Registry("arrival process", poisson.PROCESS)
"""The default first."""
