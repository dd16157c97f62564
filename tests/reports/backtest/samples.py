"""A backtest made up: three figures that were seen a fifth above the prediction, and constants that may explain it."""

from dataclasses import replace
from typing import Any

from fleettui.domain.backtest import Band, Constant, Figure, Fit, Row
from fleettui.domain.plan import PlanIdentity
from fleettui.reports.backtest.finding import Backtest
from tests.store import samples

TTFT, TPOT, RUNNING = Figure(metric="ttft", share=0.99), Figure(metric="tpot", share=0.5), Figure(metric="running")
E2E = Figure(metric="e2e", share=0.99)


def band(value: float) -> Band:
    return Band(value=value, low=value * 0.99, high=value * 1.01)


def row(figure: Figure, predicted: float, seen: float, error: float = 0.01) -> Row:
    return Row(figure=figure, predicted=band(predicted), seen=band(seen), error=error)


def fit(constant: Constant, factor: float, misfit: float, *figures: float, bounded: bool = False) -> Fit:
    return Fit(constant=constant, factor=band(factor), misfit=misfit, figures=figures, bounded=bounded)


ROWS = (row(TTFT, 0.3, 0.36), row(TPOT, 0.03, 0.036), row(RUNNING, 50.0, 60.0))
GOOD = fit("base step time", 1.2, 1.0, 0.36, 0.0358, 60.0, 9.0)
POOR = fit("time per prompt token", 1.5, 400.0, 0.5, 0.03, 52.0, 8.0)


def found(**changes: Any) -> Backtest:
    plan = samples.answer(1, name="chat")
    assert plan.answer is not None
    base = Backtest(
        plan=replace(plan, plan=PlanIdentity(id="x", handle="41a7", name="chat")),
        fleet=plan.answer,
        asked="backtest 41a7 --observed running=60 --over 1h",
        rows=ROWS,
        probes=(E2E,),
        fits=(POOR, GOOD),
        engine_overhead=0.003,
    )
    return replace(base, **changes)
