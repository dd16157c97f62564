"""Two joint plans side by side: all together, each workload, and what was asked of which one otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from fleettui.domain.joint import SharedLimits
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study, table_of
from fleettui.errors import InputError
from fleettui.planning.joint_moved import fails_of_each, fleets_then
from fleettui.planning.kept_joint import KeptJoint, joint_of
from fleettui.planning.kept_plan import KeptPlan
from fleettui.reports import fleet_text, input_changes
from fleettui.reports.joint_check import sizes
from fleettui.reports.report.joint import joint_changes
from fleettui.reports.whole_nodes import paid_gpus

if TYPE_CHECKING:
    from store import Store

UNLIMITED: dict[str, Any] = {one.name: one.default for one in fields(SharedLimits)}
"""Values of the fields of shared limits where there is no limit: no workload of a joint plan has limits of its own."""


def joint_diff(store: Store, old: str, new: str) -> Study | None:
    """Return what differs between two joint plans, None where neither is one; raises InputError where only one is."""
    before, after = joint_of(store, old), joint_of(store, new)
    if before is None and after is None:
        return None
    if before is None or after is None:
        raise InputError(
            "a joint plan has nothing to compare with a single one",
            value=f"{old} and {new}",
            accepted="two joint plans, or two plans",
            remedy=f"fleettui show {new if before is None else old} lists the plans of its workloads",
        )
    names = dict.fromkeys((*before.members, *after.members))
    costs = [sizes(one.study) for one in (before, after)]
    paid = [bool(paid_gpus(one.study)) for one in (before, after)]
    table = table_of(
        "workloads then and now",
        names,
        ("name", "text", str),
        ("gpus_then", "count", lambda name: costs[0].get(name, (None, None))[0]),
        ("gpus_now", "count", lambda name: costs[1].get(name, (None, None))[0]),
        ("cost_then", "dollars per hour", lambda name: costs[0].get(name, (None, None))[1]),
        ("cost_now", "dollars per hour", lambda name: costs[1].get(name, (None, None))[1]),
        ("fleet_then", "text", lambda name: _fleet(before, name)),
        ("fleet_now", "text", lambda name: _fleet(after, name)),
        note="GPUs in use and what these cost: what is idle of whole nodes comes on top" * (paid[0] or paid[1]),
    )
    fails = fails_of_each(fleets_then(before.members), after.members)
    told = (*joint_changes(before.study, after.study), *fails, *asked_of_each(before, after))
    return Study(
        kind="joint",
        title=f"{after.study.title}: {after.handle} beside {before.handle}",
        question=f"diff {before.handle} {after.handle}",
        seed=after.study.seed,
        sentences=told or (f"{before.handle} and {after.handle} say the same",),
        tables=(table,),
    )


def _fleet(joint: KeptJoint, name: str) -> str:
    kept = joint.members.get(name)
    best = None if kept is None else kept.answer.answer
    return "-" if best is None else fleet_text.fleet(best.fleet)


def asked_of_each(before: KeptJoint, after: KeptJoint) -> Iterator[str]:
    """Yield what each workload that is in both is asked for otherwise, and where the plans of one are to be seen."""
    for name, new in after.members.items():
        old = before.members.get(name)
        if old is None or old.id == new.id:
            continue
        told = [f"{name}: {words}" for words in asked_otherwise(old, new)]
        yield from told
        if told or _fleet(before, name) != _fleet(after, name):
            yield f"{name}: fleettui diff {old.handle} {new.handle} says what each input adds"


def asked_otherwise(old: KeptPlan, new: KeptPlan) -> Iterator[str]:
    """Yield what a workload is asked for in one joint plan that it is not in another.

    A workload that was planned inside what others left has that as limits of its own, which nobody asked for.
    """
    pair = asked_alike(old.question, new.question)
    before, after = (replace(one.scenario, question=asked) for one, asked in zip((old, new), pair, strict=True))
    moved = (before.question.gpus, after.question.gpus) != (old.question.gpus, new.question.gpus)
    known = {one.gpu for one in old.profiles} & {one.gpu for one in new.profiles}
    profiles = [[one for one in kept.profiles if one.gpu in known or not moved] for kept in (old, new)]
    for change in input_changes.between(before, after, *profiles):
        yield change.text


def asked_alike(old: Question, new: Question) -> tuple[Question, Question]:
    """Return what two workloads of joint plans are asked, without what others left for them."""
    gpus = _gpus(old, new)
    return replace(old, gpus=gpus[0], **UNLIMITED), replace(new, gpus=gpus[1], **UNLIMITED)


def _gpus(old: Question, new: Question) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the GPUs of both as they were asked for, alike where one may have been planned without some of them."""
    inside = [any(getattr(one, limit) for limit in UNLIMITED) for one in (old, new)]
    fewer = [not two.gpus or {*one.gpus} <= {*two.gpus} for one, two in ((old, new), (new, old))]
    if all(inside) or (inside[0] and fewer[0]):
        return new.gpus, new.gpus
    return (old.gpus, old.gpus) if inside[1] and fewer[1] else (old.gpus, new.gpus)
