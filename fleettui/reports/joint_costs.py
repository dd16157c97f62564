"""What each workload of a joint plan pays: its own GPUs, and of what whole nodes add its share."""

from __future__ import annotations

import math

from fleettui.domain.joint import JointPlan, Planned
from fleettui.domain.plan import Candidate
from fleettui.domain.study import StudyTable, table_of
from fleettui.domain.unit_cost import UnitCost
from fleettui.domain.unit_served import cost_per_million

RULE = (
    "each pays for the GPUs that serve it, and of what whole nodes add in proportion to that; US dollars for 1,000 "
    "requests and 1M output tokens that are served, and for a user and month"
)
Row = tuple[Planned, Candidate, float]
"""A workload, its fleet, and what it pays over what its own GPUs cost."""


def costs_table(plan: JointPlan) -> StudyTable:
    """Return a row per workload with a fleet: what it pays in all, of the whole, and for what it serves."""
    found = [(one, one.plan.answer) for one in plan.planned if one.plan is not None and one.plan.answer is not None]
    own = math.fsum(best.cost_per_hour for _, best in found)
    factor = plan.joint.cost / own if own and plan.joint.cost > own else 1.0
    rows: list[Row] = [(one, best, factor) for one, best in found]
    return table_of(
        "What each pays",
        rows,
        ("name", "text", lambda row: row[0].entry.name),
        ("class", "text", lambda row: row[0].entry.service_class),
        ("model", "text", lambda row: row[0].entry.question.model),
        ("cost", "dollars per hour", lambda row: row[1].cost_per_hour * row[2]),
        ("share", "share", lambda row: row[1].cost_per_hour / own if own else None),
        ("requests_1k", "number", lambda row: _rounded(row, "cost_per_request", 1000.0)),
        ("output_1m", "number", lambda row: round(cost_per_million(row[1]) * row[2], 4)),
        ("user_month", "number", lambda row: _rounded(row, "cost_per_user_month", 1.0)),
        note=RULE,
    )


def _rounded(row: Row, field: str, times: float) -> float | None:
    """Return a unit cost of a workload's fleet times a number, None where it is not known."""
    cost = UnitCost.of(row[1], row[0].entry.question)
    value = None if cost is None else getattr(cost, field)
    return None if value is None else round(float(value) * times * row[2], 4)
