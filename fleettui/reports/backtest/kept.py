"""A kept backtest read back from its study: what was predicted and seen, and the constant that it corrects."""

from __future__ import annotations

from typing import get_args

from fleettui.domain.backtest import Band, Constant, Figure, Fit, Row
from fleettui.domain.plan import Answer
from fleettui.domain.study import Study
from fleettui.reports.backtest.finding import Backtest
from fleettui.reports.backtest.study import EXPLANATIONS

PREDICTED = "predicted against seen"
"""What the titles of the tables of figures end with."""


def backtest_of(study: Study, plan: Answer) -> Backtest:
    """Return the backtest of a `plan` that a study with a correction is of.

    The likeliest constant stands for all that were tried. Raises AssertionError for a study without a correction.
    """
    assert plan.answer is not None, "what was tested has a fleet"
    (tried,) = (table for table in study.tables if table.title == EXPLANATIONS)
    best = tried.records()[0]
    told = [row for table in study.tables if table.title.endswith(PREDICTED) for row in table.records()]
    constant = next(one for one in get_args(Constant) if one == best["constant"])
    fit = Fit(constant=constant, factor=_band(best, "factor"), misfit=0.0, figures=())
    rows = tuple(
        Row(
            figure=Figure(metric=str(row["figure"])),
            predicted=_band(row, "predicted"),
            seen=Band(value=_number(row["seen"]), low=_number(row["from"]), high=_number(row["to"])),
            error=UNLIKE,
        )
        for row in told
    )
    return Backtest(plan=plan, fleet=plan.answer, asked=study.question, rows=rows, probes=(), fits=(fit,))


UNLIKE = 1e-9
"""An error so small that what is corrected is no chance."""


def _band(row: dict[str, str | int | float | None], name: str) -> Band:
    return Band(value=_number(row[name]), low=_number(row["low"]), high=_number(row["high"]))


def _number(cell: str | int | float | None) -> float:
    assert isinstance(cell, int | float), f"a backtest's figure is a number, found {cell!r}"
    return float(cell)
