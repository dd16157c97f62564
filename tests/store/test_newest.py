"""`last` counts plans and joint plans; a joint plan stands for the plans of its workloads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fleettui.domain.plan import Answer
from fleettui.domain.study import JOINT, Study, StudyColumn, StudyTable
from fleettui.errors import InputError
from store import Store
from tests.store import samples


def joint(store: Store, *members: Answer) -> Study:
    """Keep a joint plan of these plans of its workloads."""
    columns = tuple(StudyColumn(name=name) for name in ("name", "gpus", "cost", "plan"))
    rows = tuple((f"w{place}", 1, 2.0, one.plan.handle) for place, one in enumerate(members))
    table = StudyTable(title="Fleets", columns=columns, rows=rows)
    return store.add_study(replace(samples.study(title="Joint plan j: over one stock"), kind=JOINT, tables=(table,)))


def test_last_is_the_joint_plan_and_not_one_of_its_workloads(store: Store) -> None:
    """Found: `whatif last --growth` after a joint plan silently answered for one of its workloads."""
    before = samples.add(store)
    old = joint(store, samples.add(store), samples.add(store))
    new = joint(store, samples.add(store))
    store.add_study(samples.study(title="no plan at all"))
    kept = [store.kept(ref) for ref in ("last", "last~1", "last~2")]
    assert kept == [("study", new.id), ("study", old.id), ("plan", before.plan.id)]
    assert store.plan("last~2") == before
    with pytest.raises(InputError, match="no plan matches"):
        store.kept("last~3")


def test_what_takes_one_plan_refuses_a_joint_plan_and_lists_its_workloads(store: Store) -> None:
    one, two = samples.add(store), samples.add(store)
    study = joint(store, one, two)
    for ref in ("last", study.handle):
        for find, noun in ((store.plan, "plan"), (store.row, "plan")):
            with pytest.raises(InputError, match=f"this is the joint plan {study.handle}, not a {noun}") as refused:
                find(ref)
            assert refused.value.accepted == f"{one.plan.handle} (w0), {two.plan.handle} (w1)"
    with pytest.raises(InputError, match=f"joint plan {study.handle}, not a candidate"):
        store.candidate(study.handle)
    with pytest.raises(InputError, match=f"joint plan {study.handle}, not a "):
        store.candidate("last")
    assert store.plan(two.plan.handle) == two


def test_a_joint_plan_is_away_with_all_of_its_workloads(store: Store) -> None:
    before = samples.add(store)
    members = samples.add(store), samples.add(store)
    study = joint(store, *members)
    store.archive(members[0].plan.id)
    assert store.kept("last") == ("study", study.id)
    store.archive(members[1].plan.id)
    assert store.kept("last") == ("plan", before.plan.id)
    infeasible = joint(store)
    assert store.kept("last") == ("study", infeasible.id), "one without fleets has none to put away"
