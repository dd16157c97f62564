"""What the GPUs of a fleet cost at the slower end of their error, asked of a worker."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fleettui.domain.plan import Answer, Candidate

if TYPE_CHECKING:
    from fleettui.planning.prove import Simulator


async def slower_cost(simulator: Simulator, seen: Answer, fleet: Candidate) -> float:
    """Return what a fleet of exactly the GPU types of this one costs an hour at the slower end, infinite if none holds.

    The candidates of `seen` are all that was simulated; those of the same types correct the formulas.
    """
    found = await simulator.workers.run("advice-slower", list[float], source=simulator.source, answer=seen, fleet=fleet)
    return next(iter(found), math.inf)
