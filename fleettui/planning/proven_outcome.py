"""What a question about kept lengths and hardware comes to when it is planned and simulated, without a plan kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer
from fleettui.domain.whatif import Outcome, Point
from fleettui.domain.wish import unmet
from fleettui.errors import InputError
from fleettui.planning.anchors import as_known
from fleettui.planning.kept_inputs import FinishedPlan, FormulaInputs
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.make_plan import begin, is_proven
from fleettui.planning.run_job import work_on
from fleettui.planning.studies.study_context import StudyContext

if TYPE_CHECKING:
    from fleettui.planning.worker_process import Report


async def proven_outcome(desk: StudyContext, inputs: FormulaInputs, typed: Sequence[str], words: str) -> Outcome:
    """Return what a question comes to, simulated as plans are; a kept plan of the same inputs is not made again.

    `typed` are as of the task `kept_answer`; progress is told after `words`. What has no fleet that holds is without
    GPUs and cost; of a fleet that was given, which is simulated as it is, they stand whatever it holds.
    """
    try:
        new = await desk.run("kept_answer-mixed", NewPlan, inputs=inputs, typed=typed)
    except InputError as refusal:
        return Outcome.refused(refusal)
    if not is_proven(new):
        return Outcome.of(new.answer)
    kept = _kept(desk, new, inputs)
    return _outcome(new, kept or await _planned(desk, new, inputs, words), given=inputs.fleet is not None)


def _kept(desk: StudyContext, new: NewPlan, inputs: FormulaInputs) -> Answer | None:
    """Return the answer of a kept plan that was made of the same inputs and simulated, None where there is none."""
    for plan in desk.store.plans_of(new.scenario):
        known = FinishedPlan.get(desk.store, plan)
        best, given = known.answer.answer, inputs.fleet is not None
        same = best is not None and known.given == given and (not given or best.fleet == inputs.fleet)
        if same and known.answer.simulation is not None:
            return known.answer
    return None


async def _planned(desk: StudyContext, new: NewPlan, inputs: FormulaInputs, words: str) -> Answer:
    """Return the answer of a plan that is simulated in a store of its own, where a fleet was given as it is."""
    from store import Store

    with TemporaryDirectory() as folder, Store.open(Path(folder) / "alone.db") as scratch:
        job = begin(scratch, new, kind="plan" if inputs.fleet is None else "verify", advise=False)
        return await work_on(scratch, job, report=_told(desk.report, words), pool=desk.workers)


def _told(report: Report | None, words: str) -> Report | None:
    """Return a report that says after which `words` its steps are told."""
    if report is None:
        return None
    return lambda step: report(replace(step, message=f"{words}: {step.message}"))


def _outcome(new: NewPlan, answer: Answer, *, given: bool) -> Outcome:
    """Return what a simulated answer comes to."""
    if answer.answer is None:
        return Outcome.of(answer)
    kept = KeptPlan.of_new(new, answer)
    found = as_known(kept, Point(values=(), question=kept.question))
    assert found is not None, "a plan that asks for proof was simulated"
    if given or found.verdict == "pass":
        return found
    verdict = "infeasible" if found.verdict == "fail" and not unmet(answer.why) else found.verdict
    limited_by = next(iter(answer.why), found.limited_by)
    return replace(found, verdict=verdict, gpus=None, cost=None, ttft=None, limited_by=limited_by)
