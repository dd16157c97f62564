"""Pages are read along an index: nothing is sorted, and no body is read that is not shown."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from sqlalchemy import event

from store import Store, candidates, plans
from tests.store import samples

Plan = Callable[[Callable[[], object]], list[str]]


@pytest.fixture
def planned(store: Store) -> Plan:
    """Return what tells the steps of SQLite's plan for the last statement of a call that does not fill in parts."""
    samples.add(store)
    samples.add(store)

    def steps(call: Callable[[], object]) -> list[str]:
        seen: list[tuple[str, object]] = []
        engine = store._opened.engine

        def listen(_: object, __: object, statement: str, parameters: object, ___: object, ____: object) -> None:
            if statement.startswith("SELECT") and "FROM part" not in statement:
                seen.append((statement, parameters))

        event.listen(engine, "before_cursor_execute", listen)
        try:
            call()
        finally:
            event.remove(engine, "before_cursor_execute", listen)
        statement, parameters = seen[-1]
        with engine.connect() as connection:
            told = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)  # type: ignore[arg-type]
            return [str(row[3]) for row in told]

    return steps


@pytest.mark.parametrize("offset", [0, 4])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("order", candidates.ORDERS)
def test_a_page_of_candidates_walks_its_index(
    store: Store, planned: Plan, order: str, reverse: bool, offset: int
) -> None:
    steps = planned(lambda: store.candidates("last", order=order, reverse=reverse, offset=offset, limit=1))
    index = "candidate_by_" + {"cost_per_hour": "cost"}.get(order, order)
    sign = "<" if reverse != (offset == 4) else ">"
    assert f"SEARCH candidate USING COVERING INDEX {index} (plan{sign}?)" in steps
    assert "SEARCH candidate USING INTEGER PRIMARY KEY (rowid=?)" in steps
    assert steps.count("USE TEMP B-TREE FOR ORDER BY") == 1


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("archived", [False, True])
@pytest.mark.parametrize("sort", plans.ORDERS)
def test_a_page_of_plans_walks_its_index(store: Store, planned: Plan, sort: str, archived: bool, reverse: bool) -> None:
    steps = planned(lambda: store.plans(sort=sort, reverse=reverse, archived=archived))
    by_id = "sqlite_autoindex_plan_1" if archived else "plan_by_id"
    index = by_id if sort == "created" else f"plan_by_{sort}"
    assert f"SCAN plan USING COVERING INDEX {index}" in steps
    assert "SEARCH plan USING INTEGER PRIMARY KEY (rowid=?)" in steps
    assert steps.count("USE TEMP B-TREE FOR ORDER BY") == 1


def test_a_search_reads_no_plan_that_it_does_not_show(store: Store, planned: Plan) -> None:
    for call in (lambda: store.plans("azure cost<3 rate>1"), lambda: store.count("azure"), store.count):
        steps = planned(call)
        assert any(re.match(r"SCAN plan USING COVERING INDEX plan_by_", step) for step in steps), steps


def test_counting_candidates_counts_nothing(store: Store, planned: Plan) -> None:
    steps = planned(lambda: store.count_candidates("last"))
    assert all("candidate" not in step for step in steps), steps
