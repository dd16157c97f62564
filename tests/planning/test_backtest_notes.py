"""Which plans are told of a backtest: those with hardware that was tested, by its newest test."""

from dataclasses import replace

from fleettui.domain.study import Study, table_of
from fleettui.planning.backtest_notes import with_badges
from fleettui.reports.backtest.study import CORRECTION
from store import Store
from tests.store import samples

ENGINE = samples.question().engine


def told(store: Store, said: str) -> Study:
    return store.add_study(Study(kind="backtest", title="t", question="q", plan="last", sentences=(said,)))


def test_a_plan_is_told_of_the_newest_test_of_each_kind_of_its_hardware(store: Store) -> None:
    plan = samples.add(store)
    assert with_badges(store, plan, ENGINE) == plan
    told(store, "the prediction held")
    newer = told(store, "it did not")
    warned = with_badges(store, plan, ENGINE)
    assert plan.answer is not None
    kinds = list(dict.fromkeys(pool.replica for pool in plan.answer.fleet.pools))
    assert len(warned.warnings) == len(plan.warnings) + len(kinds)
    assert all(one.startswith(f"backtest {newer.handle}, ") for one in warned.warnings[-len(kinds) :])
    assert warned.warnings[-1].endswith("it did not")


def test_other_hardware_and_plans_without_a_fleet_are_told_nothing(store: Store) -> None:
    plan = samples.add(store)
    told(store, "the prediction held")
    assert plan.answer is not None
    others = tuple(replace(pool, gpu="b200") for pool in plan.answer.fleet.pools)
    answer = replace(plan.answer, fleet=replace(plan.answer.fleet, pools=others))
    assert with_badges(store, replace(plan, answer=answer), ENGINE).warnings == plan.warnings
    assert with_badges(store, replace(plan, answer=None), ENGINE).warnings == plan.warnings


def test_what_was_seen_of_the_load_or_of_another_engine_marks_no_plan(store: Store) -> None:
    """That less came than was planned for says nothing of hardware (found 8)."""
    plan = samples.add(store)
    rate = table_of(
        CORRECTION,
        [0.349],
        ("pool", "text", lambda _: ""),
        ("constant", "text", lambda _: "arrival rate"),
        ("factor", "number", lambda factor: factor),
        ("was", "text", lambda _: "100/s"),
        ("is", "text", lambda _: "34.9/s"),
    )
    store.add_study(
        Study(kind="backtest", title="t", question="q", plan="last", sentences=("less came",), tables=(rate,))
    )
    assert with_badges(store, plan, ENGINE) == plan
    told(store, "the prediction held")
    assert with_badges(store, plan, "another engine") == plan
    assert with_badges(store, plan, ENGINE) != plan
