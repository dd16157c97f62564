"""Plans of one fleet under one load share a proof: what was simulated of one holds for the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fleettui.reports.comparison.model import Compared

OF_LOAD = (
    *("prompt", "output", "output_share", "lengths", "prefix_hit", "drop_longer", "arrivals", "record"),
    *("bounds", "features", "prefix_cache", "sessions", "length_error", "batch_share"),
    *("preset", "engine", "engine_overhead", "step_law", "fit", "front_end", "api_token"),
)
"""The fields of a question that a simulation of a given fleet rests on, beside the rate and the percentiles."""


def with_shared_proofs(plans: Sequence[Compared]) -> tuple[Compared, ...]:
    """Return the plans; one whose fleet is only known by formula has the proof of another of the same fleet and load.

    Pools, settings, hardware, lengths, rate, arrivals, percentiles and engine version are the same then; prices,
    limits and what was searched may differ.
    """
    proven = [plan for plan in plans if plan.answer.simulation is not None]
    return tuple(_shared(plan, proven) for plan in plans)


def _shared(plan: Compared, proven: Sequence[Compared]) -> Compared:
    if plan.fleet is None or plan.answer.simulation is not None:
        return plan
    other = next((one for one in proven if _same(plan, one)), None)
    if other is None:
        return plan
    fleet = replace(plan.fleet, evidence=other.answer.simulation)
    return replace(plan, answer=replace(plan.answer, answer=fleet), proof_of=other.handle)


def _same(one: Compared, other: Compared) -> bool:
    """Return whether two plans' fleets would be simulated alike."""
    if one.fleet is None or other.fleet is None or one.fleet.fleet != other.fleet.fleet:
        return False
    return _load(one) == _load(other)


def _load(plan: Compared) -> tuple[object, ...]:
    asked, slo = plan.question, plan.question.slo
    return (
        plan.workload,
        plan.answer.demand.rate,
        plan.answer.plan.engine_version,
        slo.percentile,
        tuple(name for name, _ in slo.further),
        *(getattr(asked, name) for name in OF_LOAD),
    )
