"""Answer a joint question anew and hold it to what it may cost, and to a joint plan that is kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.fleet import Fleet
from fleettui.domain.joint import JointPlan, JointQuestion
from fleettui.domain.study import Study, plans_of
from fleettui.errors import InputError
from fleettui.planning.joint_diff import asked_otherwise
from fleettui.planning.joint_files import FiledJoint, formula_of, inputs_of_each, read_joint
from fleettui.planning.kept_inputs import FinishedPlan
from fleettui.planning.plan_files import is_plan_file
from fleettui.planning.plan_together import plan_together
from fleettui.planning.studies.study_context import StudyContext
from fleettui.planning.worker_pool import WorkerPool, borrowed
from fleettui.planning.worker_process import Report
from fleettui.reports.joint_check import JointChecked, by_formula
from fleettui.reports.joint_study import joint_study, limits_in_words
from fleettui.reports.moved_fleet import MovedFleet, moved_fleet

if TYPE_CHECKING:
    from store import Store


Pair = tuple[str, FinishedPlan, FinishedPlan]
"""A workload's name, its plan of then and that of now."""

Then = tuple[str, Fleet, str]
"""A workload's name, its fleet of then, and what people call what that is of: a plan's handle, a file."""


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
    if filed is not None:
        formula, changes = filed.formula, tuple(_changes_since(filed, store, study, plan))
        then = ((name, fleet, against) for name, fleet in filed.fleets.items())
        checked = replace(checked, against=filed.study, file=against, moved=tuple(_moved(then, store, plan)))
    elif kept is not None:
        pairs = [*_pairs(store, kept, plan)]
        formula, changes = formula_of(store, kept), (*_asked(kept, plan), *_changes(pairs))
        checked = replace(checked, against=kept, moved=tuple(_moved(_then(pairs), store, plan)))
    else:
        return checked
    alike = checked.against is not None and by_formula(checked.against) == by_formula(study)
    return replace(checked, formula=None if alike else (formula, formula_of(store, study)), changes=changes)


def _joint(store: Store, ref: str) -> Study:
    """Return the stored joint plan that `ref` names; raises InputError."""
    noun, identifier = store.kept(ref)
    kept = store.study(identifier) if noun == "study" else None
    if kept is None or kept.kind != "joint":
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


def _pairs(store: Store, kept: Study, plan: JointPlan) -> Iterator[Pair]:
    """Yield of each workload that is there in both the plan of then and that of now, with its name."""
    known = plans_of(kept)
    for one in plan.planned:
        handle = known.get(one.entry.name)
        if one.plan is not None and handle is not None:
            yield one.entry.name, FinishedPlan.get(store, handle), FinishedPlan.get(store, one.plan.plan.id)


def _changes(pairs: Iterable[Pair]) -> Iterator[str]:
    """Yield what is asked of which workload now that was not then."""
    for name, old, new in pairs:
        yield from (f"{name}: {words}" for words in asked_otherwise(old, new))


def _then(pairs: Iterable[Pair]) -> Iterator[Then]:
    """Yield of each workload the fleet of its plan of then, which has one, and that plan's handle."""
    for name, old, _ in pairs:
        if old.answer.answer is not None:
            yield name, old.answer.answer.fleet, old.answer.plan.handle


def _moved(then: Iterable[Then], store: Store, plan: JointPlan) -> Iterator[tuple[str, MovedFleet]]:
    """Yield which workload has another fleet than then, and what became of that."""
    plans = {one.entry.name: one.plan.plan.id for one in plan.planned if one.plan is not None}
    for name, before, called in then:
        if name in plans:
            new = FinishedPlan.get(store, plans[name])
            moved = moved_fleet(before, new.answer, new.scenario.question, called)
            if moved is not None:
                yield name, moved


def _changes_since(filed: FiledJoint, store: Store, study: Study, plan: JointPlan) -> Iterator[str]:
    """Yield the same beside a joint plan that a file holds."""
    yield from _asked(filed.study, plan)
    yield from filed.asked_otherwise(inputs_of_each(store, study), study.engine_version)
