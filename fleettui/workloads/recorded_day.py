"""A workload's own times as a stretch of traffic: a rate for each minute, and the moments themselves."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

from fleettui.domain.arrivals import ArrivalRecord
from fleettui.domain.day import Day, Window
from fleettui.errors import InputError

NAME = "recorded"
"""What `--day` calls it."""
MINUTE = 60.0
CLOSE = 0.01
"""How far a plan's rate may be from the recorded one."""


def recorded_day(record: ArrivalRecord, *, rate: float, where: str | None = None) -> Day:
    """Return the recorded traffic of a plan at `rate` requests per second; it ends a mean gap after the last request.

    Raises InputError where the plan's rate is another than the recorded one, by which replicas could not be counted.
    """
    if abs(rate / record.rate - 1.0) > CLOSE:
        raise InputError(
            "recorded times are replayed as they are, and the plan is for another rate",
            where=where,
            value=f"{rate:.4g}/s",
            accepted=f"a plan at --rate {record.rate:.4g}/s",
            remedy="plan at that rate, or give --day FILE with the rates",
        )
    end = record.times[-1] * len(record.times) / (len(record.times) - 1)
    minutes = Counter(int(one / MINUTE) for one in record.times)
    edges = [*(MINUTE * place for place in range(math.ceil(end / MINUTE))), end]
    windows = (
        Window(start=start, end=until, rate=minutes[place] / (until - start))
        for place, (start, until) in enumerate(pairwise(edges))
    )
    return Day(name=NAME, windows=tuple(windows), source="the workload's own times", recorded=0.0)
