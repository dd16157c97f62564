"""Which fleets of a plan stand beside its own in a study: the cheapest of each other choice of GPU types and pools."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fleettui.domain.fleet import Fleet
    from fleettui.domain.plan import Candidate


def fleets_beside(best: Candidate, others: Iterable[Candidate]) -> tuple[Fleet, ...]:
    """Return the fleet of `best`, and the cheapest of `others` that may hold of each other choice of GPUs and pools."""
    found: dict[tuple[tuple[str, ...], int], Fleet] = {}
    for one in (best, *sorted(others, key=lambda one: one.cost_per_hour)):
        if one.may_hold:
            found.setdefault((tuple(sorted(one.fleet.gpus_by_type)), len(one.fleet.pools)), one.fleet)
    return (best.fleet, *(fleet for fleet in found.values() if fleet != best.fleet))
