"""Pages are read along an index: nothing is sorted, and no body is read that is not shown."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from sqlalchemy import event

from store import Store, candidate_orders, plans
from tests.store import samples

Plan = Callable[..., list[str]]


@pytest.fixture
def planned(store: Store) -> Plan:
    """Return what tells the steps of SQLite's plan for the last statement of a call that does not fill in parts."""
    samples.add(store)
    samples.add(store)

    def steps(call: Callable[[], object], *, statement: int = -1) -> list[str]:
        seen: list[tuple[str, object]] = []
        engine = store._opened.engine

        def listen(_: object, __: object, text: str, parameters: object, ___: object, ____: object) -> None:
            if text.strip().startswith("SELECT") and "FROM part" not in text:
                seen.append((text, parameters))

        event.listen(engine, "before_cursor_execute", listen)
        try:
            call()
        finally:
            event.remove(engine, "before_cursor_execute", listen)
        text, parameters = seen[statement]
        with engine.connect() as connection:
            told = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", parameters)  # type: ignore[arg-type]
            return [str(row[3]) for row in told]

    return steps


@pytest.mark.parametrize("order", candidate_orders.ORDERS)
def test_a_page_of_candidates_reads_what_it_shows_by_key(store: Store, planned: Plan, order: str) -> None:
    def page() -> object:
        return store.candidates("last", order=order, offset=1, limit=2)

    names, evidence, blocks = (planned(page, statement=place) for place in (-3, -2, -1))
    assert "SEARCH candidate USING INDEX sqlite_autoindex_candidate_2 (plan=? AND rank=?)" in names
    assert "SEARCH candidate_block USING INDEX sqlite_autoindex_candidate_block_1 (plan=? AND first=?)" in blocks
    assert "SEARCH verification USING INDEX verification_by_candidate (candidate=?)" in evidence
    assert all(not step.startswith("SCAN candidate") for step in (*names, *evidence, *blocks))


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
