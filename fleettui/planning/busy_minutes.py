"""The rate that almost all minutes of a workload stay below, and what a fleet that was given does at it."""

from __future__ import annotations

import math

from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.workload import Workload
from fleettui.reports import stock_text

WINDOW = 60.0
"""Seconds of a minute, over which bursts are looked at."""
BURSTY = 2.0
"""The variance of counts per minute over that of Poisson's from which on arrivals are bursty."""
MOST_MINUTES = 2.33
"""Standard deviations above the mean that 99 of 100 minutes stay below, where their counts are as good as normal."""


def busy_rate(question: Question, workload: Workload, rate: float) -> float | None:
    """Return the requests/s that 99 of 100 minutes are below, with three digits, where these grow alike with `rate`.

    None where arrivals are no burstier than Poisson's, or the question has the bursts in it.
    """
    dispersion, mean = workload.arrivals.dispersion_at(WINDOW), workload.arrivals.mean_rate
    if question.arrivals != "poisson" or dispersion is None or dispersion <= BURSTY or not mean:
        return None
    varies = math.sqrt(dispersion / (mean * WINDOW))
    return float(f"{rate * (1 + MOST_MINUTES * varies):.3g}")


def below(rate: float) -> str:
    """Return how a warning of bursts begins.

    >>> below(152.0)
    'bursts: 99% of minutes are below 152/s'
    """
    return f"bursts: 99% of minutes are below {rate:g}/s"


def of_given(answer: Answer, question: Question, workload: Workload) -> tuple[str, ...]:
    """Return what bursts do to a fleet that was given, nothing where it breaks a limit already or holds them, too."""
    most = busy_rate(question, workload, answer.demand.rate)
    if most is None or answer.verdict != "pass" or not question.slo.limits() or question.demand.form == "concurrency":
        return ()
    holds = None if answer.stock is None else answer.stock.rate
    if answer.stock is None or holds is None:
        return (f"{below(most)}: --rate {most:g}/s judges it there",)
    return () if holds >= most else (f"{below(most)}, the fleet {stock_text.holding(answer.stock)}: --rate {most:g}/s",)
