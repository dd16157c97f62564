"""Arrival processes: how the requests of an open loop come. A new one is a file here and its place below."""

from __future__ import annotations

from fleettui.domain.registry import Registry
from fleettui.workloads.arrivals import bursty, gamma, poisson, replay, weibull
from fleettui.workloads.arrivals.process import ArrivalProcess, Asked, read_cv

ARRIVALS: Registry[ArrivalProcess] = Registry(
    "arrival process", poisson.PROCESS, bursty.PROCESS, replay.PROCESS, gamma.PROCESS, weibull.PROCESS
)
"""The default first."""


def asked(text: str, where: str | None = None) -> Asked:
    """Return the process that `text` asks for; raises InputError for its parameter, UnknownNameError for its name.

    >>> asked("gamma:cv=2").text, asked("poisson").text
    ('gamma:cv=2', 'poisson')
    """
    name, colon, parameter = text.strip().lower().partition(":")
    process = ARRIVALS.named(name.strip(), where)
    return Asked(process=process, cv=read_cv(process, parameter.strip(), said=bool(colon), where=where))
