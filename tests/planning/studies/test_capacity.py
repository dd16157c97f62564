"""How much traffic a fleet carries: between a rate that was simulated to hold and one that was not."""

from pathlib import Path

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.slo import Slo
from fleettui.domain.typed_range import TypedRange
from fleettui.errors import InputError
from fleettui.planning.make_plan import make_plan
from fleettui.planning.simulate import simulate
from fleettui.planning.studies import capacity
from fleettui.planning.studies.study_context import make
from fleettui.reports.confidence_text import surely
from fleettui.reports.plan_json import plan_json
from fleettui.reports.question.conversion import Given
from store import Store
from tests.planning.contradictions import START, rows
from tests.planning.simulated import Watched, question, sketch, trace

pytestmark = [pytest.mark.looks, pytest.mark.own_workers]


@pytest.mark.evidence
async def test_a_fleets_file_carries_what_its_simulations_show(store: Store, workers: Watched, tmp_path: Path) -> None:
    file = tmp_path / "fleet.yaml"
    file.write_text("pools: [{gpu: h100, tp: 8, replicas: 4, max_num_seqs: 256, token_budget: 2048}]", "utf-8")
    texts = {"workload": trace(tmp_path), "rate": "8/s", "slo-ttft": "200ms", "precision": "20%"}
    given = {
        "fleet": str(file),
        "question": {name: Given(text, "typed") for name, text in texts.items()},
        "confidence": "80%",
    }
    study = await make("capacity", store, pool=workers, **capacity.read(given))
    rates, seen = study.tables
    (_, rate, more, _, proof), (speeds, sure, *_) = rates.rows
    assert (proof, speeds) == ("simulated", "80% sure")
    assert isinstance(rate, float)
    assert isinstance(sure, float)
    assert 0.0 < sure < rate
    assert rate > 8.0
    assert more == pytest.approx(rate / 8.0 - 1.0)
    verdicts = {float(row[0] or 0): row[1] for row in seen.rows}
    assert verdicts[rate] == "holds"
    assert any(rate < one <= 1.09 * rate for one, verdict in verdicts.items() if verdict != "holds"), "four rungs"


@pytest.mark.evidence
async def test_a_plan_that_was_not_simulated_carries_what_the_formulas_say(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fleettui.planning.rounds.MOST_REQUESTS", 0)
    plan = await make_plan(question(trace(tmp_path), verify=False), store=store, pool=workers)
    study = await make("capacity", store, pool=workers, fleet=plan.plan.handle, confidence=0.9)
    ((_, rate, *_, proof), (_, sure, *_)) = study.tables[0].rows
    assert (proof, len(study.tables), study.plan) == ("formula", 1, plan.plan.id)
    assert isinstance(rate, float)
    assert isinstance(sure, float)
    assert sure < rate
    assert rate > 20.0, "the plan's own rate"
    assert store.studies(1)[0] == study


@pytest.mark.thorough
async def test_a_plan_and_its_capacity_are_as_sure_of_the_same_rate(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plan suffices in a share of the cases; so in that share of them it carries the rate that it was planned for."""
    plan = await make_plan(question(trace(tmp_path), verify=True, max_utilization=0.4), store=store, pool=workers)
    assert plan.confidence is not None
    assert 0.05 < plan.confidence.holds < 0.95
    monkeypatch.setattr("fleettui.planning.rounds.MOST_REQUESTS", 0)
    study = await make("capacity", store, pool=workers, fleet=plan.plan.handle, confidence=plan.confidence.holds)
    ((_, sure, *_),) = study.tables[0].rows[1:]
    assert sure == pytest.approx(20.0, rel=2e-3), "the plan's own rate"
    assert f"{surely(plan.confidence.holds)} sure that" in study.sentences[-1]


@pytest.mark.evidence
async def test_a_plan_with_a_typed_range_and_its_capacity_are_as_sure_of_the_same_rate(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fleettui.planning.rounds.MOST_REQUESTS", 0)
    typed = TypedRange(key="rate", low=10.0, high=40.0)
    asked = question(trace(tmp_path), verify=False, confidence=0.7, ranges=(typed,))
    plan = await make_plan(asked, store=store, pool=workers)
    assert plan.confidence is not None
    assert 0.55 < plan.confidence.holds < 0.95
    study = await make("capacity", store, pool=workers, fleet=plan.plan.handle, confidence=plan.confidence.holds)
    ((_, sure, *_),) = study.tables[0].rows[1:]
    assert sure == pytest.approx(20.0, rel=5e-3), "the plan's own rate, the middle"
    assert ", over step times, not waits, within the model's error and rate 10/s to 40/s" in study.sentences[-2]


@pytest.mark.evidence
async def test_a_fleet_that_was_given_and_is_busier_than_asked_is_held_to_that_in_either(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = question(trace(tmp_path), gpus=(), tp=(), max_utilization=0.3)
    plan = await simulate(sketch(3), asked, store=store, pool=workers)
    assert (plan.verdict, plan.confidence is not None) == ("pass", True)
    assert plan.confidence is not None
    assert plan.confidence.holds < 0.5, "its pools are busier than a search would leave them"
    monkeypatch.setattr("fleettui.planning.rounds.MOST_REQUESTS", 0)
    study = await make("capacity", store, pool=workers, fleet=plan.plan.handle, confidence=plan.confidence.holds)
    ((_, sure, *_),) = study.tables[0].rows[1:]
    assert sure == pytest.approx(20.0, rel=0.02), "the rate that it was simulated at"


@pytest.mark.thorough
async def test_a_fleet_that_was_given_carries_what_its_plan_said(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    """The rate up to which a plan says that its fleet holds is that of its studies, and is not simulated again."""
    asked = question(trace(tmp_path), gpus=(), tp=(), slo=Slo(ttft=0.5))
    plan = await simulate(sketch(2), asked, store=store, pool=workers)
    assert plan.stock is not None
    assert plan.stock.rate_simulated
    assert store.plan(plan.plan.id).looks == plan.looks
    assert "looks" not in plan_json(plan, "simulate")
    workers.replications()
    study = await make("capacity", store, pool=workers, fleet=plan.plan.id, confidence=0.9)
    rates, seen = study.tables
    assert (rates.rows[0][1], rates.rows[0][-1]) == (plan.stock.rate, "simulated")
    assert {row[0] for row in seen.rows} >= {one.rate for one in plan.looks if one.sizes == (2,)}
    growth = await make(
        "growth", store, pool=workers, plan=plan.plan.id, per_month=0.5, lead_days=9.0, start=START, months=6
    )
    assert rows(growth)[1]["at_rate"] == pytest.approx(plan.stock.rate, rel=1e-5)
    assert not {one.rate for one in plan.looks} & {one.rate for one in (*study.looks, *growth.looks)}
    workers.replications()
    again = await make("capacity", store, pool=workers, fleet=plan.plan.id, confidence=0.9)
    assert (again.looks, again.tables[0], workers.replications()) == ((), rates, 0)


@pytest.mark.thorough
async def test_clients_that_drive_themselves_have_no_greatest_rate(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    loop = Demand(form="concurrency", concurrency=5, think=1.0)
    plan = await make_plan(question(trace(tmp_path), verify=False, demand=loop), store=store, pool=workers)
    with pytest.raises(InputError, match="no greatest rate can be told"):
        await make("capacity", store, pool=workers, fleet=plan.plan.id, confidence=0.9)
