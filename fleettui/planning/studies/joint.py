"""Several workloads over one stock, as the command `plan` asks for it with a file that holds several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.planning.studies.study_type import StudyType

if TYPE_CHECKING:
    from fleettui.domain.joint import JointQuestion
    from fleettui.domain.study import Study
    from fleettui.planning.studies.study_context import StudyContext


async def work(desk: StudyContext, question: JointQuestion, trace_format: str | None = None) -> Study:
    """Return what a joint question comes to; the plan of each of its workloads is kept too."""
    from dataclasses import replace

    from fleettui.planning.plan_together import plan_together
    from fleettui.planning.stock_share import asked_again
    from fleettui.reports.joint_study import joint_study

    plan = await plan_together(desk, question, trace_format=trace_format)
    return replace(joint_study(plan), joint=asked_again(plan, trace_format))


STUDY = StudyType(kind="joint", work=work)
