"""Planning ahead by the estimator's formulas: the replicas of each hour, and how likely a request then waits."""

from __future__ import annotations

import math
from collections.abc import Iterator

from scipy import special

from fleettui.autoscaling.estimator import Observed, Settings, replicas_for, terms
from fleettui.domain.autoscale import Staffing
from fleettui.domain.day import Day
from fleettui.queueing.erlang import erlang_c

HOUR = 3600.0
MOST_BETA = 12.0


def halfin_whitt(beta: float) -> float:
    """Return the probability of wait of a large M/M/c with β√L slots above its load L (Halfin and Whitt 1981).

    P = 1/(1 + βΦ(β)/φ(β)) with Φ and φ of the normal distribution.

    >>> round(halfin_whitt(1.5), 3), halfin_whitt(0.0)
    (0.085, 1.0)
    """
    density = math.exp(-beta * beta / 2.0) / math.sqrt(2.0 * math.pi)
    return 1.0 / (1.0 + beta * float(special.ndtr(beta)) / density)


def staffing(day: Day, settings: Settings, service_time: float) -> tuple[Staffing, ...]:
    """Return what each hour of `day` asks for at its highest rate, by the estimator's terms without a backlog."""
    return tuple(_hours(day, settings, service_time))


def _hours(day: Day, settings: Settings, service_time: float) -> Iterator[Staffing]:
    for hour in range(math.ceil(day.end / HOUR - 1e-9)):
        rate = day.highest(hour * HOUR, min((hour + 1) * HOUR, day.end) - 1e-6)
        found = terms(Observed(rate=rate, service_time=service_time), settings)
        replicas = replicas_for(found.raw, settings)
        slots = replicas * settings.slots
        spare = (slots - found.load) / math.sqrt(found.load) if found.load > 0.0 else math.inf
        yield Staffing(
            start=hour * HOUR,
            rate=rate,
            load=found.load,
            replicas=replicas,
            wait=float(erlang_c(slots, found.load)),
            halfin_whitt=halfin_whitt(min(max(spare, 0.0), MOST_BETA)),
        )
