"""Renewal arrivals with Gamma gaps: burstier than Poisson where their coefficient of variation is above 1."""

from __future__ import annotations

from typing import Any

from fleettui.workloads.arrivals.process import ArrivalProcess, Stream, Variation


def times(draws: Any, requests: int, stream: Stream, /) -> Any:
    """Return sums of Gamma gaps of shape 1/cv²."""
    shape = stream.cv**-2
    return draws.standard_gamma(shape, requests).cumsum() / (shape * stream.rate)


PROCESS = ArrivalProcess(
    name="gamma",
    help="independent gaps by their coefficient of variation: gamma:cv=2",
    noun="Gamma",
    times=times,
    vary=lambda stream: Variation(excess=stream.cv**2 - 1.0),
    takes_cv=True,
)
