"""What limit on a fleet's cost, power or GPUs simulations showed to do, in the place of what the formulas say of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fleettui.domain.plan import Candidate
from fleettui.domain.remedy import MEASURED, SIMULATED, as_told, broken_alone, remedy, used_of
from fleettui.optimize.reasons.inputs import Ground
from fleettui.optimize.reasons.relaxations import Relaxation

REMEDIES = {"GPUs in all": "GPUs"}
"""What remedies call a constraint that relaxations call otherwise."""


def as_simulated(ground: Ground, found: Sequence[Relaxation]) -> tuple[Relaxation, ...]:
    """Return relaxations, those that simulations showed otherwise as these do.

    Fleets count that hold as simulated and break one constraint alone. That with the least of it stands where the kept
    plan tells it, and where it takes less than the formulas' fleet or that one does not hold. Whole nodes are more
    than what a fleet has of its own: those stay as the formulas have them.
    """
    if ground.question.whole_nodes:
        return tuple(found)
    return tuple(_seen(ground, one) for one in found)


def _seen(ground: Ground, one: Relaxation) -> Relaxation:
    name = REMEDIES.get(one.name, one.name)
    holding = _holding(ground, name)
    told = [fleet for fleet in holding if _remedy(ground, name, fleet) in ground.kept.why]
    best = _least(ground, name, told or holding)
    if best is None:
        return one
    least, below = as_told(name, used_of(name, best, ground.question))
    if not told and one.least is not None and one.least <= least and one.verdict != "fail":
        return one
    searched = bool(told) and name in MEASURED
    refused = one.tighter if one.tighter is not None and one.tighter < least else None
    return replace(one, least=least, tighter=below if searched else refused, candidate=best, verdict="pass")


def _holding(ground: Ground, name: str) -> list[Candidate]:
    """Return the fleets that were simulated to hold and break a constraint, and no other."""
    passed = [one for one in ground.proofs.values() if ground.verdict(one.fleet) == "pass"]
    broken = [(fleet, broken_alone(fleet, ground.question)) for fleet in passed]
    return [fleet for fleet, alone in broken if alone is not None and alone[0] == name]


def _remedy(ground: Ground, name: str, fleet: Candidate) -> str:
    return remedy(name, used_of(name, fleet, ground.question), fleet, SIMULATED)


def _least(ground: Ground, name: str, fleets: Iterable[Candidate]) -> Candidate | None:
    return min(fleets, key=lambda one: (used_of(name, one, ground.question), one.cost_per_hour), default=None)
