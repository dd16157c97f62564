"""The rate that almost all minutes of a workload stay below, and what a fleet that was given does at it."""

from __future__ import annotations

import math

from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.workload import MANY_MINUTES, Workload
from fleettui.reports import stock_text
from fleettui.workloads.recorded import record_of

WINDOW = 60.0
"""Seconds of a minute, over which bursts are looked at."""
BURSTY = 2.0
"""The variance of counts per minute over that of Poisson's from which on arrivals are bursty."""
MOST_MINUTES = 2.33
"""Standard deviations above the mean that 99 of 100 minutes stay below, where their counts are as good as normal."""


def busy_rate(question: Question, workload: Workload, rate: float) -> float | None:
    """Return the requests/s that almost all minutes are below, with three digits, where these grow alike with `rate`.

    That is what was counted of the workload's own minutes, whose excess over the mean is less at a higher rate: chance
    evens out, what the rate itself does not. Where none were counted it is what 99 of 100 are below. None where
    arrivals are no burstier than Poisson's, or the question has the bursts in it.
    """
    seen = workload.arrivals
    dispersion, mean = seen.dispersion_at(WINDOW), seen.mean_rate
    if question.arrivals != "poisson" or dispersion is None or dispersion <= BURSTY or not mean:
        return None
    varies = dispersion / (mean * WINDOW)
    if seen.busy is None:
        return float(f"{rate * (1.0 + MOST_MINUTES * math.sqrt(varies)):.3g}")
    there = varies - 1.0 / (mean * WINDOW) + 1.0 / (rate * WINDOW)
    return float(f"{rate * (1.0 + (seen.busy.times - 1.0) * math.sqrt(there / varies)):.3g}")


def below(rate: float, workload: Workload) -> str:
    """Return how a warning of bursts begins."""
    busy = workload.arrivals.busy
    if busy is None or busy.minutes >= MANY_MINUTES:
        return f"bursts: 99% of minutes are below {rate:g}/s"
    return f"bursts: busiest of {busy.minutes} minutes at {rate:g}/s"


def simulated_by(question: Question, workload: Workload, rate: float) -> str:
    """Return which arrivals have the bursts in them that a plan is warned of; nothing where none has, or none are."""
    if question.demand.form == "concurrency" or record_of(workload) is None:
        return ""
    if busy_rate(question, workload, rate) is None:
        return ""
    return "Poisson's; --arrivals bursty plans with the bursts in it"


def of_given(answer: Answer, question: Question, workload: Workload) -> tuple[str, ...]:
    """Return what bursts do to a fleet that was given, nothing where it holds them, too."""
    most = busy_rate(question, workload, answer.demand.rate)
    if most is None or not question.slo.limits() or question.demand.form == "concurrency":
        return ()
    holds = None if answer.stock is None else answer.stock.rate
    words = below(most, workload)
    if answer.stock is None or holds is None:
        return (f"{words}: --rate {most:g}/s judges it there",)
    return () if holds >= most else (f"{words}, the fleet {stock_text.holding(answer.stock)}: --rate {most:g}/s",)
