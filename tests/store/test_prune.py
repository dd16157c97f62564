"""What may go goes, and nothing else; what stays reads and is guarded as before."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError

from fleettui.domain.plan import Answer
from store import Store
from store.tables import PLAN
from tests.store import samples

OLD = timedelta(days=1)


@pytest.fixture
def late(file: Path, store: Store) -> Store:
    """The same store a year later."""
    return Store.open(file, clock=samples.clock(start=samples.MOMENT + timedelta(days=365)))


def runs_of(store: Store, plan: Answer) -> int:
    assert plan.answer is not None
    return len(store.replications(plan.answer.candidate, 7))


def test_runs_of_plans_without_name_and_tag_go(store: Store, late: Store) -> None:
    named, tagged, plain = (samples.prove(store) for _ in range(3))
    for one in (tagged, plain):
        store.set_name(one.plan.id, "")
    store.add_tag(tagged.plan.id, "keep")
    store.create_job(samples.study_job())  # on no plan, so that it keeps none
    told = late.prunable(older=OLD, archived=True)
    assert (told.plans, told.replications) == (0, 4)
    assert store.prunable(older=OLD, archived=True).replications == 0
    before = late.plan(plain.plan.id)
    assert late.prune(older=OLD, archived=True) == told
    assert [runs_of(late, one) for one in (named, tagged, plain)] == [2, 2, 0]
    assert late.plan(plain.plan.id) == before
    assert late.prunable(older=OLD, archived=True).bytes == 0
    late.close()


def test_archived_plans_go_whole_but_not_those_with_forks(store: Store, late: Store) -> None:
    parent, gone = samples.add(store), samples.prove(store)
    child = samples.add(store, parent=parent.plan.id)
    study = store.add_study(samples.study(gone.plan.id))
    for one in (parent, gone):
        store.archive(one.plan.id)
    told = late.prunable(older=OLD, archived=True)
    assert told.plans == 1
    assert told.bytes > 1000
    late.prune(older=OLD, archived=True)
    assert {row.id for row in late.plans(archived=True)} == {parent.plan.id, child.plan.id}
    assert study.id not in {one.id for one in late.studies()}
    assert late.damage() == ()
    with pytest.raises(IntegrityError, match="is not deleted"), late._writing() as connection:
        connection.execute(PLAN.delete())
    late.close()
