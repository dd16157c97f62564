"""A backtest as a study: its correction as a table, and the tests before it."""

from dataclasses import replace

from fleettui.reports.backtest.study import CORRECTION, SERIES, backtest_study
from tests.reports.backtest.samples import ROWS, TTFT, fit, found, row


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


def test_one_figure_corrects_nothing() -> None:
    fits = (fit("base step time", 1.2, 0.0, 0.036, 9.0), fit("arrival rate", 1.1, 0.0, 0.036, 9.0))
    tables = backtest_study(found(rows=ROWS[1:2], fits=fits)).tables
    assert CORRECTION not in {table.title for table in tables}
