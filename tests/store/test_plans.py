"""A plan may be begun and finished later, once."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.demand import Demand, DerivedDemand
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.scenario import Preset
from fleettui.domain.slo import Slo
from fleettui.errors import InputError, StoreError
from store import Store, plans
from store.peek import peek
from tests.store import samples


def test_a_begun_plan_shows_what_is_known_so_far(store: Store) -> None:
    begun, job = samples.begin(store)
    assert store.plan("last") == begun
    row = store.row("last")
    assert (row.verdict, row.method, row.gpus, row.ttft) == ("unproven", "formula", 16, 0.48)
    assert not store.is_finished("last")
    assert (job.kind, job.state, job.plan, job.created) == ("plan", "running", begun.plan.id, begun.plan.created)


def test_a_row_says_what_was_asked(store: Store) -> None:
    samples.begin(store)
    row = store.row("last")
    assert (row.rate, row.slo, row.finished, row.candidates) == (83.3, Slo(ttft=0.5, tpot=0.05), False, 5)
    store.add_candidate(row.id, samples.candidate(40))
    assert store.row("last").candidates == store.count_candidates("last") == 6
    changed = replace(store.plan("last"), demand=DerivedDemand(rate=90.0, arithmetic="as driven"))
    store.finish_plan(row.id, changed)
    assert (store.row("last").rate, store.row("last").finished) == (90.0, True)


def test_a_row_calls_the_model_as_it_was_asked_for(store: Store) -> None:
    """Seen: llama-3.1-70b in the list where llama-3.3-70b, which is as large, was asked for."""
    for name, shown in (("llama-3.3-70b", "llama-3.3-70b"), ("./mine/config.json", "llama-3.1-70b")):
        given = samples.inputs("asked", "chat")
        scenario = replace(given["scenario"], question=replace(given["scenario"].question, model=name))
        store.add_plan(NewPlan(answer=samples.answer(2), **given | {"scenario": scenario}))
        assert store.row("last").model == shown


def test_a_row_says_that_it_cannot_be_told_how_sure_a_closed_loop_is(file: Path, store: Store) -> None:
    closed = Demand(form="concurrency", concurrency=40)
    cases: tuple[tuple[Demand | None, Preset, bool], ...] = (
        (closed, "recommended", True),
        (closed, "paper", False),
        (None, "recommended", False),
    )
    for demand, preset, untold in cases:
        given = samples.inputs("asked", "chat")
        asked = replace(given["scenario"].question, preset=preset)
        scenario = replace(given["scenario"], question=replace(asked, demand=demand or asked.demand))
        store.add_plan(NewPlan(answer=samples.answer(2), **given | {"scenario": scenario}))
        assert store.row("last").untold is untold
        assert peek(file) == store.row("last")


def test_a_limit_that_is_not_known_here_leaves_the_list_whole(file: Path, store: Store) -> None:
    other, given = samples.add(store), samples.inputs("later", "chat")
    slo = Slo(ttft=0.5, further=(("ttft.p50", 0.2),))
    scenario = replace(given["scenario"], question=replace(given["scenario"].question, slo=slo))
    plan = store.add_plan(NewPlan(answer=samples.answer(2), **given | {"scenario": scenario}))
    assert store.row("last").slo == slo
    with closing(sqlite3.connect(file)) as raw, raw:
        raw.execute("DROP TRIGGER scenario_stays")
        raw.execute("UPDATE scenario SET body = replace(body, 'ttft.p50', 'itl.p50')")
    assert [(row.id, row.slo is None) for row in store.plans()] == [(plan.plan.id, True), (other.plan.id, False)]
    assert peek(file) == store.row("last")
    with pytest.raises(StoreError, match=r"unknown latency \(got 'itl'\)\n  do: upgrade fleettui"):
        store.scenario("last")


def test_a_what_if_knows_the_plan_it_was_forked_from(store: Store) -> None:
    first = samples.add(store)
    second = samples.add(store, samples.answer(2, name="what if"), parent=first.plan.handle)
    begun, _ = store.begin_plan(
        NewPlan(answer=samples.unproven(), **samples.inputs("chat in may")), parent=second.plan.id
    )
    rows = [store.row(one.plan.id) for one in (first, second, begun)]
    assert [row.parent for row in rows] == ["", first.plan.id, second.plan.id]
    with pytest.raises(InputError):
        samples.add(store, parent="nobody")
    assert store.count() == 3


def test_plans_are_sorted_with_the_undefined_last_and_ties_by_age(store: Store) -> None:
    samples.add(store, samples.answer(1, name="b"))
    samples.add(store, samples.infeasible("C"))
    dear = samples.candidate(9, cost=171.1)
    samples.add(store, replace(samples.answer(1, name="A"), answer=dear, candidates=(dear,)))
    samples.add(store, samples.answer(1, name=""))

    def names(sort: str, **more: Any) -> str:
        return "".join(row.name or "-" for row in store.plans(sort=sort, **more))

    told = {"created": "-ACb", "cost": "b-AC", "name": "AbC-", "ttft": "bA-C", "verdict": "CbA-"}
    assert {sort: names(sort) for sort in plans.ORDERS} == told
    assert {sort: names(sort, reverse=True) for sort in plans.ORDERS} == {sort: one[::-1] for sort, one in told.items()}
    assert (names("cost", offset=1, limit=2), names("name", query="llama cost>1")) == ("-A", "Ab-")
    store.archive("A")
    assert (names("ttft"), names("ttft", archived=True)) == ("b-C", "bA-C")
    with pytest.raises(InputError, match="accepted: created, cost, name, ttft, verdict"):
        store.plans(sort="gpus")


def test_a_job_that_is_not_told_is_to_make_the_plan(store: Store) -> None:
    begun, job = store.begin_plan(NewPlan(answer=samples.unproven(), **samples.inputs("chat in may")))
    assert (job.kind, job.title, job.plan, job.seed, job.precision) == ("plan", "chat in may", begun.plan.id, 7, 0.05)
    _, unnamed = store.begin_plan(NewPlan(answer=samples.unproven(name=""), **samples.inputs("")))
    assert unnamed.title == "chat"


def test_nothing_is_kept_of_a_plan_whose_job_cannot_begin(store: Store) -> None:
    with pytest.raises(AssertionError, match="a new job runs"):
        store.begin_plan(
            NewPlan(answer=samples.unproven(), **samples.inputs("chat in may")),
            job=replace(samples.job(), state="done"),
        )
    assert (store.count(), store.jobs()) == (0, ())


def test_a_plan_is_finished_with_the_answer_that_held(store: Store) -> None:
    proved = samples.prove(store)
    assert store.plan("last") == proved
    assert proved.answer == proved.candidates[1]
    assert proved.answer
    assert proved.answer.evidence == samples.simulated()
    assert (proved.verdict, proved.why, proved.warnings) == ("pass", ("the first fails",), samples.answer().warnings)
    row = store.row("last")
    assert (row.verdict, row.method, row.gpus, row.cost_per_hour) == ("pass", "simulation", 20, 90.5)
    assert (row.ttft, row.tpot, row.e2e) == (0.46, 0.035, 9.3)
    assert row.fleet == "16 h100 tp4x4 + 4 a100 tp4x1"
    assert store.candidate("last") == proved.answer
    assert store.is_finished("last")
    assert [one.gpus for one in store.plans("ttft>450ms ttft<470ms")] == [20]


def test_what_was_found_so_far_is_kept_beside_the_formulas_answer_until_the_plan_is_finished(store: Store) -> None:
    begun, _ = samples.begin(store)
    store.tell_so_far(begun.plan.id, "it holds")
    assert store.plan("last") == replace(begun, so_far="it holds")
    assert (store.row("last").so_far, store.plans(limit=1)[0].so_far) == ("it holds", "it holds")
    finished = store.finish_plan(begun.plan.id, begun)
    store.tell_so_far(begun.plan.id, "too late")
    assert store.plan("last") == finished == begun
    assert store.row("last").so_far == ""


def test_an_answer_without_a_simulation_keeps_the_formulas_figures(store: Store) -> None:
    begun, _ = samples.begin(store)
    store.finish_plan(begun.plan.id, replace(begun, verdict="unproven"))
    row = store.row("last")
    assert (row.verdict, row.method, row.ttft) == ("unproven", "formula", 0.48)


def test_a_plan_may_be_finished_without_an_answer(store: Store) -> None:
    begun, _ = samples.begin(store)
    finished = store.finish_plan(begun.plan.id, replace(begun, verdict="infeasible", answer=None))
    assert (finished.verdict, finished.answer) == ("infeasible", None)
    assert finished.candidates == begun.candidates
    row = store.row("last")
    assert (row.verdict, row.gpus, row.fleet, row.ttft) == ("infeasible", None, "", None)


def test_candidates_that_are_new_are_added_when_a_plan_is_finished(store: Store) -> None:
    begun, _ = samples.begin(store)
    best, other = (replace(samples.candidate(one, cost=cost), power=1.0) for one, cost in ((20, 72.5), (21, 73.5)))
    finished = store.finish_plan(
        begun.plan.id, replace(begun, verdict="pass", answer=best, candidates=(*begun.candidates, other))
    )
    assert finished.answer
    assert replace(finished.answer, candidate="", handle="") == best
    assert len({one.handle for one in finished.candidates}) == 7
    assert [one.cost_per_hour for one in finished.candidates] == [71.1, 72.1, 72.5, 73.1, 73.5, 74.1, 75.1]
    assert store.plan("last") == finished


def test_the_first_answer_stays_among_the_candidates_when_another_one_holds(store: Store) -> None:
    given = samples.unproven(3)
    begun, _ = samples.begin(store, replace(given, candidates=given.candidates[1:]))
    assert begun.answer
    assert begun.answer not in begun.candidates
    assert store.plan("last") == begun
    finished = store.finish_plan(begun.plan.id, replace(begun, verdict="pass", answer=begun.candidates[0]))
    assert finished.answer == begun.candidates[0]
    assert finished.candidates == (begun.answer, *begun.candidates)


def test_a_finished_plan_can_be_finished_again_with_the_same_only(store: Store) -> None:
    proved = samples.prove(store)
    assert store.finish_plan(proved.plan.id, proved) == proved
    assert store.finish_plan(proved.plan.id, replace(proved, why=("in other words",))) == proved
    for other in (replace(proved, verdict="fail"), replace(proved, answer=proved.candidates[0])):
        with pytest.raises(AssertionError, match="came to"):
            store.finish_plan(proved.plan.id, other)
    assert store.plan("last") == proved


def test_a_later_verification_leaves_a_finished_plans_row_as_it_is(store: Store) -> None:
    proved = samples.prove(store)
    before = store.row("last")
    assert proved.answer
    store.add_verification(proved.answer.candidate, samples.simulated("fail", ttft=0.7))
    assert store.row("last") == before
    read = store.plan("last")
    assert read.verdict == "pass"
    assert read.answer == replace(proved.answer, evidence=samples.simulated("fail", ttft=0.7))


def test_another_plans_candidate_is_no_answer(store: Store) -> None:
    other = samples.add(store)
    begun, _ = samples.begin(store)
    with pytest.raises(AssertionError, match=r"is not of plan"):
        store.finish_plan(begun.plan.id, replace(begun, answer=other.answer))
    assert not store.is_finished("last")


def test_labels_of_a_begun_plan_change_as_those_of_any(store: Store) -> None:
    begun, _ = samples.begin(store)
    store.set_name("last", "night run")
    finished = store.finish_plan(begun.plan.id, begun)
    assert finished.plan.name == store.row("last").name == "night run"


def test_finished_plans_of_a_scenario_are_found_whatever_they_are_called(store: Store) -> None:
    first = samples.add(store)
    scenario = store.scenario(first.plan.id)
    store.set_name(first.plan.id, "renamed")
    second = samples.add(store)
    samples.begin(store)
    assert store.plans_of(scenario) == (second.plan.id, first.plan.id)
    assert store.plans_of(replace(scenario, rate=scenario.rate + 1)) == ()


def test_a_name_is_taken_while_any_plan_bears_it(store: Store) -> None:
    first = samples.add(store)
    samples.add(store, samples.answer(1, name=""))
    store.set_name(first.plan.id, "night run")
    store.archive(first.plan.id)
    assert [store.is_taken(name) for name in ("night run", "night", "")] == [True, False, False]


def test_the_children_of_a_plan_are_those_forked_from_it_the_oldest_first(store: Store) -> None:
    first = samples.add(store)
    made = [samples.add(store, samples.answer(1, name=f"child {n}"), parent=first.plan.id) for n in range(3)]
    samples.add(store, samples.answer(1, name="grandchild"), parent=made[0].plan.id)
    store.archive(made[1].plan.id)
    assert [row.id for row in store.children(first.plan.handle)] == [one.plan.id for one in made]
    assert [row.archived for row in store.children(first.plan.id)] == [False, True, False]
    assert len(store.children(first.plan.id, 2)) == 2
    assert store.children(made[2].plan.id) == ()
