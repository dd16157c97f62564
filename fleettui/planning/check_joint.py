"""Answer a joint question anew and hold it to what it may cost, and to a joint plan that is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.joint import JointPlan, JointQuestion
from fleettui.domain.study import Study
from fleettui.errors import InputError
from fleettui.planning.given_again import judged
from fleettui.planning.joint_diff import asked_otherwise
from fleettui.planning.joint_files import FiledJoint, formula_of, inputs_of_each, read_joint
from fleettui.planning.joint_moved import Then, fleets_then, moved_of_each
from fleettui.planning.kept_joint import KeptJoint, joint_of
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.plan_files import is_plan_file
from fleettui.planning.plan_together import plan_together
from fleettui.planning.studies.study_context import StudyContext
from fleettui.planning.worker_pool import WorkerPool, borrowed
from fleettui.planning.worker_process import Report
from fleettui.reports.joint_check import JointChecked, by_formula
from fleettui.reports.joint_study import joint_study, limits_in_words
from fleettui.reports.moved_fleet import MovedFleet

if TYPE_CHECKING:
    from store import Store


async def check_joint(
    question: JointQuestion,
    *,
    store: Store,
    against: str = "",
    max_cost: float | None = None,
    report: Report | None = None,
    pool: WorkerPool | None = None,
) -> JointChecked:
    """Return what `question` comes to today, kept as a joint plan, and whether it still holds.

    Arguments and names are as for `check`; `against` names a stored joint plan, or a file that holds one as data.
    Raises InputError where it names something else.
    """
    filed = read_joint(against) if is_plan_file(against) else None
    kept = _joint(store, against) if against and filed is None else None
    taken = {name for one in question.entries if store.is_taken(name := one.question.name)}
    async with borrowed(pool) as workers:
        plan = await plan_together(StudyContext(store, workers, report), question)
    for one in plan.planned:
        if one.plan is not None and one.plan.plan.name in taken:
            store.set_name(one.plan.plan.id, "")
    study = store.add_study(joint_study(plan))
    checked = JointChecked(plan=plan, study=study, max_cost=max_cost)
    now = {one.entry.name: KeptPlan.of(store, one.plan.plan.id) for one in plan.planned if one.plan is not None}
    if filed is not None:
        formula, changes = filed.formula, tuple(_changes_since(filed, store, study, plan))
        checked, then = replace(checked, against=filed.study, file=against), [*filed.then(against)]
    elif kept is not None:
        formula, changes = formula_of(store, kept.study), (*_asked(kept.study, plan), *_changes(kept.members, now))
        checked, then = replace(checked, against=kept.study), [*fleets_then(kept.members)]
    else:
        return checked
    async with borrowed(pool) as workers:
        moved = await _moved(StudyContext(store, workers, report), then, now)
    alike = checked.against is not None and by_formula(checked.against) == by_formula(study)
    told = None if alike else (formula, formula_of(store, study))
    return replace(checked, formula=told, changes=changes, moved=moved)


async def _moved(
    desk: StudyContext, then: Sequence[Then], now: Mapping[str, KeptPlan]
) -> tuple[tuple[str, MovedFleet], ...]:
    """Return which workload has another fleet than then; what no search simulated today is simulated for itself."""
    unknown = {name for name, moved in moved_of_each(then, now) if not moved.verdict and now[name].answer.simulation}
    seen = {name: await judged(desk, fleet, now[name]) for name, fleet, _ in then if name in unknown}
    return tuple(moved_of_each(then, now, {name: one for name, one in seen.items() if one is not None}))


def _joint(store: Store, ref: str) -> KeptJoint:
    """Return the stored joint plan that `ref` names; raises InputError."""
    kept = joint_of(store, ref)
    if kept is None:
        raise InputError(
            "several workloads are held to a joint plan, and this is none",
            where="--against",
            value=ref,
            remedy="fleettui list --studies shows them",
        )
    return kept


def _asked(before: Study, plan: JointPlan) -> Iterator[str]:
    """Yield what all workloads of a joint plan and their shared limits were and are, where that is not the same."""
    now = limits_in_words(plan)
    if before.question != now:
        yield f"asked: {before.question} -> {now}"


def _changes(then: Mapping[str, KeptPlan], now: Mapping[str, KeptPlan]) -> Iterator[str]:
    """Yield what is asked of each workload now, of those that were there then, that was not then."""
    for name in (one for one in now if one in then):
        yield from (f"{name}: {words}" for words in asked_otherwise(then[name], now[name]))


def _changes_since(filed: FiledJoint, store: Store, study: Study, plan: JointPlan) -> Iterator[str]:
    """Yield the same beside a joint plan that a file holds."""
    yield from _asked(filed.study, plan)
    yield from filed.asked_otherwise(inputs_of_each(store, study), study.engine_version)
