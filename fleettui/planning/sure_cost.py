"""What the GPUs of a fleet cost to be as good as sure, and how sure it is, asked of a worker."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fleettui.domain.confidence import Confidence, SureFleet
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.seen_fleets import make_of
from fleettui.planning.anchors import anchors_from

if TYPE_CHECKING:
    from fleettui.planning.prove import Simulator


def told_to_be_sure(answer: Answer) -> Iterator[SureFleet]:
    """Yield what a page tells beside an answer to be as good as sure, of the answer's own make with one replica each.

    What is as good as sure itself costs what it does.
    """
    best, sure = answer.answer, answer.confidence
    if best is None or sure is None:
        return
    own = best.cost_per_hour if sure.is_likely else sure.cost
    if own is not None:
        yield SureFleet(fleet=make_of(best), cost=own)
    yield from (one for one in (sure.alike, sure.better_known, sure.instead) if one is not None)


async def sure_cost_beside(simulator: Simulator, page: Answer, seen: Answer, fleet: Candidate) -> float:
    """Return what the GPU types of a fleet cost an hour to be as good as sure, as a page tells beside its answer.

    Where that tells of none of exactly these types, it is what `sure_cost` finds.
    """
    gpus = fleet.fleet.gpus_by_type.keys()
    told = [one.cost for one in told_to_be_sure(page) if one.fleet.gpus_by_type.keys() == gpus]
    return min(told) if told else await sure_cost(simulator, seen, fleet)


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
