"""A backtest's study is enough to take its correction from: figures, constant, factor and interval are in it."""

from dataclasses import replace

import pytest

from fleettui.planning.corrections import hindrance
from fleettui.reports.backtest.kept import backtest_of
from fleettui.reports.backtest.study import backtest_study
from tests.reports.backtest.samples import GOOD, POOR, found


def test_what_was_found_is_read_back() -> None:
    made = found()
    read = backtest_of(backtest_study(made), replace(made.plan, answer=made.fleet))
    assert read.chosen is not None
    assert (read.chosen.constant, read.asked, read.fleet) == (GOOD.constant, made.asked, made.fleet)
    assert read.chosen.factor.value == pytest.approx(GOOD.factor.value, rel=1e-3)
    assert read.chosen.factor.high == pytest.approx(GOOD.factor.high, rel=1e-3)
    assert hindrance(read) == ""
    assert [row.gap for row in read.rows] == pytest.approx([row.gap for row in made.rows])


def test_the_likeliest_is_the_one_that_is_read() -> None:
    made = found(fits=(GOOD, POOR))
    read = backtest_of(backtest_study(made), replace(made.plan, answer=made.fleet))
    assert [one.constant for one in read.fits] == [GOOD.constant]
