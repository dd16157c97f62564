"""Arrival processes: how the requests of an open loop come. A new one is a file here and its place below."""

from __future__ import annotations

from fleettui.domain.registry import Registry
from fleettui.workloads.arrivals import bursty, gamma, poisson, profile, replay, weibull
from fleettui.workloads.arrivals.process import ArrivalProcess, Asked, read_cv, read_file_name

ARRIVALS: Registry[ArrivalProcess] = Registry(
    "arrival process",
    poisson.PROCESS,
    bursty.PROCESS,
    replay.PROCESS,
    gamma.PROCESS,
    weibull.PROCESS,
    profile.PROCESS,
)
"""The default first."""


def asked(text: str, where: str | None = None) -> Asked:
    """Return the process that `text` asks for; raises InputError for its parameter, UnknownNameError for its name.

    >>> asked("gamma:cv=2").text, asked("poisson").text, asked("profile:Day.csv").text
    ('gamma:cv=2', 'poisson', 'profile:Day.csv')
    """
    name, colon, parameter = text.strip().partition(":")
    process = ARRIVALS.named(name.strip().lower(), where)
    if process.takes_file:
        return Asked(process=process, file=read_file_name(process, parameter.strip(), where))
    cv = read_cv(process, parameter.strip().lower(), said=bool(colon), where=where)
    return Asked(process=process, cv=cv)
