"""New acts get ids later than all stored ones, and handles that no other noun bears."""

from __future__ import annotations

from store import Store, handles
from tests.store import samples


def test_ids_rise_through_all_nouns(store: Store) -> None:
    begun, job = samples.begin(store, samples.unproven(2))
    added = store.add_candidate(begun.plan.id, samples.candidate(9))
    store.add_verification(added.candidate, samples.simulated())
    study = store.add_study(samples.study(begun.plan.id)).id
    with store._reading() as connection:
        (after,) = handles.ids(connection, 1, moment=samples.MOMENT.replace(year=2020), randomness=0)
        (verification,) = connection.exec_driver_sql("SELECT id FROM verification").scalars()
    # So what a search found is told from what was tried later: its ids come before the job's.
    known = [
        begun.plan.id,
        *(one.candidate for one in begun.candidates),
        job.id,
        added.candidate,
        verification,
        study,
        after,
    ]
    assert known == sorted(known)


def test_plans_candidates_jobs_and_studies_share_one_space_of_handles(store: Store) -> None:
    begun, job = samples.begin(store)
    stored = samples.add(store)
    used = [job.handle, store.add_study(samples.study()).handle] + [
        handle for one in (begun, stored) for handle in (one.plan.handle, *(each.handle for each in one.candidates))
    ]
    with store._reading() as connection:
        assert handles.taken(connection, {*used, "zzzz"}) == set(used)
