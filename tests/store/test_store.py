"""The store as its users see it: what goes in comes out, and only labels change."""

from __future__ import annotations

import math
import threading
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from fleettui.domain.digest import digest
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.scenario import Scenario
from fleettui.errors import InputError
from store import Store, insertion
from tests.store import samples


def test_a_plan_comes_back_exactly_as_it_was_stored(store: Store) -> None:
    stored = samples.add(store)
    assert store.plan("last") == stored
    assert store.plan(stored.plan.id) == stored
    unnamed = replace(stored, plan=samples.answer().plan)
    clear = [replace(one, candidate="", handle="") for one in stored.candidates]
    assert replace(unnamed, answer=clear[0], candidates=tuple(clear)) == samples.answer()


def test_a_stored_plan_has_an_identity(store: Store) -> None:
    stored = samples.add(store)
    assert stored.plan.created == "2026-03-01T12:00:00.000Z"
    assert stored.plan.seed == 7
    assert stored.plan.scenario == digest(store.scenario("last").named(""))
    assert stored.answer == stored.candidates[0]
    handles = [stored.plan.handle, *(one.handle for one in stored.candidates)]
    assert len(set(handles)) == 6
    assert all(len(handle) >= 4 for handle in handles)


def test_an_infeasible_plan_has_no_answer(store: Store) -> None:
    stored = samples.add(store, samples.infeasible())
    assert store.plan("last") == stored
    row = store.row("last")
    assert (row.verdict, row.gpus, row.cost_per_hour, row.fleet) == ("infeasible", None, None, "")


def test_an_answer_that_is_not_among_the_candidates_is_kept_apart(store: Store) -> None:
    given = samples.answer(3)
    stored = samples.add(store, replace(given, candidates=given.candidates[1:]))
    assert store.plan("last") == stored
    assert len(stored.candidates) == 2
    assert [one.handle for one in store.candidates("last")] == [
        stored.answer.handle if stored.answer else "",
        *(one.handle for one in stored.candidates),
    ]


def test_an_undefined_figure_is_stored_as_null_and_read_as_nan(store: Store) -> None:
    given = samples.answer(2)
    pools = (samples.figures("short", ttft=math.inf), samples.figures("long", ttft=math.nan))
    odd = replace(given.candidates[1], pools=pools, power=math.nan)
    samples.add(store, replace(given, candidates=(given.candidates[0], odd)))
    read = store.plan("last").candidates[1]
    assert all(math.isnan(pool.ttft) for pool in read.pools)
    assert math.isnan(read.power)
    assert read.pools[0].tpot == 0.034
    assert [one.handle for one in store.candidates("last", order="ttft")][-1] == read.handle


def test_inputs_come_back_and_bear_their_digest(store: Store) -> None:
    samples.add(store)
    scenario = store.scenario("last")
    assert store.workload(scenario.workload) == samples.workload()
    assert [store.profile(key) for key in scenario.profiles] == [samples.profile("h100"), samples.profile("a100")]
    assert store.workload_of("last") == samples.workload()
    assert store.question("last") == samples.question()
    assert store.provenance("last") == samples.provenance()
    assert store.put_workload(samples.workload()) == scenario.workload
    assert store.put_profile(samples.profile()) == scenario.profiles[0]
    assert store.put_scenario(scenario) == digest(scenario.named(""))
    assert store.put_provenance(samples.provenance()) == digest(samples.provenance())


def test_a_name_is_outside_every_digest(store: Store) -> None:
    first = samples.add(store, samples.answer(name="one"))
    second = samples.add(store, samples.answer(name="two"))
    assert first.plan.scenario == second.plan.scenario
    assert store.question("one").name == "one"
    store.set_name("two", "three")
    assert store.question("three").name == "three"


def test_a_scenario_of_other_inputs_is_a_bug(store: Store) -> None:
    scenario = Scenario(question=samples.question(), workload="0" * 64, profiles=(), rate=1, engine_version=1)
    with pytest.raises(AssertionError, match="another workload"):
        store.add_plan(
            NewPlan(
                answer=samples.answer(),
                scenario=scenario,
                provenance=samples.provenance(),
                workload=samples.workload(),
                profiles=(),
            )
        )
    with pytest.raises(AssertionError, match="not in the store"):
        store.put_scenario(scenario)
    assert store.count() == 0


def test_nothing_is_kept_of_a_plan_that_cannot_be_read_back(store: Store) -> None:
    given = samples.answer(3)
    wrong = replace(given.candidates[2], gpus=1.5)  # type: ignore[arg-type]
    with pytest.raises(Exception, match="Expected `int`"):
        samples.add(store, replace(given, candidates=(*given.candidates[:2], wrong)))
    assert store.count() == 0
    with pytest.raises(InputError, match="no such workload"):
        store.workload(digest(samples.workload()))


def test_labels_change_and_nothing_else_does(store: Store) -> None:
    stored = samples.add(store)
    store.set_name("last", "may, final")
    store.set_note("last", "as agreed")
    store.add_tag("last", "prod")
    store.add_tag("last", "chat")
    store.add_tag("last", "prod")
    row = store.row("may, final")
    assert (row.name, row.note, row.tags, row.archived) == ("may, final", "as agreed", ("chat", "prod"), False)
    store.remove_tag("last", "prod")
    assert store.row("last").tags == ("chat",)
    assert store.plan("last") == replace(stored, plan=replace(stored.plan, name="may, final"))


def test_an_archived_plan_is_out_of_sight_but_there(store: Store) -> None:
    first, second = samples.add(store), samples.add(store)
    store.archive(second.plan.handle)
    assert store.plan("last").plan.id == first.plan.id
    assert [row.id for row in store.plans()] == [first.plan.id]
    assert [row.id for row in store.plans(archived=True)] == [second.plan.id, first.plan.id]
    assert (store.count(), store.count(archived=True)) == (1, 2)
    assert store.plan(second.plan.handle) == second
    store.archive(second.plan.handle, archived=False)
    assert store.count() == 2


def test_plans_are_listed_newest_first_a_page_at_a_time(store: Store) -> None:
    stored = [samples.add(store, samples.answer(1)) for _ in range(5)]
    expected = [one.plan.handle for one in reversed(stored)]
    assert [row.handle for row in store.plans(limit=2)] == expected[:2]
    assert [row.handle for row in store.plans(limit=2, offset=3)] == expected[3:]


def test_candidates_are_paged_in_an_order(store: Store) -> None:
    stored = samples.add(store, samples.answer(7))
    assert store.candidates("last", offset=2, limit=3) == stored.candidates[2:5]
    by_gpus = store.candidates("last", order="gpus", limit=2)
    assert [one.gpus for one in by_gpus] == [16, 20]
    assert store.count_candidates("last") == 7
    with pytest.raises(InputError, match=r"accepted: rank, cost_per_hour"):
        store.candidates("last", order="colour")


@pytest.mark.parametrize("batch", [1, 3, 7, 8])
def test_rows_are_all_there_whatever_the_batch(store: Store, monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    monkeypatch.setattr(insertion, "BATCH", batch)
    samples.add(store, samples.answer(7))
    stored = samples.add(store, samples.answer(7))
    assert store.plan("last") == stored
    assert store.count_candidates("last") == 7


def test_threads_share_a_store(store: Store) -> None:
    stored = samples.add(store)
    seen = []
    look = partial(threading.Thread, target=lambda: seen.append(store.plan("last") == stored), daemon=True)
    readers = [look() for _ in range(4)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(timeout=10)
    assert seen == [True] * 4


def test_ids_rise_although_the_clock_is_set_back(file: Path) -> None:
    with Store.open(file, clock=samples.clock(timedelta(hours=-1)), entropy=lambda: 0) as store:
        ids = [samples.add(store, samples.answer(1)).plan.id for _ in range(3)]
        assert ids == sorted(ids)
        assert store.plan("last").plan.id == ids[-1]


@pytest.mark.thorough
def test_many_candidates_get_handles_of_their_own(store: Store) -> None:
    samples.add(store, samples.answer(1500))
    stored = samples.add(store, samples.answer(1500))
    other = {one.handle for one in store.candidates("last~1", limit=2000)}
    mine = {one.handle for one in stored.candidates}
    assert len(other | mine) == 3000
    assert {len(handle) for handle in other | mine} == {4, 5}
    assert store.candidate(stored.candidates[-1].handle) == stored.candidates[-1]
