"""The store's part for studies shares its file, its threads and its refusals with the rest."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError

from fleettui.errors import InputError, StoreReadOnlyError
from store import Store
from tests.store import samples


def test_a_store_that_is_only_read_shows_studies_and_refuses_new_ones(file: Path, store: Store) -> None:
    stored = store.add_study(samples.study())
    with Store.open(file, read_only=True) as reader:
        assert reader.studies() == [stored]
        assert reader.kept(stored.handle) == ("study", stored.id)
        with pytest.raises(StoreReadOnlyError):
            reader.add_study(samples.study())
    assert store.count_studies() == 1


def test_a_study_leaves_its_plan_as_it_was(store: Store) -> None:
    samples.add(store)
    row, answer = store.row("last"), store.plan("last")
    store.add_study(samples.study("last"))
    assert (store.row("last"), store.plan("last")) == (row, answer)


def test_a_job_is_done_with_the_study_that_it_comes_to(store: Store) -> None:
    job = store.create_job(samples.study_job())
    assert (job.plan, store.job(job.id)) == ("", replace(job, state="stopped"))  # its clock ran on for an hour
    store.beat(job.id, done=3, total=5, message="simulating")
    kept = store.add_study(samples.study(), job=job.id)
    ended = store.job(job.id)
    assert (ended.state, ended.study, ended.owner, ended.done) == ("done", kept.id, "", 5)
    with pytest.raises(InputError, match=f"the job is done.*\n.*fleettui show {kept.handle}"):
        store.claim_job(job.id, "elsewhere:1:1")
    with pytest.raises(InputError, match=f"names a job, not a plan.*\n.*fleettui jobs follow {job.handle}"):
        store.plan(job.handle)


def test_the_job_of_another_process_is_not_done_with_a_study(store: Store) -> None:
    job = store.create_job(samples.study_job(owner="elsewhere:1:1"))
    store.add_study(samples.study(), job=job.id)
    assert (store.job(job.id).state, store.job(job.id).study, store.count_studies()) == ("stopped", "", 1)


def test_a_study_that_cannot_be_kept_leaves_its_job_as_it_was(store: Store) -> None:
    job = store.create_job(samples.study_job())
    with pytest.raises(IntegrityError):
        store.add_study(samples.study(title=""), job=job.id)
    assert (store.job(job.id), store.count_studies()) == (replace(job, state="stopped"), 0)


def test_only_a_study_is_a_job_on_no_plan_and_says_what_is_asked(store: Store) -> None:
    samples.add(store)
    plan = store.row("last").id
    for wrong in (
        replace(samples.study_job(), plan=plan),
        replace(samples.study_job(), asked=""),
        replace(samples.study_job(), asked="whatif"),
        samples.job(""),
        replace(samples.job(plan), asked="{}"),
    ):
        with pytest.raises(IntegrityError):
            store.create_job(wrong)
