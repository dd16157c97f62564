"""Which plans are told of a backtest: those with hardware that was tested, by its newest test."""

from dataclasses import replace

from fleettui.domain.demand import Demand
from fleettui.domain.study import Study, table_of
from fleettui.planning.backtest_notes import with_badges
from fleettui.reports.backtest.study import CORRECTION, backtest_study
from fleettui.workloads.demand import derive_demand
from store import Store
from tests.reports.backtest.samples import fit, found
from tests.store import samples

QUESTION = samples.question()


def told(store: Store, said: str) -> Study:
    return store.add_study(Study(kind="backtest", title="t", question="q", plan="last", sentences=(said,)))


def test_a_plan_is_told_of_the_newest_test_of_each_kind_of_its_hardware(store: Store) -> None:
    plan = samples.add(store)
    assert with_badges(store, plan, QUESTION) == plan
    told(store, "the prediction held")
    newer = told(store, "it did not")
    warned = with_badges(store, plan, QUESTION)
    assert plan.answer is not None
    kinds = list(dict.fromkeys(pool.replica for pool in plan.answer.fleet.pools))
    assert len(warned.warnings) == len(plan.warnings) + len(kinds)
    assert all(one.startswith(f"backtest {newer.handle}, ") for one in warned.warnings[-len(kinds) :])
    assert warned.warnings[-1].endswith(f": it did not: fleettui show {newer.handle}")


def test_other_hardware_and_plans_without_a_fleet_are_told_nothing(store: Store) -> None:
    plan = samples.add(store)
    told(store, "the prediction held")
    assert plan.answer is not None
    others = tuple(replace(pool, gpu="b200") for pool in plan.answer.fleet.pools)
    answer = replace(plan.answer, fleet=replace(plan.answer.fleet, pools=others))
    assert with_badges(store, replace(plan, answer=answer), QUESTION).warnings == plan.warnings
    assert with_badges(store, replace(plan, answer=None), QUESTION).warnings == plan.warnings


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
    assert with_badges(store, plan, QUESTION) == plan
    told(store, "the prediction held")
    assert with_badges(store, plan, replace(QUESTION, engine="another engine")) == plan
    assert with_badges(store, plan, QUESTION) != plan


def test_a_rate_that_a_backtest_found_is_not_told_as_given(store: Store) -> None:
    plan = samples.add(store)
    assert plan.answer is not None
    less = fit("arrival rate", 0.5, 1.0, 0.36, 0.036, 60.0, 9.0)
    study = store.add_study(backtest_study(found(plan=plan, fleet=plan.answer, fits=(less,))))
    asked = replace(QUESTION, demand=Demand(form="rate", rate=41.65))
    answer = replace(plan, demand=derive_demand(asked.demand, own_rate=None, mean_prompt=1.0, mean_output=1.0))
    assert answer.demand.arithmetic == "41.6 requests/s, as given"
    assert with_badges(store, answer, asked).demand.arithmetic == f"41.6 requests/s, as backtest {study.handle} found"
    other = replace(asked, demand=Demand(form="rate", rate=41.6))
    assert with_badges(store, answer, other).demand == answer.demand
