"""What a fleet costs per unit served, in words: per million output tokens, per thousand requests, per user."""

from __future__ import annotations

from collections.abc import Iterator

from fleettui.domain.demand import DerivedDemand
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.unit_cost import UnitCost
from fleettui.domain.unit_served import cost_per_million
from fleettui.reports import units


def told_by_unit(candidate: Candidate, question: Question, derived: DerivedDemand | None = None) -> str:
    """Return `unit_cost_text` where a day or users are told, else nothing: the rate then says it all."""
    cost = UnitCost.of(candidate, question, derived)
    told = cost is not None and (cost.basis == "day" or cost.cost_per_user_month is not None)
    return unit_cost_text(candidate, question, derived) if told else ""


def unit_cost_text(candidate: Candidate, question: Question, derived: DerivedDemand | None = None) -> str:
    """Return what tokens, requests and typed users cost; at the asked rate, held all day, where no day is known."""
    planned, cost = units.dollars(cost_per_million(candidate)), UnitCost.of(candidate, question, derived)
    if cost is None:
        return f"{planned} per 1M output"
    first = f"{planned} per 1M output at this rate"
    if cost.basis == "day":
        mean = units.dollars(cost.cost_per_million_output_tokens_at_mean)
        first = f"{mean} per 1M output over the day, {planned} at peak"
    return "; ".join((first, *_per_use(cost)))


def _per_use(cost: UnitCost) -> Iterator[str]:
    yield f"{units.dollars(1000 * cost.cost_per_request)} per 1K requests"
    if cost.cost_per_user_month is not None:
        yield f"{units.dollars(cost.cost_per_user_month)} per user a month"
