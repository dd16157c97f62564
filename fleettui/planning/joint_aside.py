"""A joint plan beside another: of another question, in a store of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from fleettui.domain.joint import JointPlan, JointQuestion
from fleettui.domain.progress import Progress
from fleettui.planning.joint import JointSearch
from fleettui.planning.studies.study_context import StudyContext


async def planned_aside(desk: StudyContext, question: JointQuestion, trace_format: str | None, where: str) -> JointPlan:
    """Return what a joint `question` comes to; nothing of it is kept. Progress is told with `where` that is."""
    from store import Store

    def told(step: Progress) -> None:
        if desk.report is not None:
            desk.report(replace(step, message=f"{where}: {step.message}"))

    with TemporaryDirectory() as folder, Store.open(Path(folder) / "alone.db") as scratch:
        joint = JointSearch(
            question=question, desk=StudyContext(scratch, desk.workers, told), trace_format=trace_format
        )
        await joint.open()
        return await joint.plan()
