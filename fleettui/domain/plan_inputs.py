"""What a plan rests on, short enough to stand in its JSON: enough to hold a later plan to it without a store."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Candidate
from fleettui.domain.provenance import Provenance
from fleettui.domain.scenario import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """GPUs and US dollars per hour of a fleet, and how it is known."""

    gpus: int
    cost_per_hour: float
    method: str

    @classmethod
    def of(cls, fleet: Candidate | None) -> Size | None:
        """Return the size of a fleet, None where there is none."""
        if fleet is None:
            return None
        method = "formula" if fleet.simulation is None else "simulation"
        return cls(gpus=fleet.gpus, cost_per_hour=fleet.cost_per_hour, method=method)

    @classmethod
    def chosen(cls, fleet: Candidate | None) -> Size | None:
        """Return the size of a fleet that the formulas chose, whatever is known of it by now."""
        return None if fleet is None else cls(gpus=fleet.gpus, cost_per_hour=fleet.cost_per_hour, method="formula")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanInputs:
    """The question of a plan, and what else its answer rests on.

    `workload` is the digest of its lengths and arrivals. `prices` are US dollars an hour and `figures` the digest of
    all else that sizing reads, both by the GPUs that were searched. `formula` is the formulas' own choice, which a
    simulation may have moved, None where no fleet holds or the plan is not finished. `given` where its fleet was
    written down and not searched for.
    """

    question: Question
    workload: str
    prices: tuple[tuple[str, float], ...]
    figures: tuple[tuple[str, str], ...]
    formula: Size | None
    given: bool
    provenance: Provenance


def prices_by_gpu(profiles: Iterable[Profile]) -> dict[str, float]:
    """Return US dollars an hour by the GPUs that were searched."""
    return {one.gpu: one.price_per_hour for one in profiles}
