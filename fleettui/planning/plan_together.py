"""Plan several workloads over one stock, with what would change the answer and how sure the stock lets it be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fleettui.domain.joint import JointPlan, JointQuestion
from fleettui.planning.joint import JointSearch
from fleettui.planning.joint_advice import TriedTogether
from fleettui.planning.joint_surer import surer_within
from fleettui.planning.measured_shares import looked_up
from fleettui.planning.store_meanwhile import opened_meanwhile
from fleettui.planning.studies.study_context import StudyContext


async def plan_together(
    desk: StudyContext,
    question: JointQuestion,
    *,
    trace_format: str | None = None,
    found: Callable[[JointPlan], None] = lambda _: None,
) -> JointPlan:
    """Return what `question` came to; each entry's plan is stored.

    `trace_format` forces the reader of traces. `found` is told of the plan before what stands beside it is worked out,
    which may take as long as the plan did. Raises InputError, with the entry's name, for one that cannot be
    answered; then nothing is stored.
    """
    desk = desk.sharing()
    entries = (replace(one, question=looked_up(one.question, lambda: desk.store)) for one in question.entries)
    question = replace(question, entries=tuple(entries))
    search = JointSearch(question=question, desk=desk, trace_format=trace_format)
    await opened_meanwhile(lambda: desk.store, search.open())
    tables = [list(menu.options) for menu in search.menus]
    plan = await search.plan()
    if plan.joint.chosen is None:
        return plan
    found(plan)
    plan = replace(plan, surer=await surer_within(desk, plan, trace_format))
    tried = TriedTogether(desk=desk, question=question, kinds=search.kinds, tables=tables, trace_format=trace_format)
    return replace(plan, advice=await tried.advice(plan.planned))
