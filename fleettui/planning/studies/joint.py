"""Several workloads over one stock, as the command `plan` asks for it with a file that holds several."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fleettui.planning.studies.study_type import StudyType

if TYPE_CHECKING:
    from fleettui.domain.joint import JointPlan, JointQuestion
    from fleettui.domain.study import Study
    from fleettui.planning.studies.study_context import StudyContext


Known = Callable[[Callable[[], "Study"]], None]
"""Is told how to keep what is known of a joint plan, before what stands beside its answer is worked out."""


async def work(
    desk: StudyContext, question: JointQuestion, trace_format: str | None = None, known: Known = lambda _: None
) -> Study:
    """Return what a joint question comes to; the plan of each of its workloads is kept too."""
    from dataclasses import replace

    from fleettui.planning.plan_together import plan_together
    from fleettui.planning.stock_share import asked_again
    from fleettui.reports.joint_study import joint_study

    def study(plan: JointPlan) -> Study:
        return replace(joint_study(plan), joint=asked_again(plan, trace_format))

    def found(plan: JointPlan) -> None:
        known(lambda: desk.keep(study(plan)))

    return study(await plan_together(desk, question, trace_format=trace_format, found=found))


STUDY = StudyType(kind="joint", work=work)
