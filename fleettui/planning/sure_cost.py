"""What the GPUs of a fleet cost to be as good as sure, asked of a worker."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fleettui.domain.plan import Answer, Candidate

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
