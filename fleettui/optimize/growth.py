"""Growth along a step table: when each fleet runs out, and when the next GPUs must be ordered."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise

from fleettui.domain.whatif import Stage, Step
from fleettui.errors import InputError

DAYS_PER_MONTH = 365 / 12
"""A twelfth of the year of 8,760 hours in which costs per year are told."""


def rate_after(rate: float, per_month: float, months: float) -> float:
    """Return the rate after so many months that each add the share `per_month` to what is there."""
    return rate * math.exp(months * math.log1p(per_month))


def months_until(rate: float, per_month: float, reached: float) -> float:
    """Return the months until a growing `rate` comes to `reached`: ln(reached/rate) / ln(1 + growth)."""
    return math.log(reached / rate) / math.log1p(per_month)


def stages(
    steps: Sequence[Step], rate: float, per_month: float, *, start: date, lead_days: float, months: float
) -> tuple[Stage, ...]:
    """Return the fleets that demand grows through from `start` on, each with the day from which it is needed.

    `steps` begin with the fleet that serves `rate`, today's; a fleet is needed from the day on which the one before
    it runs out, and ordered `lead_days` before. Days are whole, the earlier one. Fleets that are needed after `months`
    are left out.
    """
    found = [Stage(reached=start.isoformat(), order_by="", late=False, rate=rate, step=steps[0])]
    for before, step in pairwise(steps):
        reached = months_until(rate, per_month, before.up_to)
        if reached > months:
            break
        needed, order = day(start, reached), day(start, reached - lead_days / DAYS_PER_MONTH)
        found.append(
            Stage(
                reached=needed.isoformat(),
                order_by=order.isoformat(),
                late=order < start,
                rate=before.up_to,
                step=step,
                simulated=before.simulated,
            )
        )
    return tuple(found)


def day(start: date, months: float) -> date:
    """Return the day so many months of 365/12 days after `start`; raises InputError beyond the calendar."""
    try:
        return start + timedelta(days=math.floor(months * DAYS_PER_MONTH + 1e-9))
    except OverflowError:
        raise InputError("the calendar ends before that", value=f"{months:.0f} months after {start}") from None
