"""The whole nodes that an answer pays for, filled: what its pools leave of them would serve for nothing more."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.plan import Candidate
from fleettui.domain.size_curve import filled, fills_nodes
from fleettui.planning import confidence_reasons
from fleettui.planning.plan_trials import Trials
from fleettui.planning.trial import Trial


async def in_all_paid(trials: Trials, found: Trial) -> Trial | None:
    """Return a fleet that holds with as many more replicas as its whole nodes have room for, simulated.

    None where the question pays for GPUs alone or wants something else than the cost to be least, where there is no
    room, and where the fleet would not hold.
    """
    best = found.candidate
    if not found.good or not fills_nodes(trials.question):
        return None
    (curves,) = await trials.prover.curves([best.fleet])
    sizes = filled(curves, found.sizes, trials.question)
    larger = None if sizes == found.sizes else await trials.attempt(best, sizes)
    return larger if larger is not None and larger.good else None


def reasons_in_paid(smaller: Candidate, reasons: Sequence[str]) -> tuple[str, ...]:
    """Return that a fleet would do which leaves a part of its whole nodes unused, before what is said of no pool."""
    others = (one for one in reasons if not one.startswith("pool "))
    return confidence_reasons.unfilled(smaller), *others
