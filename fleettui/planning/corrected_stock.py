"""What of a given fleet is spare or short, and up to which rate it holds, as a backtest found the fleet to be."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.backtest import Corrected, Fit
from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Answer, Candidate, Look
from fleettui.errors import InputError
from fleettui.planning.fleet_limits import FleetLimits
from fleettui.planning.kept_inputs import FinishedPlan
from fleettui.planning.prepared_fleet import SceneSource, prepared
from fleettui.planning.studies.study_context import StudyContext
from fleettui.reports.backtest.finding import Backtest


async def with_stock(desk: StudyContext, kept: FinishedPlan, found: Backtest) -> Backtest:
    """Return a backtest with what its correction leaves spare of a fleet that was given, as simulations show it.

    It stays as it is where the plan does not tell that, the prediction holds, or nothing is to be corrected.
    """
    fit = found.chosen
    if kept.answer.stock is None or fit is None:
        return found
    try:
        return replace(found, corrected=await _corrected(desk, kept, found.fleet, fit))
    except InputError:  # the formulas need not be able to size the fleet that was corrected
        return found


async def _corrected(desk: StudyContext, kept: FinishedPlan, best: Candidate, fit: Fit) -> Answer:
    """Return the plan's answer at the rate, or of the hardware, that the fit says."""
    plan, source, factor = kept.answer, kept.source(kept.id, kept.profiles), fit.factor.value
    looks: tuple[Look, ...] = ()
    fleet = best.fleet
    if fit.constant == "arrival rate":
        looks = (*plan.looks, Look(rate=source.rate, candidate=best))
        source = source.at(source.rate * factor)
    else:
        moved = await desk.run(
            "backtest-correct", Corrected, source=source, fleet=fleet, constant=fit.constant, factor=factor
        )
        source = kept.source(f"{kept.id} {fit.constant} x{factor!r}", moved.profiles)
        fleet = moved.fleet
    return await _reach(desk, plan, source, fleet, looks)


async def _reach(
    desk: StudyContext, plan: Answer, source: SceneSource, fleet: Fleet, looks: tuple[Look, ...]
) -> Answer:
    """Return the answer of a plan with `fleet` and its stock at a source's rate; `looks` were taken at it before."""
    candidate = (await prepared(desk, source, fleet)).candidate
    bare = replace(plan, answer=candidate, candidates=(), stock=None, confidence=None)
    limits = FleetLimits.of(desk.workers, source, bare, candidate, desk.tell, looks=looks)
    return replace(bare, stock=await limits.stock())
