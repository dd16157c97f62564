"""Two plans' sizes as they were seen in the same way: by simulation, or both by formula with what each was asked.

A plan that is simulated keeps what the formulas chose before, but not what they would have chosen to be as sure as was
wished: that is worked out again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from fleettui.domain.plan import Answer
from fleettui.domain.plan_inputs import Size
from fleettui.domain.scenario import Question
from fleettui.domain.whatif import Outcome
from fleettui.planning.kept_inputs import FinishedPlan, FormulaInputs, formula_again
from fleettui.planning.plan_files import FiledPlan
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import Report
from fleettui.reports import units
from fleettui.reports.check_text import Pair
from fleettui.reports.input_changes import Change

AS_FILED = ("question", "slo", "price", "engine")
"""Kinds of changes beside which all that a file's plan rests on is known: its prices, today's lengths and GPUs."""

NOT_KEPT = "the file's fleet as simulated is held to today's by formula: what the formulas said then is not in the file"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenAlike:
    """Workers that say by formula what two plans come to, and what is asked of one that is not of the other."""

    workers: WorkerPool
    changes: tuple[Change, ...]
    report: Report | None = None

    async def beside_kept(self, kept: FinishedPlan, new: FinishedPlan) -> Pair:
        """Return a stored plan and today's."""
        plan, sizes = kept.answer.plan, (Size.of(kept.answer.answer), Size.of(new.answer.answer))
        if _are_alike(*sizes):
            return Pair(plan=plan, before=sizes[0], after=sizes[1], sure=_sure(kept.answer))
        before, after = (Size.chosen(one.formula) for one in (kept, new))
        if _is_resized(kept.question, sizes[0], given=kept.given):
            before = await self._again(kept) if self.changes else after
        elif _is_resized(new.question, sizes[1], given=new.given):
            after = await self._again(new) if self.changes else before
        note = _note(*sizes) if self.changes else f"{_note(*sizes)}{_as_simulated(kept, new)}"
        return Pair(plan=plan, before=before, after=after, note=note, own=sizes, sure=_sure(kept.answer))

    async def beside_filed(self, filed: FiledPlan, new: FinishedPlan, file: str) -> Pair:
        """Return the plan that a file holds and today's; its own as simulated where the formulas cannot be asked."""
        sure = _sure(filed.answer)
        plan, sizes = filed.answer.plan, (Size.of(filed.answer.answer), Size.of(new.answer.answer))
        if _are_alike(*sizes):
            return Pair(plan=plan, before=sizes[0], after=sizes[1], file=file, sure=sure)
        before, after, note = filed.inputs.formula, Size.chosen(new.formula), _note(*sizes)
        if _is_resized(new.question, sizes[1], given=new.given):
            after = await self._again(new) if self.changes else before
        elif _is_resized(filed.inputs.question, sizes[0], given=filed.inputs.given):
            if all(one.kind in AS_FILED for one in self.changes):
                before = await self._of_file(filed, new) if self.changes else after
            else:
                before, note = sizes[0], NOT_KEPT
        return Pair(plan=plan, before=before, after=after, note=note, file=file, own=sizes, sure=sure)

    async def _again(self, kept: FinishedPlan) -> Size | None:
        """Return what the formulas choose to be as sure as a stored plan was to be."""
        asked = replace(kept.scenario, question=replace(kept.question, verify=False))
        found = await formula_again(replace(kept, scenario=asked), self.workers, self.report)
        return Size.chosen(found.answer.answer)

    async def _of_file(self, filed: FiledPlan, new: FinishedPlan) -> Size | None:
        """Return the same of a file's question at its prices, with the lengths and the hardware of today's plan."""
        asked = replace(filed.inputs.question, verify=False, prices=filed.inputs.prices)
        inputs = FormulaInputs(question=asked, workload=new.workload, fleet=None, profiles=new.profiles)
        found = await self.workers.run("kept_answer", Outcome, self.report, inputs=inputs, typed=())
        if found.gpus is None or found.cost is None:
            return None
        return Size(gpus=found.gpus, cost_per_hour=found.cost, method="formula")


def _sure(answer: Answer) -> float | None:
    return None if answer.confidence is None else answer.confidence.holds


def _is_resized(question: Question, size: Size | None, *, given: bool) -> bool:
    """Return whether a plan was searched for and simulated to be as sure as wished: its formula's fleet is not."""
    return question.confidence is not None and not given and size is not None and size.method == "simulation"


def _are_alike(before: Size | None, after: Size | None) -> bool:
    return before is None or after is None or before.method == after.method


def _as_simulated(kept: FinishedPlan, new: FinishedPlan) -> str:
    """Return that the new plan's fleet does not pass as simulated for the stored one, whose question is the same."""
    best = new.answer.answer
    same = (one for one in kept.answer.candidates if best is not None and one.fleet == best.fleet)
    seen = next((one.simulation for one in same if one.simulation is not None), None)
    if seen is None or seen.verdict not in ("fail", "unproven"):
        return ""
    return f", where the new one's fleet {'fails' if seen.verdict == 'fail' else 'is not proven'}"


def _note(before: Size | None, after: Size | None) -> str:
    """Return that two fleets are held to each other by formula, as only one of them is simulated."""
    assert before is not None, "two fleets are held to each other"
    assert after is not None, "two fleets are held to each other"
    proven, which = (before, "the stored plan") if before.method == "simulation" else (after, "the new one")
    size = f"{proven.gpus} GPUs at {units.cents_per_hour(proven.cost_per_hour)}"
    return f"held to each other by formula: only {which} is simulated, to {size}"
