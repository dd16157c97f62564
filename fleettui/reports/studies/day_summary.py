"""What a reader asks of an autoscale study first, on one screen: which policy, at what cost, and whether it holds."""

from __future__ import annotations

from collections.abc import Mapping

from fleettui.domain.study import Cell, Study, StudyTable, table_of

MOST = 10
"""Policies that it tells of, the safest of them: all that keep the SLO where no more do."""
STATIC = "static-peak"
SLO = {"keeps": "keeps", "front": "breaks", "": None}
Row = Mapping[str, Cell]


def day_summary(study: Study) -> StudyTable | None:
    """Return the policies that none beats in cost and SLO at once, cheapest first, and the constant fleet beside them.

    It is made of the study's own tables; None where these are not there, as in studies of older versions.
    """
    costs, bounds = _rows(study, "cost against SLO"), _rows(study, "beside the perfect autoscaler")
    if not costs or not bounds:
        return None
    least = {row["policy"]: row["at_least"] for row in bounds}
    static: Row = next((row for row in costs if row["policy"] == STATIC), {})
    front = [row for row in costs if row["front"] in {"keeps", "front"}][-MOST:]
    kept = [row for row in costs if row in front or row is static]
    return table_of(
        "in short, cheapest first",
        kept,
        ("policy", "text", lambda row: row["policy"]),
        ("cost_per_hour", "dollars per hour", lambda row: row["cost_per_hour"]),
        ("of_static", "share", lambda row: _over(row["cost_per_hour"], static.get("cost_per_hour"))),
        ("slo_met", "share", lambda row: row["slo_met"]),
        ("gpu_hours", "number", lambda row: row["gpu_hours"]),
        ("bound", "number", lambda row: least.get(row["policy"])),
        ("slo", "text", lambda row: SLO[str(row["front"])]),
        note=f"of static: of the cost of {STATIC}, a fleet for the highest rate; bound: GPU-hours below which no "
        "autoscaler serves what the policy kept within limits; SLO: - where another is cheaper and safer",
    )


def _rows(study: Study, title: str) -> list[dict[str, Cell]]:
    return next((table.records() for table in study.tables if table.title == title), [])


def _over(one: Cell, other: Cell) -> Cell:
    return one / other if isinstance(one, int | float) and isinstance(other, int | float) and other else None
