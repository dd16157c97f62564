"""A backtest as a study: its correction as a table, and the tests before it."""

from dataclasses import replace
from typing import Any

from fleettui.domain.slo import Slo
from fleettui.domain.stock import Stock
from fleettui.reports import fleet_text
from fleettui.reports.backtest.finding import Backtest
from fleettui.reports.backtest.study import CORRECTION, SERIES, backtest_study
from tests.reports.backtest.samples import POOR, ROWS, TTFT, fit, found, row


def test_tests_of_one_plan_are_a_series() -> None:
    first = replace(backtest_study(found()), handle="aaaa", created="2026-10-01T00:00:00Z")
    held = backtest_study(found(rows=(row(TTFT, 0.3, 0.3),)))
    (table,) = (one for one in backtest_study(found(earlier=(held, first))).tables if one.title == SERIES)
    assert [one[1] for one in table.rows] == ["", "aaaa"]
    assert table.rows[0][3].startswith("the prediction holds")  # type: ignore[union-attr]
    assert table.rows[1][3] == "base_step_time x1.2"


def test_each_pool_is_corrected_by_its_name() -> None:
    whole = found()
    (table,) = (one for one in backtest_study(whole).tables if one.title == CORRECTION)
    assert [one[:3] for one in table.rows] == [(pool.name, "base_step_time", 1.2) for pool in whole.fleet.fleet.pools]


def test_latencies_are_said_to_be_of_all_requests_and_the_pages_of_the_worst_pool() -> None:
    """Found: P99 TTFT 756 ms predicted, 0.86 s on the plan's page, with no word that this is its worst pool's."""
    base = found()
    (pool, *_) = base.fleet.fleet.pools
    for pools, worst in (
        ((pool,), False),
        ((replace(pool, up_to=pool.above + 9), replace(pool, name="long", above=pool.above + 9)), True),
    ):
        fleet = replace(base.fleet, fleet=replace(base.fleet.fleet, pools=pools))
        table = backtest_study(replace(base, fleet=fleet)).tables[0]
        assert table.title == "latencies of all requests, predicted against seen"
        assert ("the plan's page and its limits are of the worst pool" in table.note) is worst


def test_one_figure_corrects_nothing() -> None:
    fits = (fit("base step time", 1.2, 0.0, 0.036, 9.0), fit("arrival rate", 1.1, 0.0, 0.036, 9.0))
    tables = backtest_study(found(rows=ROWS[1:2], fits=fits)).tables
    assert CORRECTION not in {table.title for table in tables}


def stocked(**changes: Any) -> Backtest:
    """Return a backtest of a fleet that was given, all of which was needed as it was predicted."""
    base = found()
    own = tuple(pool.replicas for pool in base.fleet.fleet.pools)
    gpus = tuple(pool.gpus for pool in base.fleet.fleet.pools)
    stock = Stock(
        replicas=own, gpus=gpus, cost=base.fleet.cost_per_hour, simulated=True, rate=120.0, rate_simulated=True
    )
    return replace(base, plan=replace(base.plan, stock=stock), **changes)


def test_what_is_spare_is_that_of_the_corrected_fleet() -> None:
    base = stocked()
    assert base.plan.stock is not None
    slower = replace(base.plan, stock=replace(base.plan.stock, rate=90.0))
    told = (
        f"{fleet_text.gpu_total(base.fleet.fleet)}, with base step time x1.2: nothing is spare at just these step "
        "times; holds to at least 90/s"
    )
    assert backtest_study(replace(base, corrected=slower)).sentences[-1] == told, "--correct would refuse it"
    taken = backtest_study(replace(base, corrected=slower, takes=True))
    assert taken.sentences[-1] == f"{told}; simulate --correct says how sure that is"
    held = backtest_study(replace(base, rows=(row(TTFT, 0.3, 0.3),)))
    assert held.sentences[-1].endswith(": nothing is spare at nominal speed; holds to at least 120/s")


def test_nothing_is_known_to_be_spare_where_nothing_explains_what_was_seen() -> None:
    base = stocked(fits=(POOR,))
    gpus = fleet_text.gpu_total(base.fleet.fleet)
    assert backtest_study(base).sentences[-1] == f"{gpus}: nothing is known to be spare"
    above = replace(base, slo=Slo(ttft=0.35, tpot=0.03))
    assert backtest_study(above).sentences[-1] == (
        f"{gpus}: seen of all requests above the limits: P99 TTFT 0.36s (limit 0.35s); nothing is known to be spare"
    )
