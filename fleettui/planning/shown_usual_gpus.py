"""What the usual GPUs come to where a question names others and no fleet holds, simulated in short where it can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.other_gpus import known
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.remedy import SIMULATED, usual_gpus_would_do
from fleettui.domain.scenario import Question
from fleettui.domain.workload import Workload
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.prove import Simulator
from fleettui.planning.shown_fleets import NEAR, ShownFleets
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import Report

if TYPE_CHECKING:
    from store import Store

MOST = 40
"""Makes of fleets at most that the formulas name at once."""


async def with_usual_gpus(
    answer: Answer,
    question: Question,
    workload: Workload,
    *,
    store: Store,
    workers: WorkerPool,
    report: Report | None,
) -> Answer:
    """Return an answer without a fleet that says which fleet of the usual GPUs would do, or that none was seen to.

    It is as it is where none would by formula.
    """
    if answer.answer is not None or not question.verify or not question.gpus:
        return answer
    source = SceneSource.of(
        replace(question, gpus=()), workload, answer.demand, f"usual GPUs {question} {workload.name}"
    )
    simulator = Simulator(store=store, workers=workers, source=source, seed=question.seed, report=report)
    shown = ShownFleets(simulator=simulator, answer=replace(answer, candidates=()), beyond=NEAR)
    found = await best_of_usual_gpus(shown, question, workload)
    if found is None and not shown.looks:
        return answer
    least = found is None or found.simulation is None or shown.is_least(found, lambda _: True)
    how = SIMULATED if found is None else known(found)
    said = usual_gpus_would_do(question.gpus, found, how, at_most=not least)
    return replace(answer, why=(*answer.why, said), looks=(*answer.looks, *shown.looks))


async def best_of_usual_gpus(shown: ShownFleets, question: Question, workload: Workload) -> Candidate | None:
    """Return the best fleet of the usual GPUs in place of those that a question names, None where all were refuted."""
    simulator = shown.simulator

    async def find(seen: Answer) -> Sequence[Candidate]:
        """Return those that hold by formula, as what was seen corrects it, best first."""
        found = await simulator.workers.run(
            "usual_gpus",
            list[Candidate],
            question=question,
            workload=workload,
            rate=simulator.source.rate,
            seen=seen.candidates,
            most=MOST,
        )
        aside = {one.fleet for one in found if question.sets_aside(one, found[0])}  # as a plan does beside its choice
        shown.untried = [one for one in found if one.fleet in aside and shown.is_open(one)]
        return [one for one in found if one.fleet not in aside and shown.is_open(one)]

    return await shown.best(find, lambda _: True)
