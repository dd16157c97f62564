"""Answer a joint question anew and hold it to what it may cost, and to a joint plan that is kept."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from fleettui.domain.joint import JointPlan, JointQuestion, Kind
from fleettui.domain.plan import Candidate
from fleettui.domain.study import Study
from fleettui.errors import InputError
from fleettui.planning.joint import plan_together
from fleettui.planning.joint_diff import asked_otherwise
from fleettui.planning.kept_inputs import FinishedPlan
from fleettui.planning.studies.study_context import StudyContext
from fleettui.planning.worker_pool import WorkerPool, borrowed
from fleettui.planning.worker_process import Report
from fleettui.reports.joint_check import ByFormula, JointChecked, Total, by_formula, plans_of
from fleettui.reports.joint_study import joint_study, limits_in_words
from fleettui.reports.whole_nodes import in_nodes, is_in_nodes

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

    Arguments and names are as for `check`; `against` names a stored joint plan. Raises InputError where it names
    something else.
    """
    kept = _joint(store, against) if against else None
    taken = {name for one in question.entries if store.is_taken(name := one.question.name)}
    async with borrowed(pool) as workers:
        plan = await plan_together(StudyContext(store, workers, report), question)
    for one in plan.planned:
        if one.plan is not None and one.plan.plan.name in taken:
            store.set_name(one.plan.plan.id, "")
    study = store.add_study(joint_study(plan))
    if kept is None:
        return JointChecked(plan=plan, study=study, max_cost=max_cost)
    alike = by_formula(kept) == by_formula(study)
    return JointChecked(
        plan=plan,
        study=study,
        max_cost=max_cost,
        against=kept,
        formula=None if alike else (_formula(store, kept), _formula(store, study)),
        changes=tuple(_changes(store, kept, plan)),
    )


def _joint(store: Store, ref: str) -> Study:
    """Return the stored joint plan that `ref` names; raises InputError."""
    kept = store.study(ref) if store.kept(ref)[0] == "study" else None
    if kept is None or kept.kind != "joint":
        raise InputError(
            "several workloads are held to a joint plan, and this is none",
            where="--against",
            value=ref,
            remedy="fleettui list --studies shows them",
        )
    return kept


def _formula(store: Store, study: Study) -> ByFormula:
    """Return a joint plan's fleets as the formulas chose them, before a simulation moved them."""
    plans = {name: FinishedPlan.get(store, handle, joint=(handle,)) for name, handle in plans_of(study).items()}
    fleets = {name: one.formula for name, one in plans.items() if one.formula is not None}
    paid = _paid(fleets.values(), plans.values()) if is_in_nodes(study) and fleets else None
    return ByFormula(fleets={name: (one.gpus, one.cost_per_hour) for name, one in fleets.items()}, paid=paid)


def _paid(fleets: Iterable[Candidate], plans: Iterable[FinishedPlan]) -> Total:
    """Return GPUs and US dollars an hour of the whole nodes that hold these fleets together, at the plans' prices."""
    used = Counter[str]()
    for one in fleets:
        used.update(one.fleet.gpus_by_type)
    profiles = {one.gpu: one for plan in plans for one in plan.profiles}
    kinds = [Kind(name=gpu, price=profiles[gpu].price_per_hour, per_node=profiles[gpu].gpus_per_node) for gpu in used]
    paid = in_nodes(used, kinds)
    return sum(paid.values()), math.fsum(kind.price * paid[kind.name] for kind in kinds)


def _changes(store: Store, kept: Study, plan: JointPlan) -> Iterator[str]:
    """Yield what is asked of which workload now that was not then, the shared limits first."""
    before, after = kept.question, limits_in_words(plan)
    if before != after:
        yield f"asked: {before} -> {after}"
    known = plans_of(kept)
    for one in plan.planned:
        handle = known.get(one.entry.name)
        if one.plan is None or handle is None:
            continue
        old, new = (FinishedPlan.get(store, ref) for ref in (handle, one.plan.plan.id))
        yield from (f"{one.entry.name}: {words}" for words in asked_otherwise(old, new))
