"""Poisson arrivals: many people who know nothing of each other."""

from __future__ import annotations

from typing import Any

from fleettui.workloads.arrivals.process import ArrivalProcess, Stream, Variation


def times(draws: Any, requests: int, stream: Stream, /) -> Any:
    """Return sums of exponential gaps."""
    return draws.standard_exponential(requests).cumsum() / stream.rate


def vary(_: Stream, /) -> Variation:
    """Return none."""
    return Variation(excess=0.0)


PROCESS = ArrivalProcess(
    name="poisson",
    help="each on its own",
    noun="Poisson",
    times=times,
    vary=vary,
    divides=True,
)
