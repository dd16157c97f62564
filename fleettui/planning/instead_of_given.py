"""What a plan would take instead of a fleet that was given and does not hold, simulated in short where it can be.

It is told where it costs less than more of the same and than another division of the same GPUs.
"""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.fleet import Fleet
from fleettui.domain.other_gpus import known
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.remedy import OF_THE_SAME, would_do_instead
from fleettui.domain.scenario import Question
from fleettui.domain.seen_fleets import make_of
from fleettui.domain.workload import Workload
from fleettui.planning.fleet_limits import can_be_told
from fleettui.planning.plan_trials import Trials
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.prove import Simulator
from fleettui.planning.shown_fleets import ShownFleets
from fleettui.planning.shown_usual_gpus import best_of_usual_gpus


async def with_instead(trials: Trials, answer: Answer, workload: Workload) -> Answer:
    """Return the answer of a fleet that was given with what a plan would take; as it is where the fleet holds."""
    best, prover = answer.answer, trials.prover
    if best is None or answer.verdict == "pass" or not can_be_told(trials.question):
        return answer
    question = _planned(trials.question, best.fleet)
    usual = replace(question, gpus=())
    simulator = Simulator(
        store=prover.store,
        workers=prover.workers,
        source=SceneSource.of(usual, workload, answer.demand, f"instead {usual} {workload.name}"),
        seed=prover.seed,
        report=prover.report,
    )
    looked = (look.candidate for look in answer.looks if look.rate == answer.demand.rate)
    shown = ShownFleets(simulator=simulator, answer=replace(answer, candidates=(best, *looked)))
    found = await best_of_usual_gpus(shown, question, workload)
    if found is None or _is_told(answer, best, found):
        return answer
    said = would_do_instead(found, best, question, known(found))
    return replace(answer, why=(*answer.why, said), looks=(*answer.looks, *shown.looks))


def _planned(question: Question, fleet: Fleet) -> Question:
    """Return a question about a fleet as that of a plan: of its GPUs, in its number format."""
    dtypes, caches = ({getattr(pool, name) for pool in fleet.pools} for name in ("dtype", "kv_dtype"))
    return replace(
        question,
        gpus=tuple(fleet.gpus_by_type),
        dtype=dtypes.pop() if len(dtypes) == 1 else question.dtype,
        kv_dtype=caches.pop() if len(caches) == 1 else question.kv_dtype,
    )


def _is_told(answer: Answer, best: Candidate, found: Candidate) -> bool:
    """Return whether what was found is more of the same or another division of it, or costs no less than these."""
    more = None if answer.stock is None else answer.stock.cost
    divided = best.cost_per_hour if any(OF_THE_SAME in one for one in answer.why) else None
    least = min((cost for cost in (more, divided) if cost is not None), default=None)
    return make_of(found) == make_of(best) or (least is not None and found.cost_per_hour >= least)
