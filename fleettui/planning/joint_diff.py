"""Two joint plans side by side: all together, each workload, and what was asked of which one otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fleettui.domain.study import Study, table_of
from fleettui.errors import InputError
from fleettui.planning.kept_joint import KeptJoint, joint_of
from fleettui.reports import fleet_text, input_changes
from fleettui.reports.joint_check import sizes
from fleettui.reports.report.joint import joint_changes

if TYPE_CHECKING:
    from store import Store


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
    )
    told = (*joint_changes(before.study, after.study), *_asked(before, after))
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


def _asked(before: KeptJoint, after: KeptJoint) -> Iterator[str]:
    """Yield what each workload that is in both is asked for otherwise, and where the plans of one are to be seen."""
    for name, new in after.members.items():
        old = before.members.get(name)
        if old is None or old.id == new.id:
            continue
        for change in input_changes.between(old.scenario, new.scenario, old.profiles, new.profiles):
            yield f"{name}: {change.text}"
        yield f"{name}: fleettui diff {old.handle} {new.handle} says what each input adds"
