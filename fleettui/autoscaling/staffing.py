"""Planning ahead by the estimator's formulas: the replicas of each hour, and how likely a request then waits."""

from __future__ import annotations

import math
from collections.abc import Iterator

from scipy import special

from fleettui.autoscaling.estimator import Observed, Settings, replicas_for, terms
from fleettui.domain.autoscale import Staffing
from fleettui.domain.day import Day
from fleettui.errors import InputError
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


def beta_for(wait: float) -> float:
    """Return the β at which a request of a large M/M/c waits with probability `wait`; raises InputError.

    >>> round(beta_for(halfin_whitt(1.5)), 6)
    1.5
    """
    from scipy.optimize import brentq

    if not halfin_whitt(MOST_BETA) < wait < 1.0:
        raise InputError("this is no probability of wait", value=wait, accepted="above 0 and below 1: 0.1")
    return float(brentq(lambda beta: halfin_whitt(beta) - wait, 0.0, MOST_BETA, xtol=1e-12))


def wait_quantile(slots: float, load: float, service_time: float, share: float) -> float:
    """Return the seconds of wait that a `share` of an M/M/c's requests does not exceed; infinite without capacity.

    >>> round(wait_quantile(27, 20.0, 1.0, 0.99), 3)
    0.323
    """
    if load >= slots:
        return math.inf
    some = float(erlang_c(slots, load))
    return 0.0 if some <= 1.0 - share else service_time * math.log(some / (1.0 - share)) / (slots - load)


def beta_within(load: float, service_time: float, *, wait: float, share: float) -> float:
    """Return the least β at which a `share` of requests waits at most `wait` seconds, whole slots aside.

    Raises InputError where no β does.
    """

    def too_long(beta: float) -> bool:
        return wait_quantile(load + beta * math.sqrt(load), load, service_time, share) > wait

    low, high = 0.0, MOST_BETA
    if too_long(high):
        raise InputError("no headroom holds this wait", value=wait, accepted="a longer wait, or a smaller share")
    while high - low > 1e-9:
        middle = (low + high) / 2.0
        low, high = (middle, high) if too_long(middle) else (low, middle)
    return high


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
