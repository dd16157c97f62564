"""Studies go in and come out whole, newest first, each of its plan or of none."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from fleettui.domain.plan import Look
from fleettui.domain.study import StudyColumn, StudyTable
from fleettui.errors import InputError
from store import Store, convert
from store.tables import STUDY
from tests.store import samples


def test_a_study_comes_back_exactly_as_it_was_stored(store: Store) -> None:
    plan = samples.add(store).plan
    stored = store.add_study(samples.study("last"))
    assert store.study("last") == stored
    assert replace(stored, id="", handle="", created="", plan="last") == samples.study("last")
    assert (stored.plan, stored.created) == (plan.id, "2026-03-01T13:00:00.000Z")
    assert len(stored.handle) == 4
    assert [type(cell) for cell in stored.tables[0].rows[1]] == [str, int, float, type(None)]


def test_a_look_at_a_fleet_that_cannot_keep_up_is_read_with_its_study(store: Store) -> None:
    """Found: why ended with "a stored studybody does not read", as its waits are without end and so kept as null."""
    plan, fleet = samples.add(store).plan.id, samples.candidate(replicas=1)
    (own, *others) = fleet.pools
    waits = replace(own, wait=math.inf, ttft=math.inf, further=(("e2e.p95", math.inf),))
    look = Look(rate=100.0, candidate=replace(fleet, pools=(waits, *others)))
    stored = store.add_study(replace(samples.study(plan), looks=(look,)))
    (found,) = store.study(stored.id).looks
    assert (found.rate, found.candidate.fleet, stored.looks[0].candidate.fleet) == (100.0, fleet.fleet, fleet.fleet)
    assert math.isnan(found.candidate.pools[0].ttft)
    assert math.isnan(found.candidate.pools[0].further[0][1])
    assert found.candidate.pools[1:] == tuple(others)


def test_a_study_may_be_of_no_plan(store: Store) -> None:
    kinds = ["why", "pareto", "a kind of tomorrow"]
    for kind in kinds:
        assert store.add_study(replace(samples.study(), kind=kind)).plan == ""
    assert [one.kind for one in store.studies()] == list(reversed(kinds))


def test_figures_that_are_not_finite_are_undefined(store: Store) -> None:
    columns = (StudyColumn(name="x", quantity="number"), StudyColumn(name="day", quantity="date"))
    table = StudyTable(title="t", columns=columns, rows=((math.nan, "2026-11-21"), (-math.inf, None), (1, "")))
    stored = store.add_study(replace(samples.study(), tables=(table,)))
    assert store.study("last").tables[0].rows == stored.tables[0].rows == ((None, "2026-11-21"), (None, None), (1, ""))


def test_studies_are_listed_newest_first_a_page_at_a_time(store: Store) -> None:
    for name in ("one", "two"):
        samples.add(store, samples.answer(1, name=name))
    of = ("one", "two", "", "one")
    kept = [store.add_study(samples.study(plan, title=f"{place}")) for place, plan in enumerate(of)]
    assert [one.title for one in store.studies()] == ["3", "2", "1", "0"]
    assert store.studies(2) == [kept[3], kept[2]]
    assert store.studies(2, offset=3) == [kept[0]]
    assert [one.title for one in store.studies(plan="one")] == ["3", "0"]
    assert store.studies(plan="") == [kept[2]]
    assert store.studies(kind=kept[0].kind) == kept[::-1]
    assert store.studies(kind="backtest") == []
    assert [store.count_studies(plan) for plan in (None, "one", "two", "")] == [4, 2, 1, 1]
    for ask in (store.studies, store.count_studies):
        with pytest.raises(InputError, match="no plan matches"):
            ask(plan="three")


def test_nothing_is_kept_of_a_study_of_a_plan_that_is_not_there(store: Store) -> None:
    with pytest.raises(InputError, match="no plan matches"):
        store.add_study(samples.study("nobody"))
    assert store.count_studies() == 0


def test_a_study_with_an_id_is_a_bug(store: Store) -> None:
    with pytest.raises(AssertionError, match="has no id yet"):
        store.add_study(store.add_study(samples.study()))


def test_the_columns_are_those_of_the_table() -> None:
    assert set(convert.from_study(samples.study())) == set(STUDY.c.keys())
