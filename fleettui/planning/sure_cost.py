"""What the GPUs of a fleet cost to be as good as sure, and how sure it is, asked of a worker."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fleettui.domain.confidence import Confidence
from fleettui.domain.plan import Answer, Candidate
from fleettui.planning.anchors import anchors_from

if TYPE_CHECKING:
    from fleettui.planning.prove import Simulator


async def sure_cost(simulator: Simulator, seen: Answer, fleet: Candidate) -> float:
    """Return what a fleet of exactly the GPU types of this one costs an hour to be as good as sure.

    It is infinite if none is. The candidates of `seen` are all that was simulated; those of the same types correct
    the formulas.
    """
    found = await simulator.workers.run(
        "advice-sure-cost", list[float], source=simulator.source, answer=seen, fleet=fleet
    )
    return next(iter(found), math.inf)


async def share_sure(simulator: Simulator, seen: Answer, fleet: Candidate) -> float:
    """Return in what share of the cases a fleet of a plan suffices, by formula as what was `seen` corrects it."""
    source = simulator.source
    anchors = anchors_from(seen.candidates, fleet, source.question, source.rate)
    found = await simulator.workers.run("confidence", Confidence, source=source, fleet=fleet.fleet, anchors=anchors)
    return found.holds
