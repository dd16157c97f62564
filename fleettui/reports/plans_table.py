"""The list of plans as a table."""

from __future__ import annotations

from collections.abc import Iterable

from fleettui.domain.plan import PlanRow
from fleettui.reports import units
from fleettui.reports.fleet_words import METHOD_WORDS, VERDICT_WORDS
from fleettui.reports.table import Column, Table


def plans_table(rows: Iterable[PlanRow]) -> Table:
    """Return one row per plan, in the order given, with what it came to and how that is known."""
    columns = (
        Column(title="plan"),
        Column(title="made (UTC)"),
        Column(title="question", wrap=True),
        Column(title="fleet", wrap=True),
        Column(title="$/h", align="right"),
        Column(title="verdict"),
        Column(title="proof"),
    )
    return Table(columns=columns, rows=tuple(map(_row, rows)))


def _row(row: PlanRow) -> tuple[str, ...]:
    cost = row.cost_per_hour
    return (
        row.handle,
        row.created[5:16].replace("T", " "),
        f"{row.name}: {row.workload}" if row.name else row.workload,
        row.fleet,
        units.UNDEFINED if cost is None else f"{cost:,.2f}" if cost < 100 else f"{cost:,.0f}",
        VERDICT_WORDS[row.verdict],
        METHOD_WORDS.get(row.method, row.method),
    )
