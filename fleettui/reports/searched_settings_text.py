"""What a searched setting takes beside its other values, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fleettui.domain.plan import Answer, Candidate
from fleettui.reports import fleet_text, units

ROUTER = "--router"
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A value of a setting by `name`, and the fleet that it takes, None where none holds, simulated or not."""

    name: str
    fleet: Candidate | None
    simulated: bool


def beside_others(option: str, first: str, fleet: Candidate | None, others: Sequence[Told]) -> str:
    """Return what a plan with the `first` value says of the others: what each needs, least first."""
    if fleet is None:
        return f"{option} auto: {first} takes least by formula, and no fleet holds with it"
    told = "; ".join(_needs(option, one, fleet) for one in sorted(others, key=_cost))
    taken = f"{_called(option, first, fleet)} takes {_costs(fleet)}"
    return f"{option} auto: {taken}; the others would need: {told or 'none applies'}"


def beside_first(option: str, name: str, fleet: Candidate | None, first: str, plain: Answer) -> str:
    """Return what a plan with the value that takes least says of the plan with the `first`."""
    before, head = f"plan {plain.plan.handle} with {first}", f"{option} auto: {_called(option, name, fleet)}"
    if fleet is None:
        return f"{head} holds on no fleet of other shapes; {before} says what it does on its own"
    if plain.answer is None or plain.verdict != "pass":
        return f"{head} holds on {_costs(fleet)}; {before} does not hold, and says what the others would need"
    return f"{head} takes {_costs(fleet)}; {before} takes {_costs(plain.answer)}, and says what the others need"


def beside_plans(
    option: str, name: str, fleet: Candidate | None, made: Sequence[tuple[str, Answer]]
) -> tuple[str, ...]:
    """Return what a plan with a value says of those that were `made` with others before it, nothing where none was."""
    others = "; ".join(f"plan {one.plan.handle} with {other} {_takes(one)}" for other, one in made)
    own = "holds on no fleet" if fleet is None else f"takes {_costs(fleet)}"
    return (f"{option} auto: {name} {own}; {others}",) if others else ()


def _takes(plan: Answer) -> str:
    if plan.answer is None or plan.verdict != "pass":
        return "does not hold"
    return f"takes {_costs(plan.answer)}"


def _called(option: str, name: str, fleet: Candidate | None) -> str:
    """Return a value's name; with what a router that sends by length does where the fleet has one pool to send to."""
    return f"{name} (in one pool: fewest requests)" if option == ROUTER and fleet_text.no_choice(fleet) else name


def _costs(fleet: Candidate) -> str:
    return f"{fleet_text.gpu_total(fleet.fleet)}, {units.dollars_per_hour(fleet.cost_per_hour)}"


def _cost(one: Told) -> tuple[float, str]:
    return (float("inf") if one.fleet is None else one.fleet.cost_per_hour), one.name


def _needs(option: str, one: Told, first: Candidate) -> str:
    """Return what a value needs; of one that would take less than the first and is too long to simulate what tells."""
    if one.fleet is None:
        return f"{one.name} more than any size tried"
    by = "" if one.simulated else ", by formula"
    less = one.fleet.cost_per_hour < first.cost_per_hour * (1.0 - ROUNDING)
    tells = f" ({option} {one.name} tells)" if by and less else ""
    return f"{one.name} {_costs(one.fleet)}{by}{tells}"
