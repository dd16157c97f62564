"""What of a given fleet is spare or short, and up to which rate it holds, as a backtest found the fleet to be.

Where it is short it is looked at how else its GPUs would do.
"""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.backtest import MOVED_TERMS, Corrected, Fit
from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Answer, Candidate, Look
from fleettui.errors import InputError
from fleettui.planning.fleet_limits import FleetLimits
from fleettui.planning.kept_inputs import FinishedPlan
from fleettui.planning.other_divisions import with_division
from fleettui.planning.plan_trials import Trials
from fleettui.planning.prepared_fleet import SceneSource, prepared
from fleettui.planning.prove import Prover
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
    plan, source, fleet = kept.answer, kept.source(kept.id, kept.profiles), best.fleet
    looks: tuple[Look, ...] = ()
    if fit.constant == "arrival rate":
        looks = (*plan.looks, Look(rate=source.rate, candidate=best))
        source = source.at(source.rate * fit.factor.value)
    else:
        moved = await desk.run("backtest-correct", Corrected, source=source, fleet=fleet, **_moved(fit))
        source, fleet = kept.source(_key(kept, fit), moved.profiles), moved.fleet
    limits = await _limits(desk, plan, source, fleet, looks)
    answer = replace(_bare(plan, source, limits.fleet), stock=await limits.stock())
    if not _is_short(answer):
        return answer
    if fit.constant in MOVED_TERMS:  # replicas of other sizes are taken to be as much slower
        base = kept.source(kept.id, kept.profiles)
        whole = await desk.run("divisions-corrected", Corrected, source=base, fleet=best.fleet, **_moved(fit))
        source, fleet = kept.source(f"{_key(kept, fit)}, divided", whole.profiles), whole.fleet
    return await _with_division(desk, answer, source, fleet, limits)


def _moved(fit: Fit) -> dict[str, object]:
    return {"constant": fit.constant, "factor": fit.factor.value}


def _key(kept: FinishedPlan, fit: Fit) -> str:
    return f"{kept.id} {fit.constant} x{fit.factor.value!r}"


async def _limits(
    desk: StudyContext, plan: Answer, source: SceneSource, fleet: Fleet, looks: tuple[Look, ...] = ()
) -> FleetLimits:
    """Return the limits of a plan's `fleet` at a source's rate; `looks` were taken at it before."""
    candidate = (await prepared(desk, source, fleet)).candidate
    return FleetLimits.of(desk.workers, source, _bare(plan, source, candidate), candidate, desk.tell, looks=looks)


def _bare(plan: Answer, source: SceneSource, fleet: Candidate) -> Answer:
    """Return the answer of a plan with another fleet at a source's rate, and nothing that is known of its own."""
    demand = replace(plan.demand, rate=source.rate)
    return replace(
        plan, demand=demand, answer=fleet, candidates=(), why=(), stock=None, confidence=None, looks=(), verdict="pass"
    )


def _is_short(answer: Answer) -> bool:
    """Return whether some pool is to have more replicas, or no number of them holds."""
    assert answer.answer is not None, "a fleet that is given is the answer"
    assert answer.stock is not None, "what of it is spare was told"
    pools, needed = answer.answer.fleet.pools, answer.stock.replicas
    return needed is None or any(need > pool.replicas for need, pool in zip(needed, pools, strict=True))


async def _with_division(
    desk: StudyContext, answer: Answer, source: SceneSource, fleet: Fleet, limits: FleetLimits
) -> Answer:
    """Return the answer of a fleet that is short, with the limits that showed it, and how else its GPUs would do."""
    seen = (look.candidate for look in limits.looks if (look.sizes, look.rate) == (limits.sizes, source.rate))
    best = replace(next(seen, limits.fleet), fleet=fleet)
    short = replace(answer, verdict="fail", answer=best)
    prover = Prover(
        store=desk.store,
        workers=desk.workers,
        source=source,
        question=source.question,
        seed=limits.seed,
        precision=limits.precision,
        note=lambda _done, _wanted, _words: None,
        report=desk.report,
    )
    return await with_division(Trials(store=desk.store, plan=short, question=source.question, prover=prover), short)
