"""How much of several workloads' traffic a stock carries as a study: the greatest share of all rates, its fleets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fleettui.domain.carried import CarriedTogether
from fleettui.domain.joint import JointAsked, JointQuestion
from fleettui.domain.study import Study, StudyTable, table_of
from fleettui.reports import confidence_text, units
from fleettui.reports.fleet_text import counted
from fleettui.reports.report.constraints import within
from fleettui.reports.studies import subject as words
from fleettui.reports.studies.stock_rate import fleet
from fleettui.reports.whole_nodes import IN_WHOLE_NODES

HOLD, NONE_HOLD = "fleets hold", "none were shown to hold"


def shared_stock_study(joint: Study, asked: JointAsked, seen: Sequence[CarriedTogether]) -> Study:
    """Return the study of what a joint plan's question allows; `seen` are the shares at which fleets were searched.

    They come least first.
    """
    best = max((one for one in seen if one.fleets), key=lambda one: one.share, default=None)
    fails = next((one.share for one in seen if best is not None and one.share > best.share), 1.0)
    return Study(
        kind="capacity",
        title=f"{joint.title}: how much of their traffic the limits let fleets carry",
        question=f"capacity {joint.handle}",
        seed=joint.seed,
        sentences=tuple(_sentences(joint, asked.question, best, fails)),
        tables=(*([] if best is None else [_greatest(best, asked)]), _seen(seen)),
    )


def _sentences(joint: Study, asked: JointQuestion, best: CarriedTogether | None, fails: float) -> Iterator[str]:
    """Yield the greatest share that was found, and the next at which none `fails` to be found."""
    allowed = _within(asked)
    if best is None:
        yield f"{allowed} no fleets hold every limit at any share of the mix that was tried, as simulated"
        return
    rates = ", ".join(f"{name} {words.up_to(one.rate)}" for name, one in best.fleets)
    yield (
        f"{allowed} fleets carry up to {_percent(best.share)} of the mix of joint plan {joint.handle} as simulated: "
        f"{rates}; {counted(best.gpus)}, {units.dollars_per_hour(best.cost)}"
    )
    yield f"at {_percent(fails)} of it none {allowed} were shown to hold, as simulated"
    yield from _least_sure(best)


def _within(asked: JointQuestion) -> str:
    """Return the limits of all fleets together in words."""
    limits = asked.limits
    alone = replace(
        asked.entries[0].question,
        max_gpus=limits.max_gpus,
        max_total_gpus=limits.max_total_gpus,
        budget=limits.budget,
        max_power=limits.max_power,
    )
    return f"{within(alone)}{f' in {IN_WHOLE_NODES}' if limits.whole_nodes else ''}"


def _least_sure(best: CarriedTogether) -> Iterator[str]:
    known = [(one.confidence, name, one.fleet) for name, one in best.fleets if one.confidence and one.fleet]
    if known:
        sure, name, fleet_ = min(known, key=lambda one: one[0].holds)
        yield f"the least sure there is {name}: {confidence_text.holding(sure, fleet_)}"


def _percent(share: float) -> str:
    """Return a share with three figures, never rounded up.

    >>> _percent(0.8535), _percent(0.98), _percent(1.0404)
    ('85.3%', '98%', '104%')
    """
    digits = 2 - math.floor(math.log10(100.0 * share))
    return f"{math.floor(100.0 * share * 10**digits + 1e-6) / 10**digits:g}%"


def _greatest(best: CarriedTogether, asked: JointAsked) -> StudyTable:
    """Return a row per workload at the greatest share."""
    rows = [(name, one, now) for (name, one), now in zip(best.fleets, asked.rates, strict=True)]
    return table_of(
        "the greatest share of all rates that the limits let fleets carry",
        rows,
        ("name", "text", lambda row: row[0]),
        ("rate", "rate", lambda row: row[1].rate),
        ("against_now", "share", lambda row: row[1].rate / row[2] - 1.0),
        ("fleet", "text", lambda row: fleet(row[1])),
        ("gpus", "count", lambda row: None if row[1].fleet is None else row[1].fleet.gpus),
        ("cost", "dollars per hour", lambda row: None if row[1].fleet is None else row[1].fleet.cost_per_hour),
        note="all rates grow by one factor, of lengths as their files hold them now",
    )


def _seen(seen: Sequence[CarriedTogether]) -> StudyTable:
    return table_of(
        "shares of all rates at which fleets within the limits were searched for, and simulated",
        seen,
        ("share", "share", lambda one: one.share),
        ("verdict", "text", lambda one: HOLD if one.fleets else NONE_HOLD),
        ("gpus", "count", lambda one: sum(count for _, count in one.gpus) if one.fleets else None),
        ("cost", "dollars per hour", lambda one: one.cost if one.fleets else None),
    )
