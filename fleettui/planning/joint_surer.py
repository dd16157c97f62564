"""How sure the limits that workloads share let all their fleets be: joint plans that are to be so sure of each."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.confidence import LIKELY
from fleettui.domain.joint import JointPlan, JointQuestion
from fleettui.domain.surer_together import SureTogether
from fleettui.planning.joint_aside import planned_aside
from fleettui.planning.studies.study_context import StudyContext
from fleettui.reports import confidence_text, joint_sure

SHARES, SURER = (LIKELY, 0.8, 0.7, 0.6), 0.05
"""Shares of the cases that fleets are asked for, and by how much these are to be above the plan's own."""
MOST_SIMULATED = 2
"""Shares at most at which fleets are searched for by simulation."""


async def surer_within(desk: StudyContext, plan: JointPlan, trace_format: str | None) -> SureTogether | None:
    """Return the surest fleets that the shared limits of a plan give; None where it need not be asked.

    That is where all are as good as sure, or as many of the same keep all limits. The first of SHARES is asked for as
    whoever wishes it asks; a lower one is simulated where the formulas have fleets for it.
    """
    if not joint_sure.is_beyond(plan):
        return None
    least, simulated, sought = min(sure.holds for _, _, sure in joint_sure.rows(plan)), 0, LIKELY
    for share in SHARES:
        if (share != LIKELY and share < least + SURER) or simulated == MOST_SIMULATED:
            break
        sought = share
        asked, where = _wishing(plan.question, share), f"{confidence_text.surely(share)} sure"
        if share != LIKELY:
            free = await planned_aside(desk, _unproven(asked), trace_format, f"{where} by formula")
            if free.verdict != "pass":
                continue
        found = await planned_aside(desk, asked, trace_format, where)
        simulated += asked.verify
        if found.verdict == "pass":
            return _told(found)
    return SureTogether(sought=sought)


def _wishing(question: JointQuestion, share: float) -> JointQuestion:
    entries = (replace(one, question=replace(one.question, confidence=share)) for one in question.entries)
    return replace(question, entries=tuple(entries))


def _unproven(question: JointQuestion) -> JointQuestion:
    entries = (replace(one, question=replace(one.question, verify=False)) for one in question.entries)
    return replace(question, entries=tuple(entries), verify=False)


def _told(found: JointPlan) -> SureTogether:
    paid = zip(found.kinds, found.joint.paid, strict=True)
    return SureTogether(
        fleets=tuple(joint_sure.rows(found)),
        gpus=tuple((kind.name, count) for kind, count in paid if count),
        cost=found.joint.cost,
    )
