"""What replicas that are down throughout do to every limit: which break, and what of each is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fleettui.domain.failing import Steady
from fleettui.domain.limit import TTFT, Limit
from fleettui.domain.slo import Slo
from fleettui.domain.study import Declared, StudyTable, table_of
from fleettui.reports import fleet_text, units

Named = tuple[str, Steady]
"""What is down, and what that comes to."""


def broken(found: Steady, slo: Slo) -> str:
    """Return which limits a fleet that fails breaks, and by how much; nothing where that is not known.

    >>> from fleettui.domain.plan import Estimate
    >>> seen = (("ttft", Estimate(value=0.6)), ("tpot", Estimate(value=0.03)))
    >>> left = Steady(verdict="fail", simulated=True, ttft=seen[0][1], met=Estimate(value=0.9), limited=seen)
    >>> broken(left, Slo(ttft=0.5, tpot=0.04))
    ' (P99 TTFT 20% over)'
    """
    if found.verdict != "fail":
        return ""
    shares = [(limit, _left(found, limit)) for limit in slo.limits()]
    told = [
        f"{fleet_text.ranked(limit, slo)} {units.percent(-share)} over"
        for limit, share in shares
        if share is not None and share < 0.0
    ]
    return f" ({', '.join(told)})" if told else ""


def limits_table(rows: Iterable[Named], slo: Slo) -> Iterator[StudyTable]:
    """Yield the table of every limit, where there is one on another latency than TTFT."""
    limits = slo.limits()
    if all(limit.name == TTFT.name for limit in limits):
        return
    yield table_of(
        "every limit, down throughout",
        rows,
        ("down", "text", lambda row: row[0]),
        *(column for limit in limits for column in _columns(limit)),
        note="each latency in the pool where it is longest, and what of its limit is left; below 0 it is broken",
    )


def _columns(limit: Limit) -> Iterator[Declared[Named]]:
    yield limit.column, "seconds", lambda row: _seconds(row[1], limit)
    yield f"{limit.column}_left", "share", lambda row: _left(row[1], limit)


def _seconds(found: Steady, limit: Limit) -> float | None:
    return next((seen.value for name, seen in found.limited if name == limit.name), None)


def _left(found: Steady, limit: Limit) -> float | None:
    """Return what share of a limit is left, below 0 where it is broken; None where that is not known."""
    seen = _seconds(found, limit)
    return None if seen is None else 1.0 - seen / limit.seconds
