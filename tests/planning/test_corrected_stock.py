"""What a backtest's correction leaves spare of a fleet that was given, and how else its GPUs would do."""

from pathlib import Path

import pytest

from fleettui.domain.backtest import Fit
from fleettui.domain.demand import Demand
from fleettui.domain.fleet import FleetSketch
from fleettui.domain.remedy import OF_THE_SAME
from fleettui.domain.slo import Slo
from fleettui.planning.corrected_stock import with_stock
from fleettui.planning.kept_inputs import FinishedPlan
from fleettui.planning.simulate import simulate
from fleettui.planning.studies.study_context import StudyContext
from fleettui.reports.backtest.study import backtest_study
from store import Store
from tests.planning.simulated import Watched, question, sketch, trace
from tests.reports.backtest.samples import fit, found

pytestmark = pytest.mark.looks


@pytest.mark.evidence
async def test_another_rate_leaves_what_the_fleet_holds_as_it_was(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    """At half the rate fewer replicas do, as a simulation of the fleet at that rate says."""
    path = trace(tmp_path)
    plan = await simulate(sketch(4), question(path, gpus=(), tp=()), store=store, pool=workers)
    half = Demand(form="rate", rate=plan.demand.rate / 2)
    real = await simulate(sketch(4), question(path, gpus=(), tp=(), demand=half), store=store, pool=workers)
    assert plan.stock is not None
    assert real.stock is not None
    halved = fit("arrival rate", 0.5, 1.0, 0.36, 0.0358, 60.0, 9.0)
    seen = found(plan=plan, fleet=plan.answer, fits=(halved,))
    desk = StudyContext(store, workers)
    corrected = (await with_stock(desk, FinishedPlan.get(store, plan.plan.id), seen)).corrected
    assert corrected is not None
    assert corrected.stock is not None
    assert corrected.stock.replicas == real.stock.replicas != plan.stock.replicas
    assert corrected.stock.rate == plan.stock.rate


@pytest.mark.evidence
async def test_longer_steps_are_in_what_a_fleet_holds(store: Store, workers: Watched, tmp_path: Path) -> None:
    """It holds what the same fleet holds that was written down with such steps."""
    asked = question(trace(tmp_path), gpus=(), tp=())
    plan = await simulate(sketch(4), asked, store=store, pool=workers)
    assert plan.answer is not None
    slower = fit("all step times", 1.3, 1.0, 0.36, 0.0358, 60.0, 9.0)
    seen = found(plan=plan, fleet=plan.answer, fits=(slower,))
    corrected = (await with_stock(StudyContext(store, workers), FinishedPlan.get(store, plan.plan.id), seen)).corrected
    assert corrected is not None
    assert corrected.answer is not None
    real = await simulate(FleetSketch.of(corrected.answer.fleet), asked, store=store, pool=workers)
    assert plan.stock is not None
    assert real.stock is not None
    assert corrected.stock is not None
    assert corrected.stock.replicas == real.stock.replicas != plan.stock.replicas
    assert corrected.stock.rate == pytest.approx(real.stock.rate, rel=0.02)


@pytest.mark.parametrize(
    ("moved", "told"),
    [
        (fit("arrival rate", 1.5, 1.0, 0.36, 0.0358, 60.0, 9.0), "0.168 s within 0.25 s, as simulated"),
        (
            fit("all step times", 1.2, 1.0, 0.36, 0.0358, 60.0, 9.0),
            "0.187 s within 0.25 s, as simulated, with all step times x1.2 there, too",
        ),
    ],
)
async def test_another_division_of_the_same_gpus_that_holds_as_corrected_is_told(
    store: Store, workers: Watched, tmp_path: Path, moved: Fit, told: str
) -> None:
    """Found: a simulated fleet that fails was told how else its GPUs hold, a backtested one that it is short alone."""
    asked = question(trace(tmp_path), gpus=(), tp=(), demand=Demand(form="rate", rate=6.0), slo=Slo(ttft=0.25))
    plan = await simulate(sketch(4, tp=4), asked, store=store, pool=workers)
    assert plan.verdict == "pass"
    seen = found(plan=plan, fleet=plan.answer, fits=(moved,))
    corrected = await with_stock(StudyContext(store, workers), FinishedPlan.get(store, plan.plan.id), seen)
    short, *divided = [one for one in backtest_study(corrected).sentences if OF_THE_SAME in one]
    assert " (tp8 x2 of the same 16 H100 would hold)" in short
    assert divided == [f"tp8 x2 of the same 16 H100 would hold: P99 TTFT {told}"]
