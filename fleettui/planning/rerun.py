"""Run a kept plan again from what the store holds, its proof too, and hold the two to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer, Evidence
from fleettui.errors import InputError
from fleettui.planning.compare import compared
from fleettui.planning.kept_inputs import FinishedPlan, formula_again
from fleettui.planning.make_plan import begin, is_proven
from fleettui.planning.run_job import work_on
from fleettui.planning.verify import verify
from fleettui.planning.worker_pool import WorkerPool, borrowed
from fleettui.planning.worker_process import Report
from fleettui.reports.comparison.build import compare
from fleettui.reports.rerun_text import Rerun

if TYPE_CHECKING:
    from store import Store


async def rerun(store: Store, ref: str, *, report: Report | None = None, pool: WorkerPool | None = None) -> Rerun:
    """Return what the inputs of the stored plan that `ref` names come to again; nothing is stored of it.

    Every proof that the answer was given is given again, in the same order. Raises InputError when there is no such
    plan, it is not finished, or it was chosen together with others.
    """
    from store import Store as Scratch

    kept = FinishedPlan.get(store, ref)
    if kept.together:
        raise InputError(
            "it was chosen together with others, and cannot be run again alone",
            where=f"plan {kept.handle}",
            remedy="fleettui plan -f plans them together again, fleettui diff compares",
        )
    best = kept.answer.answer
    proofs = () if best is None else store.verifications(best.candidate)
    simulated = [one for one in proofs if one.method == "simulation"]
    async with borrowed(pool) as workers:
        new = await formula_again(kept, workers, report)
        with TemporaryDirectory() as folder, Scratch.open(Path(folder) / "again.db") as scratch:
            answer = await _answer(scratch, kept, new, workers, report)
            if best is not None and answer.answer is not None and answer.answer.fleet == best.fleet:
                await _prove(scratch, answer.answer.candidate, simulated, workers, report)
            again = scratch.plan(answer.plan.id)
    base = replace(compared(store, kept.id), answer=kept.answer)
    named = replace(again, plan=replace(again.plan, handle="again", name=""))
    other = replace(base, answer=named, provenance=new.provenance)
    comparison = compare((base, other), shared=False)
    rows = tuple(row for row in comparison.rows if row.section == "results")
    return Rerun(kept=kept.answer, again=named, comparison=replace(comparison, rows=rows))


async def _answer(
    scratch: Store, kept: FinishedPlan, new: NewPlan, workers: WorkerPool, report: Report | None
) -> Answer:
    """Return what the plan comes to in an empty store, proven as its question asks for it."""
    if kept.given or is_proven(new):
        job = begin(scratch, new, kind="simulate" if kept.given else "plan")
        return await work_on(scratch, job, report=report, pool=workers)
    return scratch.add_plan(new)


async def _prove(
    scratch: Store, candidate: str, proofs: Sequence[Evidence], workers: WorkerPool, report: Report | None
) -> None:
    """Give a candidate those proofs, in their order, that it was given beside the first."""
    for proof in proofs:
        known = scratch.verifications(candidate)[-1:]
        if not known or (known[0].seed, known[0].precision) != (proof.seed, proof.precision):
            await verify(scratch, candidate, precision=proof.precision, seed=proof.seed, report=report, pool=workers)
