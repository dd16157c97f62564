"""A plan whose replicas do both, beside fleets of the other architectures.

The plan is made first. Then the best fleet that prefills apart gets the smallest size that holds, simulated, as
`disagg` has it, and so does the best of every further architecture, of those that `frontier` scores. The plan says what
each takes, warns where its own fleet is not the least, and what was found of prefill apart is kept beside it as a
study.
"""

from __future__ import annotations

from dataclasses import replace

from fleettui.architectures import ARCHITECTURES
from fleettui.domain.disagg import Disaggregated
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.planning.architecture_need import architecture_need
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.searched_cap import Make
from fleettui.planning.studies.disagg import both_ways, check_apart
from fleettui.planning.studies.study_context import StudyContext
from fleettui.reports.searched_architecture_text import beside_others, warnings
from fleettui.reports.studies.disagg import disagg_study


async def plan_with_architecture(question: Question, make: Make, *, desk: StudyContext, parent: str) -> Answer:
    """Return the answer to a question, with what other architectures take to its need.

    Raises InputError for a question whose prefill and decode cannot be taken apart.
    """
    asked, found = replace(question, architecture="together"), list[Disaggregated]()
    formula = await desk.run("plan", NewPlan, question=replace(asked, verify=False))
    check_apart(KeptPlan.of_new(formula, formula.answer))

    async def compare(new: NewPlan, answer: Answer) -> Answer:
        if answer.answer is None:
            return answer
        kept = KeptPlan.of_new(new, answer).at_nominal_speed
        try:
            found.append(await both_ways(desk, kept, verify=asked.verify))
        except InputError as refusal:
            told = refusal.what
        else:
            told = disagg_study(kept.answer, asked, found[0], None).sentences[0]
        others = (one.name for one in ARCHITECTURES if one.study == "frontier")
        needs = [await architecture_need(desk, kept, name, verify=asked.verify) for name in others]
        together = kept.fleet_for("to compare with")
        beside = beside_others(told, needs, asked.confidence)
        cheaper = warnings(together, found, needs, asked.confidence)
        return replace(answer, why=(*answer.why, *beside), warnings=(*answer.warnings, *cheaper))

    answer = await make(asked, parent=parent, last=compare)
    for one in found:
        desk.keep(disagg_study(desk.kept(answer.plan.id).at_nominal_speed.answer, asked, one, None))
    return answer
