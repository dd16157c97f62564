"""What people type finds one plan or candidate, or says why not."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.errors import InputError
from store import Store
from tests.store import samples


def test_a_plan_is_found_by_each_kind_of_ref(store: Store) -> None:
    first = samples.add(store, samples.answer(1, name="first one"))
    second = samples.add(store, samples.answer(1, name=""))
    for ref in (first.plan.id, first.plan.handle, first.plan.handle.upper(), "first one", "last~1"):
        assert store.plan(ref) == first
    assert store.plan("last") == store.plan("last~0") == second
    assert store.plan(second.plan.handle[:3]) == second


def test_a_candidate_is_found_by_its_own_ref_or_its_plans(store: Store) -> None:
    stored = samples.add(store)
    third = stored.candidates[2]
    assert store.candidate(third.handle) == third
    assert store.candidate(third.candidate) == third
    assert store.candidate(third.handle[:3]) == third
    for ref in ("last", stored.plan.handle, stored.plan.id, "chat in may"):
        assert store.candidate(ref) == stored.answer


def test_an_infeasible_plan_does_not_stand_for_a_candidate(store: Store) -> None:
    handle = samples.add(store, samples.infeasible()).plan.handle
    with pytest.raises(InputError, match=f"no answer.*\n.*\n.*fleettui show {handle}"):
        store.candidate("last")


def test_a_ref_that_matches_nothing_lists_the_newest(store: Store) -> None:
    handle = samples.add(store).plan.handle
    for ref in ("zzz", "", "last~1", "%", "0" * 65):
        with pytest.raises(InputError, match=rf"no plan matches.*\n.*{handle} \(chat in may\)"):
            store.plan(ref)
    with pytest.raises(InputError, match="no candidate or plan matches"):
        store.candidate("zzz")


def test_an_empty_store_says_so(store: Store) -> None:
    with pytest.raises(InputError, match="the store is empty"):
        store.plan("last")


def test_a_start_that_several_share_lists_them(store: Store) -> None:
    handles = [samples.add(store, samples.answer(1, name=f"n{index}")).plan.handle for index in range(40)]
    shared = next(one[0] for one in handles if sum(other[0] == one[0] for other in handles) > 1)
    with pytest.raises(InputError, match="more than one plan matches") as caught:
        store.plan(shared)
    assert sum(handle in str(caught.value) for handle in handles if handle[0] == shared) > 1


def test_a_whole_handle_goes_before_the_start_of_a_longer_one(store: Store) -> None:
    stored = samples.add(store, samples.answer(2000))
    longer = next(one for one in stored.candidates if len(one.handle) > 4)
    shorter = next(one for one in stored.candidates if one.handle == longer.handle[:4])
    assert store.candidate(longer.handle[:4]) == shorter
    assert store.candidate(longer.handle) == longer


def test_a_name_that_two_plans_bear_is_not_guessed(store: Store) -> None:
    handles = [samples.add(store, samples.answer(1, name="same")).plan.handle for _ in range(2)]
    with pytest.raises(InputError, match="more than one plan") as caught:
        store.plan("same")
    assert all(handle in str(caught.value) for handle in handles)
    assert "say which by its handle" in str(caught.value)


def test_a_candidate_is_no_plan_but_tells_its_plan(store: Store) -> None:
    stored = samples.add(store)
    with pytest.raises(InputError, match=f"its plan is {stored.plan.handle}"):
        store.plan(stored.candidates[1].handle)


def test_a_name_like_another_handle_is_ambiguous(store: Store) -> None:
    first = samples.add(store, samples.answer(1, name=""))
    second = samples.add(store, replace(samples.answer(1), plan=replace(samples.answer().plan, name=first.plan.handle)))
    with pytest.raises(InputError, match="more than one plan"):
        store.plan(first.plan.handle)
    assert store.plan(second.plan.handle) == second


def test_a_job_is_found_by_each_kind_of_ref(store: Store) -> None:
    (_, first), (_, second) = samples.begin(store), samples.begin(store)
    for ref in (first.id, first.handle, first.handle.upper(), "last~1"):
        assert store.job(ref).id == first.id
    assert store.job("last").id == store.job("last~0").id == second.id
    start = next(second.handle[:count] for count in (3, 4) if not first.handle.startswith(second.handle[:count]))
    assert store.job(start).id == second.id


def test_a_ref_that_matches_no_job_lists_the_newest(store: Store) -> None:
    with pytest.raises(InputError, match=r"no job matches.*\n.*\n.*there is no job yet"):
        store.job("last")
    begun, job = samples.begin(store)
    for ref in ("zzz", "", "last~1", begun.plan.handle, "chat in may"):
        with pytest.raises(InputError, match=rf"no job matches.*\n.*newest: {job.handle}\n  do: fleettui jobs"):
            store.job(ref)


def test_a_start_that_several_jobs_share_lists_them(store: Store) -> None:
    handles = [samples.begin(store, samples.unproven(1))[1].handle for _ in range(17)]
    shared = next(one[0] for one in handles if sum(other[0] == one[0] for other in handles) > 1)
    with pytest.raises(InputError, match=r"more than one job matches.*\n  accepted: .*\(job\)"):
        store.job(shared)


def test_a_job_is_neither_plan_nor_candidate_but_tells_its_plan(store: Store) -> None:
    begun, job = samples.begin(store)
    with pytest.raises(InputError, match=f"names a job, not a plan.*\n  do: its plan is {begun.plan.handle}"):
        store.plan(job.handle)
    with pytest.raises(InputError, match=f"names a job, not a candidate.*\n  do: its plan is {begun.plan.handle}"):
        store.candidate(job.id)


def test_a_whole_handle_of_a_part_is_not_taken_for_the_start_of_a_plans(store: Store, file: Path) -> None:
    samples.add(store, samples.answer(1))
    _, job = samples.begin(store, samples.unproven(1))
    with closing(sqlite3.connect(file)) as raw, raw:
        raw.executescript("DROP TRIGGER plan_stays; DROP TRIGGER candidate_stays")
        raw.execute("UPDATE plan SET handle = ? WHERE finished", (job.handle + "0",))
        raw.execute(
            "UPDATE candidate SET handle = ? WHERE plan = (SELECT id FROM plan WHERE finished)", (job.handle + "1",)
        )
    for find in (store.plan, store.candidate):
        with pytest.raises(InputError, match="this names a job"):
            find(job.handle)
    assert store.plan(job.handle + "0").plan.handle == job.handle + "0"


def test_a_plan_that_is_not_finished_is_the_last_one(store: Store) -> None:
    begun, _ = samples.begin(store)
    assert store.plan("last") == begun
    assert store.candidate("last") == begun.answer


def test_a_study_is_found_by_each_kind_of_ref(store: Store) -> None:
    first, second = store.add_study(samples.study()), store.add_study(samples.study(title="again"))
    for ref in (first.id, first.handle, first.handle.upper(), "last~1"):
        assert store.study(ref) == first
    assert store.study("last") == second
    start = next(second.handle[:count] for count in (3, 4) if not first.handle.startswith(second.handle[:count]))
    assert store.study(start) == second


def test_a_ref_that_matches_no_study_lists_the_newest(store: Store) -> None:
    with pytest.raises(InputError, match=r"no study matches.*\n.*\n.*there is no study yet: fleettui whatif"):
        store.study("last")
    plan, study = samples.add(store).plan, store.add_study(samples.study())
    for ref in ("zzz", "", "last~1", plan.handle, plan.name):
        with pytest.raises(
            InputError, match=rf"no study matches.*\n.*newest: {study.handle}\n  do: fleettui list --st"
        ):
            store.study(ref)


def test_a_study_is_neither_plan_nor_candidate(store: Store) -> None:
    plan = samples.add(store).plan
    study, alone = store.add_study(samples.study("last")), store.add_study(samples.study(""))
    shown = f"fleettui show {study.handle} prints"
    for noun, find in (("plan", store.plan), ("candidate", store.candidate)):
        said = f"a study of plan {plan.handle}, not a {noun}.*\n  do: say {plan.handle} to mean its plan; {shown}"
        with pytest.raises(InputError, match=said):
            find(study.handle)
        with pytest.raises(InputError, match=rf"a study of no one plan, not a {noun}.*\n  do: fleettui show"):
            find(alone.handle)


def test_what_is_kept_under_a_ref_is_a_plan_or_a_study(store: Store) -> None:
    plan = samples.add(store, samples.answer(1)).plan
    study = store.add_study(samples.study("last"))
    for ref in (plan.id, plan.handle, plan.name, "last", plan.handle[:3]):
        assert store.kept(ref) == ("plan", plan.id)
    for ref in (study.id, study.handle.upper(), study.handle[:3]):
        assert store.kept(ref) == ("study", study.id)
    with pytest.raises(InputError, match="no plan or study matches"):
        store.kept("zzz")
    with pytest.raises(InputError, match="this names a candidate, not a plan or study"):
        store.kept(store.candidate("last").handle)


def test_a_joint_plan_is_found_by_its_name(store: Store) -> None:
    joint = replace(samples.study(title="Joint plan j1: 3 workloads over one stock"), kind="joint")
    first = store.add_study(joint)
    store.add_study(replace(joint, kind="why", title=f"{joint.title}: why it is what it is"))
    store.add_study(replace(joint, title="Joint plan j12: 2 workloads over one stock"))
    assert store.kept("j1") == ("study", first.id)
    assert store.study("j1") == first
    with pytest.raises(InputError, match=f"joint plan {first.handle}, not a plan(.|\n)*fleettui show {first.handle}"):
        store.plan("j1")
    second = store.add_study(joint)
    with pytest.raises(InputError) as refused:
        store.kept("j1")
    assert refused.value.accepted == ", ".join(sorted(f"{one.handle} (study)" for one in (first, second)))
    assert refused.value.remedy == "say which by its handle"


def test_a_start_that_a_plan_and_a_study_share_lists_both(store: Store) -> None:
    plans = [samples.add(store, samples.answer(1, name=f"n{index}")).plan.handle for index in range(12)]
    studies = [store.add_study(samples.study()).handle for _ in range(12)]
    shared = next(one[0] for one in plans if one[0] in {other[0] for other in studies})
    with pytest.raises(InputError, match=r"more than one plan or study matches(.|\n)*\((plan|study)\)"):
        store.kept(shared)


def test_a_plan_that_is_named_like_a_studys_handle_is_not_guessed(store: Store) -> None:
    study = store.add_study(samples.study())
    samples.add(store, samples.answer(1, name=study.handle))
    with pytest.raises(InputError, match=r"more than one plan or study(.|\n)*\(plan\)(.|\n)*"):
        store.kept(study.handle)
    assert store.study(study.handle) == study
