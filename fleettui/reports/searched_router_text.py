"""What a searched router takes beside the others, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.routers import Needed
from fleettui.reports import fleet_text, units

AUTO = "--router auto:"


def beside_others(first: str, fleet: Candidate | None, others: Sequence[Needed]) -> str:
    """Return what a plan with the router `first` says of the others: what each needs, least first."""
    if fleet is None:
        return f"{AUTO} {first} takes least by formula, and no fleet holds behind it"
    told = "; ".join(_needs(one) for one in sorted(others, key=lambda one: (_cost(one), one.router)))
    return f"{AUTO} {first} takes {_costs(fleet)}; the others would need: {told or 'none applies'}"


def beside_first(name: str, fleet: Candidate | None, first: str, plain: Answer) -> str:
    """Return what a plan with the router that takes least says of the plan with the `first`."""
    before = f"plan {plain.plan.handle} with {first}"
    if fleet is None:
        return f"{AUTO} {name} holds on no fleet of other shapes; {before} says what it does on that one's"
    if plain.answer is None or plain.verdict != "pass":
        return f"{AUTO} {name} holds on {_costs(fleet)}; {before} does not hold, and says what the others would need"
    return f"{AUTO} {name} takes {_costs(fleet)}; {before} takes {_costs(plain.answer)}, and says what the others need"


def _costs(fleet: Candidate) -> str:
    return f"{fleet_text.gpu_total(fleet.fleet)}, {units.dollars_per_hour(fleet.cost_per_hour)}"


def _cost(one: Needed) -> float:
    return float("inf") if one.cost is None else one.cost


def _needs(one: Needed) -> str:
    if one.gpus is None or one.cost is None:
        return f"{one.router} more than any size tried"
    by = "" if one.simulated else ", by formula"
    return f"{one.router} {units.count(one.gpus)} GPUs, {units.dollars_per_hour(one.cost)}{by}"
