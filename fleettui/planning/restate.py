"""Compute kept plans again with today's engine and catalogue, and list those that change: by formula on both sides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, takewhile
from typing import TYPE_CHECKING

from fleettui.domain.plan import ENGINE_VERSION
from fleettui.domain.plan_row import PlanRow
from fleettui.domain.study import Study
from fleettui.domain.whatif import Outcome
from fleettui.errors import UnreadableError
from fleettui.planning.kept_inputs import HARDWARE, LENGTHS, FinishedPlan, FormulaAnswer, chosen_together
from fleettui.planning.studies.study_context import StudyContext
from fleettui.planning.worker_pool import together
from fleettui.reports import input_changes
from fleettui.reports.input_changes import Change
from fleettui.reports.studies.restate import Restated, differs, restate_study

if TYPE_CHECKING:
    from store import Store

PAGE = 200
AT_ONCE = 8
"""Plans that are in memory at a time, with their lengths."""


async def restate(desk: StudyContext, query: str = "") -> Study:
    """Return which finished plans that `query` finds come out otherwise today, and why.

    Archived plans are left out; one that does not read is named, and the others are looked at all the same. Raises
    InputError for words that are no query.
    """
    rows = list(_rows(desk.store, query))
    finished = [row for row in rows if row.finished]
    joint = chosen_together(desk.store)
    found: list[Restated] = []
    unread: dict[str, str] = {}

    async def look(row: PlanRow) -> Restated | None:
        try:
            return await _restated(desk, FinishedPlan.get(desk.store, row.id, joint))
        except UnreadableError as error:
            unread[row.handle] = str(error).splitlines()[0]
            return None

    for start in range(0, len(finished), AT_ONCE):
        found += filter(None, await together(map(look, finished[start : start + AT_ONCE])))
        desk.tell("restating kept plans", len(found) + len(unread), len(finished))
    return restate_study(query, found, unfinished=len(rows) - len(finished), unread=unread)


def _rows(store: Store, query: str) -> Iterator[PlanRow]:
    pages = (store.plans(query, limit=PAGE, offset=start) for start in count(0, PAGE))
    for page in takewhile(bool, pages):
        yield from page


async def _restated(desk: StudyContext, kept: FinishedPlan) -> Restated:
    """Return what a plan was by formula and is today; where that differs, what each input that is another does to it.

    The engine's part is what today's says of the inputs that were kept.
    """
    then, today = kept.then, await _answer(desk, kept, today=(HARDWARE, LENGTHS))
    if not differs(then, today.outcome):
        return Restated(plan=kept.answer.plan, then=then, now=today.outcome)
    anew = await _answer(desk, kept)
    moved = tuple(_inputs(kept, today))
    alone = await together(_alone(desk, kept, today, change) for change in moved)
    return Restated(
        plan=kept.answer.plan,
        then=then,
        now=today.outcome,
        engines=(kept.answer.plan.engine_version, ENGINE_VERSION),
        anew=anew.outcome,
        alone=tuple(zip(moved, alone, strict=True)),
    )


async def _alone(desk: StudyContext, kept: FinishedPlan, today: FormulaAnswer, change: Change) -> Outcome:
    """Return what the formulas say of the plan's own inputs with one of them as it is today."""
    if change.kind == "trace":
        return (await _answer(desk, kept, today=(LENGTHS,))).outcome
    mixed = replace(kept, profiles=input_changes.applied(change, kept.profiles, today.profiles))
    return (await _answer(desk, mixed)).outcome


async def _answer(desk: StudyContext, kept: FinishedPlan, today: tuple[str, ...] = ()) -> FormulaAnswer:
    """Return what the formulas say of a plan on its own inputs, with those that `today` names as they are now."""
    return await desk.run("restate", FormulaAnswer, inputs=kept.inputs, today=today)


def _inputs(kept: FinishedPlan, today: FormulaAnswer) -> Iterator[Change]:
    question = kept.question
    yield from input_changes.of_trace(question.workload, kept.scenario.workload, today.workload)
    yield from input_changes.of_hardware(kept.profiles, today.profiles, {gpu for gpu, _ in question.prices})
