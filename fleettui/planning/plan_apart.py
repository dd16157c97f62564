"""A plan of another question than a kept one on the same workload and hardware, simulated in a store of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer
from fleettui.domain.provenance import Provenance
from fleettui.domain.scenario import Question
from fleettui.planning.kept_inputs import FormulaInputs
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.make_plan import begin, is_proven
from fleettui.planning.run_job import work_on
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import Report


async def by_formula(kept: KeptPlan, asked: Question, workers: WorkerPool) -> NewPlan:
    """Return the formula's plan of another question beside a `kept` one."""
    inputs = FormulaInputs(question=asked, workload=kept.workload, fleet=None, profiles=kept.profiles)
    answer, found_by = await workers.run("kept_answer-plan", tuple[Answer, Provenance], inputs=inputs)
    return NewPlan(
        answer=answer,
        scenario=replace(kept.scenario, question=asked),
        provenance=found_by,
        workload=kept.workload,
        profiles=kept.profiles,
    )


async def planned_apart(kept: KeptPlan, asked: Question, workers: WorkerPool, report: Report | None) -> Answer | None:
    """Return the proven plan of another question, with what was simulated; None where it has no fleet to simulate."""
    from store import Store

    new = await by_formula(kept, asked, workers)
    if not is_proven(new):
        return None
    with TemporaryDirectory() as folder, Store.open(Path(folder) / "alone.db") as scratch:
        return await work_on(scratch, begin(scratch, new, kind="plan", advise=False), report=report, pool=workers)
