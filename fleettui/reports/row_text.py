"""What the line of a list says of a plan, for the moment before the plan itself is read."""

from __future__ import annotations

from pathlib import PurePath

from fleettui.domain.plan_row import PlanRow
from fleettui.reports import units
from fleettui.reports.headline_cost import about_per_month
from fleettui.reports.row_fleet import shown
from fleettui.reports.slo_text import limits
from fleettui.reports.verdict_words import METHOD_WORDS, is_too_few, known_word, verdict_word

HEAD = "question  "
"""What stands before the question at the foot of the view."""


def row_screen(row: PlanRow) -> str:
    """Return the answer."""
    verdict = row_verdict(row)
    if row.cost_per_hour is None:
        return verdict
    cost = f"{units.dollars_per_hour(row.cost_per_hour)}   {about_per_month(row.cost_per_hour)}"
    latency = f"TTFT {units.seconds(row.ttft)}   TPOT {units.seconds(row.tpot)}   in the worst pool"
    return f"{verdict}   {shown(row.fleet)}   {cost}\n{METHOD_WORDS.get(row.method, row.method)}   {latency}"


def row_verdict(row: PlanRow, *, by_formula: bool = False) -> str:
    """Return what a plan came to as its page has it, and where it is so that it is `by_formula`."""
    word = verdict_word(row.verdict, row.slo)
    return known_word(word, nominal=row.verdict == "pass" and is_nominal(row), by_formula=by_formula)


def is_nominal(row: PlanRow) -> bool:
    """Return whether a plan that passes does so at nominal speed only, as far as its row tells."""
    return row.untold or (row.holds is not None and is_too_few(row.holds))


def row_summary(row: PlanRow) -> str:
    """Return the question in one line, as `conversion.summary` does."""
    slo = "" if row.slo is None else limits(row.slo)
    return f"{PurePath(row.workload).name}  {row.model} {row.dtype}  {slo or 'no SLO'}"


def row_question(row: PlanRow) -> str:
    """Return the question in two lines: what arrives for which model, and the limits."""
    rate = "" if row.rate is None else f"rate {units.per_second(row.rate)}/s"
    arrives = [f"workload {PurePath(row.workload).name}", rate, f"model {row.model}", f"dtype {row.dtype}"]
    limited = "no SLO" if row.slo is None else limits(row.slo) or "no SLO"
    return f"{HEAD}{'  '.join(filter(None, arrives))}\n{' ' * len(HEAD)}{limited}"
