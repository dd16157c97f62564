"""Poisson arrivals: many people who know nothing of each other."""

from __future__ import annotations

from typing import Any

from fleettui.workloads.arrivals.process import ArrivalProcess


def gaps(draws: Any, requests: int, /) -> Any:
    """Return exponential gaps."""
    return draws.standard_exponential(requests)


PROCESS = ArrivalProcess(name="poisson", help="each on its own", noun="Poisson", gaps=gaps, scv=1.0)
