"""What each workload, class of service and model of a joint plan pays: its GPUs and its share of whole nodes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from fleettui.domain.joint import JointPlan, Planned
from fleettui.domain.plan import Candidate
from fleettui.domain.study import StudyTable, table_of
from fleettui.domain.unit_cost import SECONDS_PER_HOUR, UnitCost
from fleettui.reports.price_text import price_tags, tags_text

RULE = (
    "each pays for the GPUs that serve it, and of what whole nodes add in proportion to that; US dollars for 1,000 "
    "requests and 1M output tokens that are served"
)
OVER = "over the day"
Row = tuple[Planned, Candidate, float]
"""A workload, its fleet, and what it pays over what its own GPUs cost."""


def costs_tables(plan: JointPlan) -> Iterator[StudyTable]:
    """Yield what each workload pays, then each class of service and each model, where there are several."""
    rows = _rows(plan)
    yield _by_workload(rows)
    yield from _by_group("What each class of service pays", "class", rows, lambda one: one.entry.service_class)
    yield from _by_group("What each model pays", "model", rows, lambda one: one.entry.question.model)


def _rows(plan: JointPlan) -> list[Row]:
    found = [(one, one.plan.answer) for one in plan.planned if one.plan is not None and one.plan.answer is not None]
    own = math.fsum(best.cost_per_hour for _, best in found)
    factor = plan.joint.cost / own if own and plan.joint.cost > own else 1.0
    return [(one, best, factor) for one, best in found]


def _by_workload(rows: list[Row]) -> StudyTable:
    own = math.fsum(best.cost_per_hour for _, best, _ in rows)
    users = any(_per_user(row) is not None for row in rows)
    return table_of(
        "What each pays",
        rows,
        ("name", "text", lambda row: row[0].entry.name),
        ("class", "text", lambda row: row[0].entry.service_class),
        ("model", "text", lambda row: row[0].entry.question.model),
        ("cost", "dollars per hour", _paid),
        ("share", "share", lambda row: row[1].cost_per_hour / own if own else None),
        ("requests_1k", "number", lambda row: _rounded(row, "cost_per_request", 1000.0)),
        ("output_1m", "number", lambda row: _rounded(row, "cost_per_million_output_tokens_at_mean", 1.0)),
        *((("user_month", "number", _per_user),) if users else ()),
        note="; ".join((f"{RULE}, and for a user and month" if users else RULE, *_over_the_day(rows), *_priced(rows))),
    )


def _over_the_day(rows: list[Row]) -> Iterator[str]:
    """Yield what the figures of workloads with a day are over: they are paid all of it, and planned for its peak."""
    known = [cost is not None and cost.basis == "day" for cost in map(_cost, rows)]
    if all(known):
        yield OVER
    elif any(known):
        yield f"{OVER} of {', '.join(row[0].entry.name for row, day in zip(rows, known, strict=True) if day)}"


def _per_user(row: Row) -> float | None:
    return _rounded(row, "cost_per_user_month", 1.0)


def _paid(row: Row) -> float:
    return row[1].cost_per_hour * row[2]


def _priced(rows: list[Row]) -> Iterator[str]:
    """Yield what the GPUs of all workloads cost, each price once, by class and date."""
    tags = [tag for one, best, _ in rows for tag in price_tags(best, one.entry.question)]
    made = max((one.plan.plan.created for one, _, _ in rows if one.plan is not None), default="")
    yield from filter(None, [tags_text(tags, made)])


def _cost(row: Row) -> UnitCost | None:
    one, best, _ = row
    return UnitCost.of(best, one.entry.question, None if one.plan is None else one.plan.demand)


def _rounded(row: Row, field: str, times: float) -> float | None:
    """Return a unit cost of a workload's fleet times a number, None where it is not known."""
    cost = _cost(row)
    value = None if cost is None else getattr(cost, field)
    return None if value is None else round(float(value) * times * row[2], 4)


def _by_group(title: str, head: str, rows: list[Row], group: Callable[[Planned], str]) -> Iterator[StudyTable]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(group(row[0]), []).append(row)
    whole = math.fsum(map(_paid, rows))
    if len(groups) > 1:
        yield table_of(
            title,
            groups.items(),
            (head, "text", lambda one: one[0] or "none said"),
            ("workloads", "count", lambda one: len(one[1])),
            ("cost", "dollars per hour", lambda one: math.fsum(map(_paid, one[1]))),
            ("share", "share", lambda one: math.fsum(map(_paid, one[1])) / whole if whole else None),
            ("requests_1k", "number", lambda one: _per_thousand(one[1])),
            note="the sum of its workloads, over the requests of all of them",
        )


def _per_thousand(rows: list[Row]) -> float | None:
    """Return US dollars for 1,000 requests that several workloads are served, None where one's are not known."""
    served = 0.0
    for row in rows:
        cost = _cost(row)
        if cost is None:
            return None
        served += cost.mean_rate * cost.served * SECONDS_PER_HOUR
    return round(1000.0 * math.fsum(map(_paid, rows)) / served, 4)
