"""The list of plans as a table."""

from __future__ import annotations

from collections.abc import Iterable

from fleettui.domain.plan import PlanRow
from fleettui.domain.scenario import Slo
from fleettui.reports import units
from fleettui.reports.fleet_text import METHOD_WORDS, VERDICT_WORDS
from fleettui.reports.table import Head, Table

UNFINISHED = "NOT FINISHED"


def plans_table(rows: Iterable[PlanRow]) -> Table:
    """Return one row per plan, in the order given: what was asked, what it came to, and how that is known."""
    columns = (
        Head(title="plan"),
        Head(title="made (UTC)"),
        Head(title="question", wrap=True),
        Head(title="fleet", wrap=True),
        Head(title="$/h", align="right"),
        Head(title="verdict"),
    )
    return Table(columns=columns, rows=tuple(map(_row, rows)))


def question_words(row: PlanRow) -> str:
    """Return what a plan was asked, in one line: chat: azure-2023-conv 100/s P99 TTFT<500ms."""
    named = f"{row.name}: {row.workload}" if row.name else row.workload
    rate = "" if row.rate is None else f"{units.per_second(row.rate)}/s"
    slo = "" if row.slo is None else _limits(row.slo)
    return " ".join(word for word in (named, rate, slo, "(archived)" if row.archived else "") if word)


def _limits(slo: Slo) -> str:
    words = [f"{name.upper()}<{units.limit(value)}" for name, value in slo.limits()]
    return " ".join([f"P{units.write_percentile(slo.percentile)}", *words]) if words else "no SLO"


def verdict_words(row: PlanRow) -> str:
    """Return what a plan came to, and by which method where that makes a difference: PASS simulated."""
    if not row.finished:
        return UNFINISHED
    word = VERDICT_WORDS[row.verdict]
    return f"{word} {METHOD_WORDS.get(row.method, row.method)}" if row.verdict in ("pass", "fail") else word


def _row(row: PlanRow) -> tuple[str, ...]:
    cost = row.cost_per_hour
    return (
        row.handle,
        row.created[5:16].replace("T", " "),
        question_words(row),
        row.fleet,
        units.UNDEFINED if cost is None else f"{cost:,.2f}" if cost < 100 else f"{cost:,.0f}",
        verdict_words(row),
    )
